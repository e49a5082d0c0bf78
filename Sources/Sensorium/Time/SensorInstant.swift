/// A moment on this machine's `CLOCK_BOOTTIME`, the one time axis that every reading is on.
///
/// Boot time goes on while the machine sleeps and is never set back, so the age of a reading is
/// right after a suspend and after somebody set the clock. Unit: nanoseconds since boot.
/// Source: clock_gettime(2).
@frozen
public struct SensorInstant: InstantProtocol, Sendable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// Makes the instant `nanoseconds` after boot.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant `duration` later; saturates instead of overflowing.
    @inlinable
    public func advanced(by duration: Duration) -> SensorInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        if overflow { return SensorInstant(nanoseconds: duration < .zero ? .min : .max) }
        return SensorInstant(nanoseconds: sum)
    }

    /// The instant so many nanoseconds later; saturates instead of overflowing.
    @inlinable
    package func advanced(byNanoseconds offset: Int64) -> SensorInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(offset)
        return SensorInstant(nanoseconds: overflow ? (offset < 0 ? .min : .max) : sum)
    }

    /// How long after this instant `other` is; negative when it is earlier.
    @inlinable
    public func duration(to other: SensorInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        return .nanoseconds(overflow ? (other < self ? Int64.min : Int64.max) : difference)
    }

    /// Whether `a` is earlier than `b`.
    @inlinable
    public static func < (a: SensorInstant, b: SensorInstant) -> Bool {
        a.nanoseconds < b.nanoseconds
    }
}

extension SensorInstant: CustomStringConvertible {
    /// Seconds since boot, to the microsecond: `boot+12.345678s`.
    public var description: String { "boot+\(Duration.nanoseconds(nanoseconds).secondsText(6))s" }
}

extension Duration {
    /// The duration in nanoseconds, cut towards zero, saturating at the ends of `Int64`.
    @inlinable
    public var wholeNanoseconds: Int64 {
        // Beyond this, the seconds may not fit into `components`.
        if self >= Duration.nanoseconds(Int64.max) { return .max }
        if self <= Duration.nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in seconds.
    @inlinable
    public var inSeconds: Double { self / .seconds(1) }

    /// The duration in seconds with a fixed number of decimals, cut towards zero.
    package func secondsText(_ decimals: Int) -> String {
        let total = wholeNanoseconds
        var digits = String(total.magnitude)
        if digits.utf8.count < 10 {
            digits = String(repeating: "0", count: 10 - digits.utf8.count) + digits
        }
        let whole = digits.dropLast(9)
        let fraction = digits.suffix(9).prefix(max(0, min(9, decimals)))
        let sign = total < 0 ? "-" : ""
        return fraction.isEmpty ? "\(sign)\(whole)" : "\(sign)\(whole).\(fraction)"
    }
}
