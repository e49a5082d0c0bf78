import Sensorium

/// Turns the bytes of a text file into events, in pieces of any size.
///
/// A file is parsed twice: once when it is opened, to learn what it holds, and again, by a parser that
/// knows that, for the events.
protocol RecordingParser {
    /// What the file says of itself, as far as it was parsed.
    var metadata: RecordingMetadata { get }
    /// The sensors that were found so far.
    var sensors: [RecordedSensor] { get }
    /// What was wrong so far.
    var damage: RecordingDamage { get }
    /// Parses the next bytes, and adds what they give to `events`.
    mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [RecordedEvent]
    ) throws(RecordingError)
    /// Ends the input, and adds what was kept back to `events`.
    mutating func finish(into events: inout [RecordedEvent]) throws(RecordingError)
    /// Whether what this parser gave is to be forgotten: it learnt too late how to parse.
    var mustBeginAgain: Bool { get }
    /// A parser for the start of the same file that knows what this one has learnt.
    func restarted() -> Self
}

extension RecordingParser {
    var mustBeginAgain: Bool { false }
}

/// Reads a text file through a parser.
final class ParsedRecordingReader<Parser: RecordingParser>: RecordingReader {
    let metadata: RecordingMetadata
    let sensors: [RecordedSensor]
    let summary: RecordingSummary?
    let damage: RecordingDamage

    private let file: InputFile
    private let start: Parser
    private var parser: Parser
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var offset: UInt64 = 0
    private var isAtEnd = false
    private var events: [RecordedEvent] = []
    private var position = 0

    /// Opens a file, and parses it once.
    ///
    /// - Throws: what the parser throws, and `RecordingError` when the file cannot be read.
    init(_ path: String, _ fresh: Parser) throws(RecordingError) {
        file = try InputFile(path)
        var survey = fresh
        var found = try Self.survey(file, &buffer, &survey)
        if survey.mustBeginAgain {
            survey = survey.restarted()
            found = try Self.survey(file, &buffer, &survey)
        }
        metadata = survey.metadata
        sensors = survey.sensors
        damage = survey.damage
        summary = found
        start = survey.restarted()
        parser = start.restarted()
    }

    private static func survey(
        _ file: InputFile, _ buffer: inout [UInt8], _ parser: inout Parser
    ) throws(RecordingError) -> RecordingSummary {
        var summary = RecordingSummary()
        var offset: UInt64 = 0
        var events: [RecordedEvent] = []
        var hasMore = true
        while hasMore {
            hasMore = try step(file, &offset, &buffer, &parser, &events)
            for event in events { summary.add(event) }
            events.removeAll(keepingCapacity: true)
        }
        return summary
    }

    /// Parses the next piece; false when that was the end.
    private static func step(
        _ file: InputFile, _ offset: inout UInt64, _ buffer: inout [UInt8], _ parser: inout Parser,
        _ events: inout [RecordedEvent]
    ) throws(RecordingError) -> Bool {
        let count = try file.read(into: &buffer, at: offset)
        offset += UInt64(count)
        let result = buffer.withUnsafeBufferPointer { bytes in
            Result { () throws(RecordingError) in
                try parser.parse(UnsafeBufferPointer(rebasing: bytes[..<count]), into: &events)
            }
        }
        try result.get()
        if count == buffer.count { return true }
        try parser.finish(into: &events)
        return false
    }

    func next() throws(RecordingError) -> RecordedEvent? {
        while true {
            if position < events.count {
                defer { position += 1 }
                return events[position]
            }
            if isAtEnd { return nil }
            events.removeAll(keepingCapacity: true)
            position = 0
            isAtEnd = try !Self.step(file, &offset, &buffer, &parser, &events)
        }
    }

    func seek(to instant: SensorInstant) throws(RecordingError) {
        parser = start.restarted()
        offset = 0
        isAtEnd = false
        events.removeAll(keepingCapacity: true)
        position = 0
        if instant.nanoseconds == .min { return }
        while let event = try next() {
            if let moment = event.instant, moment >= instant {
                position -= 1
                return
            }
        }
    }
}

extension RecordingSummary {
    /// Counts an event.
    fileprivate mutating func add(_ event: RecordedEvent) {
        if event.reading != nil { readings[event.sensor, default: 0] += 1 }
        guard let instant = event.instant else { return }
        start = min(start ?? instant, instant)
        end = max(end ?? instant, instant)
    }
}
