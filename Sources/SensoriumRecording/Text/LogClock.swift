import Sensorium

/// The clock of a log that is read: it shows the last time that the log gave, on every clock.
///
/// A decoder that takes the day, or how long ago something was, from its host's clock gets it from the
/// log so.
final class LogClock: SensorClock {
    private let time: Guarded<Int64?>

    /// Makes a clock.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil for a clock that cannot be read until it is set.
    init(_ utc: Int64?) { time = Guarded(utc) }

    /// Sets it to UTC in nanoseconds since 1970.
    func set(_ utc: Int64) { time.withLock { $0 = utc } }

    var now: SensorInstant { SensorInstant(nanoseconds: time.withLock { $0 } ?? 0) }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sample(_ domain: ClockDomain) -> ClockSample? {
        guard domain == .realtime, let utc = time.withLock({ $0 }) else { return nil }
        return ClockSample(
            boottime: SensorInstant(nanoseconds: utc),
            time: ClockTime(nanoseconds: utc, domain: .realtime))
    }

    /// Nothing waits for a log.
    func sleep(until deadline: SensorInstant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
