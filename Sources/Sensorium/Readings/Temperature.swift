/// Temperature at the sensor, which is often that of the board and not of the air.
///
/// ## Units
/// Degrees Celsius. Linux IIO gives thousandths of a degree.
@frozen
public struct Temperature: ScalarReading, Hashable {
    /// `.temperature`.
    @inlinable public static var kind: SensorKind { .temperature }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the value.
    public var flags: ReadingFlags
    /// Degrees Celsius.
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
