import NMEAPlugin
import Sensorium

/// Parses a log of NMEA 0183 sentences through the decoder of the NMEA plugin.
struct NMEALogParser: RecordingParser {
    private let path: String
    private let modified: Int64
    /// Where its clock starts, once that is known.
    private let start: Int64?
    private let clock: LogClock
    private let requiresChecksum: Bool
    private var decoder: NMEADecoder
    private var log = ReceiverLog("nmea")
    private var outputs: [NMEADecoder.Output] = []

    /// - Parameter modified: when the file was last changed: the day of a log that names none.
    init(_ path: String, modified: Int64) {
        self.init(path, modified, startingAt: nil, requiresChecksum: true)
    }

    private init(
        _ path: String, _ modified: Int64, startingAt start: Int64?, requiresChecksum: Bool
    ) {
        self.path = path
        self.modified = modified
        clock = LogClock(start)
        self.requiresChecksum = requiresChecksum
        self.start = start
        decoder = NMEADecoder(clock: clock, requiresChecksum: requiresChecksum)
    }

    func restarted() -> NMEALogParser {
        NMEALogParser(
            path, modified, startingAt: start ?? log.firstTrusted ?? modified,
            requiresChecksum: requiresChecksum && !lacksChecksums)
    }

    /// Whether no sentence has a checksum: some programs log them without.
    private var lacksChecksums: Bool {
        decoder.accepted == 0 && decoder.rejected[.noChecksum, default: 0] > 0
    }

    var mustBeginAgain: Bool { start == nil && (lacksChecksums || log.untimedCount > 0) }

    var metadata: RecordingMetadata { RecordingMetadata(clock: .utc) }

    var sensors: [RecordedSensor] { log.sensors }

    var damage: RecordingDamage {
        var damage = log.damage
        for (reason, count) in decoder.rejected.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            // Loggers put their own words between sentences.
            if reason != .noise { damage.skippedRecords += count }
            damage.note("\(count) sentences left out: \(reason.rawValue)")
        }
        if decoder.late > 0 {
            damage.note("\(decoder.late) sentences came after the fix of their time")
        }
        if !requiresChecksum { damage.note("its sentences have no checksums") }
        return damage
    }

    mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [RecordedEvent]
    ) throws(RecordingError) {
        for line in Lines(bytes) {
            decoder.decode(line, arrivedAt: clock.now, into: &outputs)
            if !outputs.isEmpty { take(&events) }
        }
    }

    mutating func finish(into events: inout [RecordedEvent]) throws(RecordingError) {
        outputs += decoder.finish(isFile: true)
        take(&events)
        log.finish(into: &events)
        if decoder.accepted == 0, !mustBeginAgain {
            throw RecordingError(
                .malformed, path: path,
                reason: "none of its lines is a sentence with a reading in it",
                hint: "see what becomes of them with `sensorium decode nmea`")
        }
    }

    private mutating func take(_ events: inout [RecordedEvent]) {
        for output in outputs {
            switch output {
            case .location(let fix): add(.location(fix), &events)
            case .satellites(let list): add(.satellites(list), &events)
            case .heading(let heading): add(.heading(heading), &events)
            case .noFix: log.addNoFix(into: &events)
            case .diagnostic(let text):
                // The others are about a host's clock, and a log has none.
                if text.hasPrefix("the receiver's") { log.damage.note(text) }
            }
        }
        outputs.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ reading: RecordedReading, _ events: inout [RecordedEvent]) {
        log.add(reading, into: &events)
        if start != nil, let utc = reading.time.utcNanoseconds { clock.set(utc) }
    }
}
