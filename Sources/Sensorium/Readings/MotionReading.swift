/// A reading of three axes in the device frame: acceleration, angular velocity, magnetic field.
public protocol MotionReading: InterpolatableReading {
    /// Along the device's x axis, to the right.
    var x: Double { get set }
    /// Along the device's y axis, up.
    var y: Double { get set }
    /// Along the device's z axis, out of the screen.
    var z: Double { get set }
    /// How far each axis may be from the truth, in the same unit; nil where unknown.
    var accuracy: Accuracy? { get set }
    /// Makes a reading.
    init(
        time: ReadingTime, x: Double, y: Double, z: Double, accuracy: Accuracy?,
        flags: ReadingFlags)
}

extension MotionReading {
    /// The length of the vector, in the reading's unit.
    @inlinable
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }

    /// Each axis on the straight line between two readings; flags of both.
    public static func interpolate(_ first: Self, _ second: Self, _ fraction: Double) -> Self? {
        var between = first
        between.x += (second.x - first.x) * fraction
        between.y += (second.y - first.y) * fraction
        between.z += (second.z - first.z) * fraction
        between.flags.formUnion(second.flags)
        return between
    }
}
