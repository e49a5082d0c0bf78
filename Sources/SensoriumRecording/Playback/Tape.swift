import Sensorium

/// A recording that is read in order, each event at its time.
///
/// Not `Sendable`: the task that plays has it.
struct Tape: ~Copyable {
    private let reader: any RecordingReader
    private let options: PlaybackOptions
    private var last: SensorInstant?
    /// The first moment of the recording.
    private(set) var start: SensorInstant?
    /// Whether any event has a time; else the recording begins at 0 of no clock.
    let hasTimes: Bool
    /// The shortest time between two moments so far, for the pause between two rounds.
    private var step: Int64?

    /// Winds to the beginning.
    ///
    /// - Parameter name: what errors call it.
    init(
        _ reader: any RecordingReader, name: String, _ options: PlaybackOptions
    ) throws(RecordingError) {
        self.reader = reader
        self.options = options
        // The first moment is that of the first event with a time.
        while let event = try reader.next() {
            if let instant = event.instant {
                start = instant
                break
            }
        }
        try reader.rewind()
        if start == nil, try reader.next() != nil, options.rate == nil {
            throw RecordingError(
                .unsupported, path: name, reason: "none of its events has a time",
                hint: "say how many of them a second has (replay.rate)")
        }
        try reader.rewind()
        hasTimes = start != nil
        if start == nil { start = SensorInstant(nanoseconds: 0) }
    }

    /// The last moment that was handed out.
    var end: SensorInstant? { last }

    var damage: RecordingDamage { reader.damage }

    /// How long to wait between the last event of a round and the first of the next.
    var pause: Duration { .nanoseconds(step ?? 1_000_000_000) }

    /// The next event, and its moment on the recording's clock; nil at the end.
    mutating func next() throws(RecordingError) -> (RecordedEvent, SensorInstant)? {
        guard let event = try reader.next() else { return nil }
        let moment: SensorInstant
        if let instant = event.instant {
            moment = instant
        } else {
            // Without a time it comes a period after the one before it.
            let period = Duration.seconds(1 / (options.rate ?? 1))
            moment = last.map { $0.advanced(by: period) } ?? start ?? SensorInstant(nanoseconds: 0)
        }
        if let last {
            let (passed, overflow) = moment.nanoseconds
                .subtractingReportingOverflow(last.nanoseconds)
            if !overflow, passed > 0 { step = min(step ?? passed, passed) }
        }
        last = moment
        return (event, moment)
    }

    /// Goes to the first event of `offset` after the start, or later.
    mutating func seek(to offset: Duration) throws(RecordingError) {
        last = nil
        if offset <= .zero { return try reader.rewind() }
        try reader.seek(to: (start ?? SensorInstant(nanoseconds: 0)).advanced(by: offset))
    }
}
