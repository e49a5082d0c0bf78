import Sensorium
import SensoriumRecording
import Testing

@Suite("MCAP recordings of any readings", .timeLimit(.minutes(1)))
struct MCAPPropertyTests {
    /// All fields of an event as text: NaN is like itself there, and 0 unlike -0.
    private static func text(_ event: RecordedEvent) -> String {
        // A frame's storage is an object.
        if case .reading(.camera) = event.content { "" } else { String(describing: event) }
    }

    @Test("come back with every field as it was", arguments: MCAPFile.options, [1, 2, 3])
    func roundTrip(options: MCAPOptions, seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/any.mcap"
        var readings = RandomReadings(seed: seed)
        let recording = readings.recording(40)
        guard let create = RecordingFormat.mcap(options).create else { return }
        try recording.write(to: create(path, recording.metadata))
        let file = try RecordingFile(path)
        #expect(file.damage.isEmpty, "\(file.damage): \(file.damage.notes)")
        try #require(file.content.events.count == recording.events.count)
        for (read, written) in zip(file.content.events, recording.events) {
            if case .reading(.camera) = written.content {
                try #require(read == written)
            } else {
                try #require(Self.text(read) == Self.text(written))
            }
        }
    }
}
