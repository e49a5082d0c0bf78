import Sensorium

/// What is known of a recording as a whole.
public struct RecordingMetadata: Sendable, Hashable {
    /// The clock that the instants of its events and readings are on.
    public var clock: RecordingClock
    /// What wrote it: `sensorium 0.1.0`; empty where unknown.
    public var writer: String
    /// Anything else that it says of itself: a title, a comment, the machine's name.
    public var properties: [String: String]

    /// Makes metadata.
    public init(
        clock: RecordingClock, writer: String = "", properties: [String: String] = [:]
    ) {
        self.clock = clock
        self.writer = writer
        self.properties = properties
    }
}

/// The clock of a recording: which one it is, and how UTC is got from it.
///
/// A recording of live sensors is on the recorder's boot time. A file that knows only UTC (GPX, NMEA)
/// is on `.utc`: its instants are nanoseconds since 1970.
public struct RecordingClock: Sendable, Hashable {
    /// The clock that instants were read from.
    public var domain: ClockDomain
    /// Nanoseconds to add to an instant to get UTC since 1970; nil where unknown.
    ///
    /// One offset for the whole recording, read when it began: setting the clock changes nothing.
    public var utcOffset: Int64?
    /// How far `utcOffset` may be from the truth; nil where unknown.
    public var utcUncertainty: Duration?

    /// Makes a clock.
    public init(domain: ClockDomain, utcOffset: Int64? = nil, utcUncertainty: Duration? = nil) {
        self.domain = domain
        self.utcOffset = utcOffset
        self.utcUncertainty = utcUncertainty
    }

    /// Boot time as `clock` has it, with its offset to UTC now.
    public init(of clock: any SensorClock) {
        domain = .boottime
        guard let sample = clock.sample(.realtime) else { return }
        let (offset, overflow) = sample.time.nanoseconds
            .subtractingReportingOverflow(sample.boottime.nanoseconds)
        if overflow { return }
        utcOffset = offset
        utcUncertainty = sample.uncertainty
    }

    /// Instants that are nanoseconds since 1970, UTC.
    public static let utc = RecordingClock(domain: .realtime, utcOffset: 0)

    /// UTC in nanoseconds since 1970 at `instant`; nil where the recording does not know.
    public func utcNanoseconds(at instant: SensorInstant) -> Int64? {
        guard let utcOffset else { return nil }
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(utcOffset)
        return overflow ? nil : sum
    }
}
