/// A position on the Earth, and what the receiver said with it.
///
/// What the receiver did not give is nil, never 0 or NaN. A fix always has a position: "no fix" is
/// a status, not a reading.
///
/// ## Units
/// Latitude, longitude and course in degrees; everything else in SI units.
///
/// ## Frame
/// WGS 84. Altitude is two quantities: above the ellipsoid, and above mean sea level (the geoid);
/// they differ by -107 m to +86 m and are never mixed.
public struct LocationFix: SensorReading, Hashable {
    /// `.location`.
    public static var kind: SensorKind { .location }

    /// When it was measured.
    ///
    /// `time.original` is UTC where the receiver gave it.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// Degrees, -90 to 90, north positive.
    public var latitude: Double
    /// Degrees, -180 to 180, east positive.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Metres above the WGS 84 ellipsoid.
    public var altitudeEllipsoid: Double?
    /// The radius around the position, in metres.
    public var horizontalAccuracy: Accuracy?
    /// The half-width around the altitude, in metres.
    public var verticalAccuracy: Accuracy?
    /// Speed over ground in m/s.
    public var speed: Double?
    /// Of `speed`, in m/s.
    public var speedAccuracy: Accuracy?
    /// Course over ground in degrees clockwise from true north, 0 to 360: the way it moves, not
    /// the way it points.
    public var course: Double?
    /// Of `course`, in degrees.
    public var courseAccuracy: Accuracy?
    /// Vertical speed in m/s, up positive.
    public var climb: Double?
    /// How many dimensions the receiver solved for.
    public var fix: FixKind
    /// How the position was got.
    public var quality: FixQuality
    /// How many satellites the solution used.
    public var satellitesUsed: Int?

    /// Makes a fix; all but the position may be unknown.
    public init(
        time: ReadingTime, latitude: Double, longitude: Double, altitudeMSL: Double? = nil,
        altitudeEllipsoid: Double? = nil, horizontalAccuracy: Accuracy? = nil,
        verticalAccuracy: Accuracy? = nil, speed: Double? = nil, speedAccuracy: Accuracy? = nil,
        course: Double? = nil, courseAccuracy: Accuracy? = nil, climb: Double? = nil,
        fix: FixKind = .threeDimensional, quality: FixQuality = .unknown,
        satellitesUsed: Int? = nil, flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.latitude = latitude
        self.longitude = longitude
        self.altitudeMSL = altitudeMSL
        self.altitudeEllipsoid = altitudeEllipsoid
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.climb = climb
        self.fix = fix
        self.quality = quality
        self.satellitesUsed = satellitesUsed
    }
}

/// How many dimensions a receiver solved for.
public enum FixKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Latitude and longitude; any altitude is assumed, not measured.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3

    /// `2D` or `3D`.
    public var description: String { self == .twoDimensional ? "2D" : "3D" }
}

/// How a position was got.
///
/// It says nothing about validity: a fix is valid, or is not delivered.
///
/// Sources: NMEA 0183 GGA field 6, gpsd's `status`.
public enum FixQuality: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The receiver does not say, or says "normal".
    case unknown = 0
    /// Satellites alone.
    case autonomous = 1
    /// With differential corrections (DGPS, SBAS).
    case differential = 2
    /// Real-time kinematic, ambiguities fixed: centimetres.
    case rtkFixed = 3
    /// Real-time kinematic, ambiguities not fixed: decimetres.
    case rtkFloat = 4
    /// Dead reckoning, without satellites.
    case deadReckoning = 5
    /// Satellites and dead reckoning together.
    case combined = 6
    /// A surveyed, fixed position; only the time is measured.
    case surveyed = 7
    /// Made up by a simulator.
    case simulated = 8
    /// The encrypted P(Y) signal.
    case precise = 9
    /// Typed in by hand.
    case manual = 10

    /// The name that JSON lines use: `rtk-fixed`, `differential`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .autonomous: "autonomous"
        case .differential: "differential"
        case .rtkFixed: "rtk-fixed"
        case .rtkFloat: "rtk-float"
        case .deadReckoning: "dead-reckoning"
        case .combined: "combined"
        case .surveyed: "surveyed"
        case .simulated: "simulated"
        case .precise: "precise"
        case .manual: "manual"
        }
    }
}
