/// A reading of one number: pressure, temperature, humidity, illuminance, proximity.
public protocol ScalarReading: InterpolatableReading {
    /// The measured value, in the unit that the type states.
    var value: Double { get set }
    /// How far the value may be from the truth, in the same unit; nil where unknown.
    var accuracy: Accuracy? { get set }
    /// Makes a reading.
    init(time: ReadingTime, value: Double, accuracy: Accuracy?, flags: ReadingFlags)
}

extension ScalarReading {
    /// The value on the straight line between two readings; flags of both.
    public static func interpolate(_ first: Self, _ second: Self, _ fraction: Double) -> Self? {
        var between = first
        between.value += (second.value - first.value) * fraction
        between.flags.formUnion(second.flags)
        return between
    }
}
