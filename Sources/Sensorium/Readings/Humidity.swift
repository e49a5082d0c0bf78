/// Relative humidity of the air.
///
/// ## Units
/// A fraction, 0 (dry) to 1 (saturated). Linux IIO gives thousandths of a percent.
@frozen
public struct Humidity: ScalarReading, Hashable {
    /// `.humidity`.
    @inlinable public static var kind: SensorKind { .humidity }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the value.
    public var flags: ReadingFlags
    /// A fraction, 0 to 1.
    public var value: Double
    /// How far the value may be from the truth, in the same unit; nil where unknown.
    public var accuracy: Accuracy?

    /// Makes a reading.
    @inlinable
    public init(
        time: ReadingTime, value: Double, accuracy: Accuracy? = nil, flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.value = value
        self.accuracy = accuracy
    }
}
