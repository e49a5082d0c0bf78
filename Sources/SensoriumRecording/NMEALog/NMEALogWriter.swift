import NMEAPlugin
import Sensorium

/// Writes the readings of one receiver as a log of NMEA 0183 sentences.
///
/// Satellites follow the fix of their time, as receivers send them; those without one get a ZDA of
/// their own, so that a reader knows their time.
final class NMEALogWriter: RecordingWriter {
    private let file: OutputFile
    private let metadata: RecordingMetadata
    private let encoder = NMEAEncoder()
    private var sensors: [SensorID: SensorKind] = [:]
    private var pending = ""
    /// Satellites whose fix may come yet.
    private var held: (list: Satellites, utc: Int64?)?
    /// The time of the sentences that were written last, and the kind of their fix.
    private var epoch: (utc: Int64, fix: FixKind)?
    private var failure: RecordingError?
    private var isFinished = false

    var byteCount: UInt64 { file.count }

    init(_ path: String, _ metadata: RecordingMetadata) throws(RecordingError) {
        file = try OutputFile(path)
        self.metadata = metadata
    }

    func add(_ sensor: RecordedSensor) throws(RecordingError) {
        try check()
        guard sensors[sensor.id] == nil else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(sensor.id) was added before")
        }
        if RecordingFormat.nmea.kinds.contains(sensor.kind),
            let other = sensors.first(where: { $0.value == sensor.kind })
        {
            throw RecordingError(
                .unsupported, path: file.path,
                reason:
                    "a log of NMEA is of one receiver, and \(other.key) and \(sensor.id) are two",
                hint: "choose one of them (--sensor)")
        }
        sensors[sensor.id] = sensor.kind
    }

    func write(_ event: RecordedEvent) throws(RecordingError) {
        try check()
        guard let kind = sensors[event.sensor] else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(event.sensor) was not added")
        }
        switch event.content {
        case .reading(let reading): take(reading, event)
        case .status(let status):
            if kind == .location, status.state == .searching {
                release()
                let utc = event.instant.flatMap(metadata.clock.utcNanoseconds)
                line(encoder.noFix(utc: utc))
                epoch = nil
            }
        default: break
        }
        if pending.utf8.count >= 1 << 16 { try send() }
    }

    func flush() throws(RecordingError) {
        try check()
        release()
        try send()
    }

    func finish() throws(RecordingError) {
        try flush()
        isFinished = true
        try file.finish()
    }

    private func check() throws(RecordingError) {
        if let failure { throw failure }
        if isFinished {
            throw RecordingError(.misuse, path: file.path, reason: "it was finished already")
        }
    }

    private func send() throws(RecordingError) {
        if pending.isEmpty { return }
        do throws(RecordingError) {
            try file.write(Array(pending.utf8))
            pending.removeAll(keepingCapacity: true)
        } catch {
            failure = error
            throw error
        }
    }

    // MARK: Sentences

    private func line(_ sentence: String) { pending += sentence + "\r\n" }

    private func take(_ reading: RecordedReading, _ event: RecordedEvent) {
        let known = reading.time.isKnown ? reading.time.instant : event.instant
        let utc = reading.time.utcNanoseconds ?? known.flatMap(metadata.clock.utcNanoseconds)
        switch reading {
        case .location(let fix):
            guard fix.latitude.isFinite, fix.longitude.isFinite else { return }
            if let held, held.utc != utc { release() }
            encoder.sentences(for: fix, utc: utc).forEach(line)
            epoch = utc.map { ($0, fix.fix) }
            release()
        case .satellites(let list):
            release()
            held = (list, utc)
            if let utc, epoch?.utc == utc { release() }
        case .heading(let heading):
            encoder.sentences(for: heading).forEach(line)
        default: break
        }
    }

    /// Writes the satellites that are held back.
    private func release() {
        guard let (list, utc) = held.take() else { return }
        if let utc, epoch?.utc != utc {
            line(encoder.sentence(ofTime: utc))
            epoch = (utc, .threeDimensional)
        }
        encoder.sentences(for: list, fix: epoch?.fix ?? .threeDimensional).forEach(line)
    }
}
