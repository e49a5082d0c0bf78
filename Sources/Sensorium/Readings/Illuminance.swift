/// Light that falls on the device.
///
/// ## Units
/// Lux; 100,000 lx in full sun, 300 lx in an office.
@frozen
public struct Illuminance: ScalarReading, Hashable {
    /// `.illuminance`.
    @inlinable public static var kind: SensorKind { .illuminance }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the value.
    public var flags: ReadingFlags
    /// Lux.
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
