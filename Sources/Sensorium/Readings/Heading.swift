/// The way that the device points, which is not the way that it moves (`LocationFix.course`).
///
/// ## Units
/// Degrees clockwise from north, 0 to 360. Declination is positive where magnetic north lies east
/// of true north: true = magnetic + declination.
public struct Heading: SensorReading, Hashable {
    /// `.heading`.
    public static var kind: SensorKind { .heading }

    /// When it was measured.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// From true north.
    public var trueNorth: Double?
    /// From magnetic north.
    public var magneticNorth: Double?
    /// How far east of true north magnetic north lies.
    public var declination: Double?
    /// Of the heading, in degrees.
    public var accuracy: Accuracy?

    /// Makes a reading; nil where neither heading is known.
    public init?(
        time: ReadingTime, trueNorth: Double? = nil, magneticNorth: Double? = nil,
        declination: Double? = nil, accuracy: Accuracy? = nil, flags: ReadingFlags = []
    ) {
        if trueNorth == nil, magneticNorth == nil { return nil }
        self.time = time
        self.flags = flags
        self.trueNorth = trueNorth
        self.magneticNorth = magneticNorth
        self.declination = declination
        self.accuracy = accuracy
    }
}
