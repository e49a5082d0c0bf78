import Sensorium
import SensoriumRecording

/// A reading that the command can print.
protocol PrintableReading: RecordableReading {
    /// Its values as members of a JSON object; what is unknown is left out.
    func writeValues(to json: inout JSONWriter)
    /// Its numbers, for lines and the table.
    var fields: [ReadingField] { get }
    /// What else there is to say, in a word each.
    var notes: [String] { get }
    /// The policy of a join that looks this reading up.
    ///
    /// - Returns: nil where there is nothing between two readings of this type.
    static func policy(_ rule: MatchRule, limit: Duration) -> JoinPolicy<Self>?
}

extension PrintableReading {
    var notes: [String] { [] }

    static func policy(_ rule: MatchRule, limit: Duration) -> JoinPolicy<Self>? {
        switch rule {
        case .nearest: .nearest(within: limit)
        case .latest: .latest(maxAge: limit)
        case .interpolated: nil
        }
    }
}

extension PrintableReading where Self: InterpolatableReading {
    static func policy(_ rule: MatchRule, limit: Duration) -> JoinPolicy<Self>? {
        switch rule {
        case .nearest: .nearest(within: limit)
        case .latest: .latest(maxAge: limit)
        case .interpolated: .interpolated(maxGap: limit)
        }
    }
}

/// How `join` chooses the second reading.
enum MatchRule: String, CaseIterable, Sendable {
    case nearest
    case latest
    case interpolated
}

/// One number of a reading, as people read it.
struct ReadingField: Hashable, Sendable {
    /// `altitude`.
    var name: String
    /// In `unit`.
    var value: Double
    /// How many decimals say all that is worth saying.
    var decimals: Int
    /// Its symbol; empty for none.
    var unit: String

    init(_ name: String, _ value: Double, _ decimals: Int, _ unit: String = "") {
        self.name = name
        self.value = value
        self.decimals = decimals
        self.unit = unit
    }

    init?(_ name: String, _ value: Double?, _ decimals: Int, _ unit: String = "") {
        guard let value else { return nil }
        self.init(name, value, decimals, unit)
    }

    /// `9.807`.
    var number: String { value.fixed(decimals) }

    /// `z 9.807 m/s²`.
    var text: String {
        let gap = unit.isEmpty || unit == "°" ? "" : " "
        return "\(name) \(number)\(gap)\(unit)"
    }
}

extension SensorKind {
    /// The type of its readings.
    var readingType: any PrintableReading.Type {
        switch self {
        case .location: LocationFix.self
        case .satellites: Satellites.self
        case .heading: Heading.self
        case .attitude: Attitude.self
        case .acceleration: Acceleration.self
        case .angularVelocity: AngularVelocity.self
        case .magneticField: MagneticField.self
        case .pressure: Pressure.self
        case .temperature: Temperature.self
        case .humidity: Humidity.self
        case .illuminance: Illuminance.self
        case .proximity: Proximity.self
        case .camera: CameraFrame.self
        case .touch: TouchEvent.self
        case .key: KeyEvent.self
        }
    }

    /// Its name in the singular, for sentences: `angular velocity`.
    var words: String {
        String(name.map { $0 == "-" ? " " : $0 })
    }
}
