/// Air pressure at the device.
///
/// ## Units
/// Pascal; 101,325 Pa at sea level in the standard atmosphere. Linux IIO gives kilopascal.
@frozen
public struct Pressure: ScalarReading, Hashable {
    /// `.pressure`.
    @inlinable public static var kind: SensorKind { .pressure }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the value.
    public var flags: ReadingFlags
    /// Pascal.
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
