/// How fast the device turns, measured by a gyroscope.
///
/// ## Units
/// rad/s, positive counter-clockwise about each axis seen from its tip (right-hand rule).
///
/// ## Frame
/// The device frame: right-handed, x to the right, y up, z out of the screen. Source: Linux
/// `Documentation/ABI/testing/sysfs-bus-iio` (`in_anglvel_*`).
@frozen
public struct AngularVelocity: MotionReading, Hashable {
    /// `.angularVelocity`.
    @inlinable public static var kind: SensorKind { .angularVelocity }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// Along the device's x axis, to the right.
    public var x: Double
    /// Along the device's y axis, up.
    public var y: Double
    /// Along the device's z axis, out of the screen.
    public var z: Double
    /// How far each axis may be from the truth, in the same unit; nil where unknown.
    public var accuracy: Accuracy?

    /// Makes a reading.
    @inlinable
    public init(
        time: ReadingTime, x: Double, y: Double, z: Double, accuracy: Accuracy? = nil,
        flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.x = x
        self.y = y
        self.z = z
        self.accuracy = accuracy
    }
}
