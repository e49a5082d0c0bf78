import Sensorium
import SensoriumRecording

extension TemporaryFolder {
    /// Writes a text, and reads it as a recording.
    func reading(_ text: String, as name: String) throws -> RecordingFile {
        try reading(Array(text.utf8), as: name)
    }

    /// Writes bytes, and reads them as a recording.
    func reading(_ bytes: [UInt8], as name: String) throws -> RecordingFile {
        try RecordingFile(write(bytes, as: name))
    }

    /// Writes a recording in the format that the name asks for, and reads it again.
    func roundTrip(_ recording: MemoryRecording, as name: String) throws -> RecordingFile {
        let path = "\(path)/\(name)"
        guard let create = RecordingFormat.named(like: path)?.create else {
            throw TestFault("\(name) cannot be written")
        }
        try recording.write(to: create(path, recording.metadata))
        return try RecordingFile(path)
    }
}

/// A file that was read to its end.
struct RecordingFile {
    let format: String
    let content: MemoryRecording
    let damage: RecordingDamage
    let summary: RecordingSummary?

    init(_ path: String) throws {
        format = try RecordingFormat.of(path).name
        let reader = try RecordingFormat.open(path)
        content = try MemoryRecording(reading: reader)
        damage = reader.damage
        summary = reader.summary
    }

    /// All readings of a type.
    func readings<Reading: RecordableReading>(_: Reading.Type = Reading.self) -> [Reading] {
        content.events.compactMap { $0.reading.flatMap(Reading.init) }
    }

    var fixes: [LocationFix] { readings() }

    /// The instants of all readings, in seconds; nil where one has none.
    var seconds: [Double?] {
        content.events.filter { $0.reading != nil }
            .map { $0.instant.map { Double($0.nanoseconds) / 1e9 } }
    }
}

/// The recording error that `work` ends by; nil where it ends by none, or by another.
func recordingError(_ work: () throws -> Void) -> RecordingError? {
    do {
        try work()
        return nil
    } catch {
        return error as? RecordingError
    }
}
