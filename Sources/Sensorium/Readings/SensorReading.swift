/// One sensor's values with the time of their measurement.
public protocol SensorReading: Sendable {
    /// What is measured.
    static var kind: SensorKind { get }
    /// When it was measured.
    var time: ReadingTime { get set }
    /// What a consumer must know before it trusts the values.
    var flags: ReadingFlags { get set }
}

extension SensorReading {
    /// When it was measured, on boot time.
    @inlinable
    public var instant: SensorInstant { time.instant }

    /// Whether no device measured this: a simulation or a simulating receiver made it up.
    @inlinable
    public var isSimulated: Bool { flags.contains(.simulated) }
}

/// What a consumer must know before it trusts a reading's values.
///
/// The raw values cross the plugin boundary and stand in recordings, so they never change.
@frozen
public struct ReadingFlags: OptionSet, Sendable, Hashable {
    /// The bits.
    public var rawValue: UInt16

    /// Makes flags of `rawValue`.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No device measured this.
    public static let simulated = ReadingFlags(rawValue: 1 << 0)
    /// A value is at the end of the device's range and may be cut off.
    public static let saturated = ReadingFlags(rawValue: 1 << 1)
    /// The device tells no scale: the values are raw counts, not in the stated unit.
    public static let unscaled = ReadingFlags(rawValue: 1 << 2)
    /// The source does not yet trust its own time.
    public static let untrustedTime = ReadingFlags(rawValue: 1 << 3)
    /// Computed between two measurements.
    public static let interpolated = ReadingFlags(rawValue: 1 << 4)
}

/// A reading that has values between two others.
public protocol InterpolatableReading: SensorReading {
    /// The values `fraction` (0 to 1) of the way from `first` to `second`, or nil where there is
    /// nothing sensible between the two. The caller sets time and flags.
    static func interpolate(_ first: Self, _ second: Self, _ fraction: Double) -> Self?
}
