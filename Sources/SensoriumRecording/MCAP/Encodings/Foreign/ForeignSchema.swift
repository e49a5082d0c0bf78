import Sensorium

/// Messages of other programs that are read here.
enum ForeignSchema: String, CaseIterable {
    case locationFix = "foxglove.LocationFix"
    case rawImage = "foxglove.RawImage"
    case compressedImage = "foxglove.CompressedImage"
    case imu = "sensor_msgs/msg/Imu"
    case magneticField = "sensor_msgs/msg/MagneticField"
    case navSatFix = "sensor_msgs/msg/NavSatFix"
    case fluidPressure = "sensor_msgs/msg/FluidPressure"
    case temperature = "sensor_msgs/msg/Temperature"
    case relativeHumidity = "sensor_msgs/msg/RelativeHumidity"
    case illuminance = "sensor_msgs/msg/Illuminance"
    case rosImage = "sensor_msgs/msg/Image"
    case rosCompressedImage = "sensor_msgs/msg/CompressedImage"

    /// The schema of a channel; nil where it is none of these, or is encoded in another way.
    init?(_ channel: MessageChannel) {
        guard let schema = channel.schema, let known = ForeignSchema(rawValue: schema.name) else {
            return nil
        }
        let isProtobuf = known.rawValue.hasPrefix("foxglove.")
        guard channel.encoding == (isProtobuf ? "protobuf" : "cdr") else { return nil }
        self = known
    }

    /// What its messages measure.
    var kinds: [SensorKind] {
        switch self {
        case .locationFix, .navSatFix: [.location]
        case .rawImage, .compressedImage, .rosImage, .rosCompressedImage: [.camera]
        case .imu: [.acceleration, .angularVelocity, .attitude]
        case .magneticField: [.magneticField]
        case .fluidPressure: [.pressure]
        case .temperature: [.temperature]
        case .relativeHumidity: [.humidity]
        case .illuminance: [.illuminance]
        }
    }

    /// Whether each message is one reading: a receiver may have no fix, and a motion unit measures
    /// several things.
    var hasOneReading: Bool { self != .imu && self != .navSatFix }

    /// The sensors of a topic: `/imu/data` has `imu/data/acceleration` and two more, `/fix` has `fix`.
    ///
    /// - Parameter suffix: tells two channels of one topic apart.
    func sensors(of topic: String, suffix: String) -> [RecordedSensor] {
        let trimmed = topic.hasPrefix("/") ? String(topic.dropFirst()) : topic
        let base = (trimmed.isEmpty ? "topic" : trimmed) + suffix
        return kinds.map { kind in
            RecordedSensor(
                SensorDescriptor(
                    id: SensorID(kinds.count == 1 ? base : "\(base)/\(kind.name)"), kind: kind,
                    name: "\(rawValue) of \(topic)"))
        }
    }
}
