import Sensorium

/// When a session takes its readings: at whole periods after the origin, however late it wakes.
///
/// Every deadline is computed from the origin, so that errors do not add up, and so that two
/// sessions of one rate measure at the same moments.
struct Pace: Sendable, Equatable {
    /// Where the periods are counted from.
    let origin: SensorInstant
    /// Nanoseconds from one reading to the next.
    let period: Int64
    /// How many readings are delivered together.
    let batch: Int64

    /// What the device remembers for a host that wakes late; older readings are lost.
    static let memory: Int64 = 256

    /// Makes the pace of a rate in hertz whose readings may be held back for `maxLatency`.
    init(origin: SensorInstant, rate: Double, maxLatency: Duration) {
        self.origin = origin
        period = Int64((1e9 / rate).rounded())
        batch = min(max(1, maxLatency.wholeNanoseconds / period), Self.memory)
    }

    /// The first moment to measure at that is later than `instant`.
    func next(after instant: SensorInstant) -> SensorInstant {
        let elapsed = max(0, instant.nanoseconds - origin.nanoseconds)
        return SensorInstant(nanoseconds: origin.nanoseconds + (elapsed / period + 1) * period)
    }

    /// The moment `count` periods after `instant`.
    func moment(_ count: Int64, after instant: SensorInstant) -> SensorInstant {
        SensorInstant(nanoseconds: instant.nanoseconds + count * period)
    }

    /// How many moments there are from `first` up to `now`, both included.
    func count(from first: SensorInstant, upTo now: SensorInstant) -> Int64 {
        now < first ? 0 : (now.nanoseconds - first.nanoseconds) / period + 1
    }
}
