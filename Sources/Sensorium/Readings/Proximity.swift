/// How far the nearest thing before the device is.
///
/// ## Units
/// Metres, where the device says so. Many proximity sensors give a number without a unit that
/// grows as things come near: such readings carry `ReadingFlags.unscaled`.
@frozen
public struct Proximity: ScalarReading, Hashable {
    /// `.proximity`.
    @inlinable public static var kind: SensorKind { .proximity }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the value.
    public var flags: ReadingFlags
    /// Metres, or a plain number where `flags` has `.unscaled`.
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
