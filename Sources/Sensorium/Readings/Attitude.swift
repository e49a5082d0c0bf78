/// How the device is turned relative to the world.
///
/// ## Frame
/// A unit quaternion that turns the device frame (x right, y up, z out of the screen) into the
/// world frame ENU (x east, y north, z up).
public struct Attitude: SensorReading, Hashable {
    /// `.attitude`.
    public static var kind: SensorKind { .attitude }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// The quaternion's scalar part.
    public var w: Double
    /// The quaternion's x part.
    public var x: Double
    /// The quaternion's y part.
    public var y: Double
    /// The quaternion's z part.
    public var z: Double
    /// Of each angle, in radians.
    public var accuracy: Accuracy?

    /// Makes a reading; the quaternion is brought to length 1.
    ///
    /// Nil where its length is 0 or not a number.
    public init?(
        time: ReadingTime, w: Double, x: Double, y: Double, z: Double, accuracy: Accuracy? = nil,
        flags: ReadingFlags = []
    ) {
        let length = (w * w + x * x + y * y + z * z).squareRoot()
        guard length > 0, length.isFinite else { return nil }
        self.time = time
        self.flags = flags
        self.w = w / length
        self.x = x / length
        self.y = y / length
        self.z = z / length
        self.accuracy = accuracy
    }
}
