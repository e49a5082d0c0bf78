import GPSDPlugin
import Sensorium

/// Parses what `gpspipe -w` writes, line by line, through the decoder of the gpsd plugin.
///
/// With `-t` or `-T`, a line begins with the time at which it came; it is left out, since reports have
/// times of their own.
struct GPSDCaptureParser: RecordingParser {
    private let path: String
    private let clock = LogClock(nil)
    private var decoder: GPSDDecoder
    private var log = ReceiverLog("gpsd")
    private var outputs: [GPSDDecoder.Output] = []
    /// The start of a line, as long as no report has begun.
    private var start: [UInt8] = []
    private var isInLine = false
    private var reports = 0
    private var release: String?

    /// A longer start of a line is no time.
    private static var startLimit: Int { 80 }

    init(_ path: String) {
        self.path = path
        decoder = GPSDDecoder(clock: clock)
    }

    func restarted() -> GPSDCaptureParser { GPSDCaptureParser(path) }

    var metadata: RecordingMetadata {
        RecordingMetadata(clock: .utc, writer: release.map { "gpsd \($0)" } ?? "")
    }

    var sensors: [RecordedSensor] { log.sensors }

    var damage: RecordingDamage {
        var damage = log.damage
        for (reason, count) in decoder.rejected.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            // gpsd passes its receivers' sentences through when it is asked to.
            if reason != .nmea { damage.skippedRecords += count }
            damage.note("\(count) lines left out: \(reason.rawValue)")
        }
        return damage
    }

    mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [RecordedEvent]
    ) throws(RecordingError) {
        for line in Lines(bytes) {
            if isInLine { decode(line) } else { begin(line) }
            if line.last == 0x0a { isInLine = false }
            if !outputs.isEmpty { take(&events) }
        }
    }

    /// Looks for the report behind a time at the start of a line.
    private mutating func begin(_ line: UnsafeBufferPointer<UInt8>) {
        let room = Self.startLimit - start.count
        let mark = line.prefix(room).firstIndex { $0 == 0x7b || $0 == 0x24 || $0 == 0x21 }
        if let mark {
            start.removeAll(keepingCapacity: true)
            isInLine = true
            return decode(UnsafeBufferPointer(rebasing: line[mark...]))
        }
        if line.last == 0x0a || line.count >= room {
            start.withUnsafeBufferPointer {
                decoder.decode($0, arrivedAt: clock.now, into: &outputs)
            }
            start.removeAll(keepingCapacity: true)
            isInLine = true
            return decode(line)
        }
        start += line
    }

    private mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>) {
        decoder.decode(bytes, arrivedAt: clock.now, into: &outputs)
    }

    mutating func finish(into events: inout [RecordedEvent]) throws(RecordingError) {
        outputs += decoder.finish(isFile: true)
        take(&events)
        log.finish(into: &events)
        if reports == 0, decoder.skipped == 0 {
            throw RecordingError(
                .malformed, path: path, reason: "none of its lines is a report of gpsd",
                hint: "capture with `gpspipe -w`")
        }
    }

    private mutating func take(_ events: inout [RecordedEvent]) {
        for output in outputs {
            reports += 1
            switch output {
            case .location(let fix): add(.location(fix), &events)
            case .satellites(let list): add(.satellites(list), &events)
            case .heading(let heading): add(.heading(heading), &events)
            case .attitude(let attitude): add(.attitude(attitude), &events)
            case .noFix: log.addNoFix(into: &events)
            case .greeting(let name): release = release ?? name
            case .complaint(let text): log.damage.note("gpsd said: \(text)")
            case .receivers, .receiverGone, .watching, .diagnostic: break
            }
        }
        outputs.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ reading: RecordedReading, _ events: inout [RecordedEvent]) {
        log.add(reading, into: &events)
        if let utc = reading.time.utcNanoseconds { clock.set(utc) }
    }
}
