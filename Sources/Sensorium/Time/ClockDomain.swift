/// Which clock a time was read from.
///
/// The raw values cross the plugin boundary and stand in recordings, so they never change.
public enum ClockDomain: UInt8, Sendable, Hashable, CaseIterable {
    /// `CLOCK_BOOTTIME`: since boot, sleep included. The canonical domain.
    case boottime = 0
    /// `CLOCK_REALTIME`, and any source of UTC: nanoseconds since 1970, leap seconds left out.
    case realtime = 1
    /// `CLOCK_MONOTONIC`: since boot, sleep left out.
    case monotonic = 2
    /// `CLOCK_TAI`: nanoseconds since 1970, leap seconds counted.
    case tai = 3
    /// A clock that this machine cannot read: a device's own, or another machine's.
    case foreign = 4
}

/// A time of one clock, which cannot be compared with, or subtracted from, another clock's.
///
/// There are no operators on purpose: `duration(to:)` throws when the domains differ.
@frozen
public struct ClockTime: Sendable, Hashable {
    /// Nanoseconds on the clock of `domain`.
    public var nanoseconds: Int64
    /// The clock.
    public var domain: ClockDomain

    /// Makes a time of `domain`.
    @inlinable
    public init(nanoseconds: Int64, domain: ClockDomain) {
        self.nanoseconds = nanoseconds
        self.domain = domain
    }

    /// How long after this time `other` is.
    ///
    /// - Throws: `ClockDomainMismatch` when the two times are of different clocks, or of a foreign
    ///   clock, of which there are many.
    public func duration(to other: ClockTime) throws(ClockDomainMismatch) -> Duration {
        guard domain == other.domain, domain != .foreign else {
            throw ClockDomainMismatch(first: domain, second: other.domain)
        }
        return SensorInstant(nanoseconds: nanoseconds)
            .duration(to: SensorInstant(nanoseconds: other.nanoseconds))
    }
}

/// Two times of different clocks were asked for their difference.
public struct ClockDomainMismatch: Error, Equatable, CustomStringConvertible {
    /// The clock of the first time.
    public var first: ClockDomain
    /// The clock of the second time.
    public var second: ClockDomain

    /// A sentence fit for a log.
    public var description: String {
        "a \(first) time and a \(second) time have no difference; map both to boot time first"
    }
}

/// One clock and boot time, read at the same moment.
public struct ClockSample: Sendable, Hashable {
    /// Boot time.
    public var boottime: SensorInstant
    /// The other clock.
    public var time: ClockTime
    /// The time between the two reads of boot time around the read of the other clock.
    public var uncertainty: Duration

    /// Makes a sample.
    public init(boottime: SensorInstant, time: ClockTime, uncertainty: Duration = .zero) {
        self.boottime = boottime
        self.time = time
        self.uncertainty = uncertainty
    }
}
