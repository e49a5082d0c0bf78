import Sensorium

/// Puts the stamps of events on boot time.
///
/// The kernel stamps with boot time where it was told to. Where it would not be told, its stamps are
/// UTC, and mapped. A stamp that is not plausible is replaced by the time of arrival, and kept as the
/// original; none goes back.
package struct EventClock: Sendable {
    private let domain: ClockDomain
    private let mapping: ClockMapping
    private let lead: Int64
    private var last = Int64.min
    /// Why stamps were not believed; nil as long as they are.
    package private(set) var doubt: String?

    /// The kernel writes microseconds.
    private static let uncertainty: Float = 1e-6

    /// Makes a mapping of stamps of that clock.
    package init(_ domain: ClockDomain, clock: any SensorClock) {
        self.domain = domain
        mapping = ClockMapping(clock: clock)
        lead = mapping.lead.wholeNanoseconds
    }

    /// The time of a frame that was read at `arrival`.
    @inline(__always)
    package mutating func time(of stamp: Int64, arrival: SensorInstant) -> ReadingTime {
        guard domain == .boottime, stamp > 0, stamp &- arrival.nanoseconds <= lead else {
            return mapped(stamp, arrival)
        }
        last = max(last, stamp)
        return ReadingTime(
            instant: SensorInstant(nanoseconds: last), originalNanoseconds: stamp,
            originalDomain: .boottime, knownOriginal: true, uncertaintySeconds: Self.uncertainty,
            source: .device)
    }

    /// The time of what this host finds out by itself.
    package mutating func time(at now: SensorInstant) -> ReadingTime {
        last = max(last, now.nanoseconds)
        return ReadingTime(SensorInstant(nanoseconds: last), source: .arrival)
    }

    private mutating func mapped(_ stamp: Int64, _ arrival: SensorInstant) -> ReadingTime {
        let outcome = mapping.map(
            ClockTime(nanoseconds: stamp, domain: domain), arrival: arrival,
            uncertainty: .microseconds(1))
        if case .arrival(_, because: let reason) = outcome { doubt = doubt ?? reason.description }
        var time = outcome.time
        last = max(last, time.instant.nanoseconds)
        time.instant = SensorInstant(nanoseconds: last)
        return time
    }
}
