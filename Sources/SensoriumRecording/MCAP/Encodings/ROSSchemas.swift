import Sensorium

/// The ROS 2 messages that are written here, with those that they hold.
enum ROSSchemas {
    static let imu = MessageSchema(
        name: "sensor_msgs/msg/Imu", encoding: "ros2msg",
        text: text(
            """
            std_msgs/Header header
            geometry_msgs/Quaternion orientation
            float64[9] orientation_covariance
            geometry_msgs/Vector3 angular_velocity
            float64[9] angular_velocity_covariance
            geometry_msgs/Vector3 linear_acceleration
            float64[9] linear_acceleration_covariance
            """,
            [
                header, time, vector,
                ("geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w"),
            ]))

    static let magneticField = MessageSchema(
        name: "sensor_msgs/msg/MagneticField", encoding: "ros2msg",
        text: text(
            """
            std_msgs/Header header
            geometry_msgs/Vector3 magnetic_field
            float64[9] magnetic_field_covariance
            """, [header, time, vector]))

    private static let header = (
        "std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id"
    )
    private static let time = ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec")
    private static let vector = ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z")

    private static func text(_ message: String, _ parts: [(name: String, text: String)]) -> [UInt8]
    {
        let line = String(repeating: "=", count: 80)
        let rest = parts.map { "\(line)\nMSG: \($0.name)\n\($0.text)\n" }
        return Array((message + "\n" + rest.joined()).utf8)
    }
}

/// The JSON schemas of this package.
enum EventSchemas {
    /// Statuses, losses, and readings with all of their fields.
    static let event = MessageSchema(
        name: "sensorium.Event", encoding: "jsonschema",
        text: Array(
            """
            {"title":"sensorium.Event","type":"object","required":["event"],"properties":{\
            "event":{"enum":["reading","status","lost","opened","gap","ended"]},\
            "state":{"type":"string"},"reason":{"type":"string"},"hint":{"type":"string"},\
            "count":{"type":"integer"},"rate_Hz":{"type":"number"},"error":{"type":"string"},\
            "kind":{"type":"string"},"measured_ns":{"type":"integer"},"flags":{"type":"integer"}}}
            """.utf8))

    /// Readings of a kind that no other schema fits.
    static func reading(_ kind: SensorKind) -> MessageSchema {
        MessageSchema(
            name: "sensorium.\(kind.name.capitalizedFirst)", encoding: "jsonschema",
            text: Array(
                """
                {"title":"sensorium.\(kind.name.capitalizedFirst)","type":"object",\
                "required":["event","kind","measured_ns"],"properties":{\
                "event":{"const":"reading"},"kind":{"const":"\(kind.name)"},\
                "measured_ns":{"type":"integer"},"flags":{"type":"integer"}}}
                """.utf8))
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
