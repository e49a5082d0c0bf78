import Sensorium

/// Reads a recording, event by event, in the order of the file.
///
/// ## Implementing a reader
///
/// - Memory is bounded: a reader holds a part of the file, never all of it.
/// - Damage is survived: what can be read is given, what cannot is counted in `damage`. Only what
///   makes the rest unreadable is thrown.
/// - A reader is used by one thread or task at a time; it may block on the file.
public protocol RecordingReader: AnyObject {
    /// What the file says of itself.
    var metadata: RecordingMetadata { get }
    /// The sensors of the file, all of them from the start.
    var sensors: [RecordedSensor] { get }
    /// What the file says of its contents without being read; nil where it has no index.
    var summary: RecordingSummary? { get }
    /// What was wrong with the file so far.
    var damage: RecordingDamage { get }
    /// The next event; nil at the end, also at the end of what can be read.
    func next() throws(RecordingError) -> RecordedEvent?
    /// Goes on with the first event, in the order of the file, that is of `instant` or later.
    ///
    /// `SensorInstant(nanoseconds: .min)` is the start. Events without an instant belong to the one
    /// before them.
    func seek(to instant: SensorInstant) throws(RecordingError)
}

extension RecordingReader {
    /// Nothing is known.
    public var summary: RecordingSummary? { nil }

    /// Goes back to the first event.
    public func rewind() throws(RecordingError) { try seek(to: SensorInstant(nanoseconds: .min)) }

    /// The sensor of that name.
    public func sensor(_ id: SensorID) -> RecordedSensor? { sensors.first { $0.id == id } }
}

/// What a recording's index says of it.
public struct RecordingSummary: Sendable, Hashable {
    /// The first event; nil where there is none.
    public var start: SensorInstant?
    /// The last event; nil where there is none.
    public var end: SensorInstant?
    /// How many readings there are of each sensor of which the index tells.
    public var readings: [SensorID: Int]

    /// Makes a summary.
    public init(
        start: SensorInstant? = nil, end: SensorInstant? = nil, readings: [SensorID: Int] = [:]
    ) {
        self.start = start
        self.end = end
        self.readings = readings
    }
}

/// What was wrong with a recording, as far as it was read.
public struct RecordingDamage: Sendable, Hashable {
    /// The byte at which the file is cut off: the first that belongs to nothing whole.
    public var truncatedAt: UInt64?
    /// Whether the file lacks its end, though all of its records are whole.
    public var lacksEnd = false
    /// Whether the file's checksum is wrong, though everything could be read.
    ///
    /// Something is not as it was written. Known once the file was read from its start to its end.
    public var hasWrongChecksum = false
    /// Blocks of events that could not be read: a wrong checksum, a wrong length.
    public var skippedBlocks = 0
    /// Single records, lines or points that made no sense.
    public var skippedRecords = 0
    /// Messages of channels whose schema this package does not know, by topic; no damage, but not
    /// read either.
    public var unknownMessages: [String: Int] = [:]
    /// How often the time of one sensor's events went back.
    public var backwardSteps = 0
    /// Sentences about single faults, the first sixteen.
    public private(set) var notes: [String] = []

    /// No damage.
    public init() {}

    /// Whether everything could be read.
    public var isEmpty: Bool {
        truncatedAt == nil && !lacksEnd && !hasWrongChecksum && skippedBlocks == 0
            && skippedRecords == 0
    }

    /// Keeps a sentence about a fault.
    public mutating func note(_ sentence: String) {
        if notes.count < 16 { notes.append(sentence) }
    }
}

extension RecordingDamage: CustomStringConvertible {
    /// A sentence fit for a log or a terminal; `none` where there is no damage.
    public var description: String {
        var parts: [String] = []
        if let truncatedAt { parts.append("cut off at byte \(truncatedAt)") }
        if lacksEnd { parts.append("it was not finished") }
        if hasWrongChecksum { parts.append("its checksum is wrong") }
        if skippedBlocks > 0 { parts.append("\(skippedBlocks) damaged blocks skipped") }
        if skippedRecords > 0 { parts.append("\(skippedRecords) faulty records skipped") }
        if backwardSteps > 0 { parts.append("\(backwardSteps) steps back in time") }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}
