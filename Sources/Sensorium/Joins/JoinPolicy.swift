/// Which reading of the second sensor belongs to one of the first.
public struct JoinPolicy<Second: SensorReading>: Sendable {
    @usableFromInline
    enum Rule: Sendable {
        case latest
        case nearest
        case interpolated(@Sendable (Second, Second, Double) -> Second?)
    }

    @usableFromInline let rule: Rule
    /// The greatest age, distance or gap, in nanoseconds.
    @usableFromInline let limit: Int64

    @inlinable
    init(_ rule: Rule, _ limit: Duration) {
        self.rule = rule
        self.limit = max(0, limit.wholeNanoseconds)
    }

    /// The newest second reading that is known when the first arrives and is not newer than it.
    ///
    /// Never waits, so a second reading that comes late is missed; the age is the pair's skew.
    /// - Parameter maxAge: an older reading does not count.
    @inlinable
    public static func latest(maxAge: Duration) -> JoinPolicy { JoinPolicy(.latest, maxAge) }

    /// The second reading whose time is nearest, before or after.
    ///
    /// Waits until the second sensor has reached the first's time. Of two that are equally near,
    /// the earlier; of equal times, the one that arrived first.
    /// - Parameter within: a reading farther away does not count.
    @inlinable
    public static func nearest(within: Duration) -> JoinPolicy { JoinPolicy(.nearest, within) }
}

extension JoinPolicy where Second: InterpolatableReading {
    /// The second sensor's values at exactly the first's time, between its neighbouring readings.
    ///
    /// They carry `ReadingFlags.interpolated`. A reading at just that time is taken as it is.
    ///
    /// Waits until the second sensor has reached the first's time.
    /// - Parameter maxGap: nothing is made up between two readings farther apart than this.
    @inlinable
    public static func interpolated(maxGap: Duration) -> JoinPolicy {
        JoinPolicy(.interpolated { Second.interpolate($0, $1, $2) }, maxGap)
    }
}

/// Two readings that belong together.
@frozen
public struct Joined<First: SensorReading, Second: SensorReading>: Sendable {
    /// The first sensor's reading.
    public var first: First
    /// The second sensor's reading, or the values between two of them.
    public var second: Second
    /// How much later the second was measured than the first; negative when earlier.
    ///
    /// For interpolated values, the distance to the nearer of the two readings that they lie
    /// between.
    public var skew: Duration

    /// Makes a pair.
    @inlinable
    public init(first: First, second: Second, skew: Duration) {
        self.first = first
        self.second = second
        self.skew = skew
    }
}

extension Joined: Equatable where First: Equatable, Second: Equatable {}
