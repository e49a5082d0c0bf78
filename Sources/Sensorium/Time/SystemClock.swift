import Glibc

/// This machine's boot time.
public struct SystemClock: SensorClock {
    /// Makes the clock.
    ///
    /// All instances are alike.
    public init() {}

    /// The time since boot, sleep included.
    public var now: SensorInstant { SensorInstant(nanoseconds: Self.read(CLOCK_BOOTTIME)) }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: SensorInstant, tolerance: Duration?) async throws {
        let left = now.duration(to: deadline)
        if left <= .zero { return try Task.checkCancellation() }
        // lint:allow(sleep) the one place where real time passes
        try await Task.sleep(for: left, tolerance: tolerance, clock: .continuous)
    }

    /// Reads `domain` between two reads of boot time; nil for a foreign clock.
    public func sample(_ domain: ClockDomain) -> ClockSample? {
        let id: clockid_t
        switch domain {
        case .boottime: id = CLOCK_BOOTTIME
        case .realtime: id = CLOCK_REALTIME
        case .monotonic: id = CLOCK_MONOTONIC
        case .tai: id = CLOCK_TAI
        case .foreign: return nil
        }
        var best = Self.readTogether(id)
        // A thread that is put to sleep between two reads learns little; the next try is better.
        for _ in 0..<3 where best.span > Self.widestSpan {
            let again = Self.readTogether(id)
            if again.span < best.span { best = again }
        }
        return ClockSample(
            boottime: SensorInstant(nanoseconds: best.boottime),
            time: ClockTime(nanoseconds: best.other, domain: domain),
            uncertainty: .nanoseconds(best.span))
    }

    /// Nanoseconds: what three reads in a row take at most, on any machine that is not busy.
    private static var widestSpan: Int64 { 10_000 }

    private static func readTogether(
        _ id: clockid_t
    ) -> (boottime: Int64, other: Int64, span: Int64) {
        let before = read(CLOCK_BOOTTIME)
        let other = read(id)
        let after = read(CLOCK_BOOTTIME)
        return (before + (after - before) / 2, other, after - before)
    }

    private static func read(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
