/// What a sensor measures.
///
/// The raw values cross the plugin boundary and stand in recordings, so they never change.
public enum SensorKind: UInt32, Sendable, Hashable, CaseIterable {
    /// `LocationFix`.
    case location = 1
    /// `Satellites`.
    case satellites = 2
    /// `Heading`.
    case heading = 3
    /// `Attitude`.
    case attitude = 4
    /// `Acceleration`.
    case acceleration = 5
    /// `AngularVelocity`.
    case angularVelocity = 6
    /// `MagneticField`.
    case magneticField = 7
    /// `Pressure`.
    case pressure = 8
    /// `Temperature`.
    case temperature = 9
    /// `Humidity`.
    case humidity = 10
    /// `Illuminance`.
    case illuminance = 11
    /// `Proximity`.
    case proximity = 12
    /// `CameraFrame`.
    case camera = 13
    /// `TouchEvent`.
    case touch = 14
    /// `KeyEvent`.
    case key = 15

    /// The name that the command and its JSON lines use: `location`, `angular-velocity`.
    public var name: String {
        switch self {
        case .location: "location"
        case .satellites: "satellites"
        case .heading: "heading"
        case .attitude: "attitude"
        case .acceleration: "acceleration"
        case .angularVelocity: "angular-velocity"
        case .magneticField: "magnetic-field"
        case .pressure: "pressure"
        case .temperature: "temperature"
        case .humidity: "humidity"
        case .illuminance: "illuminance"
        case .proximity: "proximity"
        case .camera: "camera"
        case .touch: "touch"
        case .key: "key"
        }
    }

    /// The kind of that name; nil where there is none.
    public init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The symbol of the unit that its readings are in; empty where there is no single one.
    public var unit: String {
        switch self {
        case .acceleration: "m/s²"
        case .angularVelocity: "rad/s"
        case .magneticField: "T"
        case .pressure: "Pa"
        case .temperature: "°C"
        case .illuminance: "lx"
        case .proximity: "m"
        case .heading: "°"
        case .humidity, .location, .satellites, .attitude, .camera, .touch, .key: ""
        }
    }
}
