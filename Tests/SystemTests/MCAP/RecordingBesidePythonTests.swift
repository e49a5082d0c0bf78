import Sensorium
import SensoriumRecording
import Testing

@Suite(
    "MCAP recordings beside Python's decoders", .timeLimit(.minutes(1)),
    .enabled(
        if: PythonMCAP.isInstalled,
        "Python's packages are missing: run make test with a network, or scripts/python"))
struct RecordingBesidePythonTests {
    @Test("Python's decoders of protobuf, ROS 2 and JSON find the values that were written")
    func values() throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/walk.mcap"
        let time = ReadingTime(SensorInstant(nanoseconds: 12_000_000_345))
        let readings: [(SensorID, RecordedReading)] = [
            (
                "gps",
                .location(
                    LocationFix(
                        time: time, latitude: 48.25, longitude: -11.5, altitudeMSL: 500,
                        altitudeEllipsoid: 547.5, horizontalAccuracy: Accuracy(2, .drms),
                        verticalAccuracy: Accuracy(3, .drms)))
            ), ("accel", .acceleration(Acceleration(time: time, x: 0.5, y: -1.25, z: 9.75))),
            ("gyro", .angularVelocity(AngularVelocity(time: time, x: 4, y: 5, z: -6.5))),
            ("mag", .magneticField(MagneticField(time: time, x: 0.25, y: 0.125, z: -0.5))),
            ("air", .pressure(Pressure(time: time, value: 101_325.25))),
            ("warm", .temperature(Temperature(time: time, value: -40.5))),
            ("damp", .humidity(Humidity(time: time, value: 0.25, accuracy: Accuracy(1, .drms)))),
            ("light", .illuminance(Illuminance(time: time, value: 12.5, flags: .simulated))),
            ("near", .proximity(Proximity(time: time, value: 0.125))),
            ("turn", .attitude(try #require(Attitude(time: time, w: 0, x: 0, y: -2, z: 0)))),
            ("needle", .heading(try #require(Heading(time: time, trueNorth: 90.5)))),
            (
                "live",
                .acceleration(
                    Acceleration(
                        time: ReadingTime(
                            time.instant, original: ClockTime(nanoseconds: 77, domain: .tai)),
                        x: 0.25, y: 0, z: 1, flags: .saturated))
            ),
            ("cam", .camera(Self.frame(time, .grey, stride: 3))),
            ("cam", .camera(Self.frame(time, .mjpeg, stride: 0))),
        ]
        var recording = MemoryRecording(sensors: [])
        for (id, reading) in readings {
            if !recording.sensors.contains(where: { $0.id == id }) {
                recording.sensors.append(
                    RecordedSensor(SensorDescriptor(id: id, kind: reading.kind, name: "S")))
            }
            recording.events.append(
                RecordedEvent(
                    sensor: id, instant: SensorInstant(nanoseconds: 13_000_000_000),
                    content: .reading(reading)))
        }
        recording.events.append(
            RecordedEvent(
                sensor: "gps", instant: SensorInstant(nanoseconds: 14_000_000_000),
                content: .status(SensorStatus(.searching, reason: "no \"sky\""))))
        guard let create = RecordingFormat.mcap.create else { return }
        try recording.write(to: create(path, recording.metadata))
        let lines = try PythonMCAP.lines("decode", path)
        func line(_ topic: String, _ schema: String) throws -> String {
            try #require(lines.first { $0.hasPrefix("\(topic)\t\(schema)\t") }, "\(lines)")
        }
        let stamp = #""timestamp": {"seconds": 12, "nanos": 345}"#
        let ros = #""stamp": {"sec": 12, "nanosec": 345}"#
        let expected: [(String, String, [String])] = [
            (
                "/gps", "foxglove.LocationFix",
                [
                    #""latitude": 48.25, "longitude": -11.5, "altitude": 547.5"#, stamp,
                    "[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 9.0]",
                    #""position_covariance_type": 1"#, #""frame_id": "gps""#,
                ]
            ),
            (
                "/accel", "sensor_msgs/msg/Imu",
                [
                    #""linear_acceleration": {"x": 0.5, "y": -1.25, "z": 9.75}"#, ros,
                    #""orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}"#,
                    #""angular_velocity_covariance": [-1.0, 0.0"#, #""frame_id": "accel""#,
                ]
            ),
            (
                "/gyro", "sensor_msgs/msg/Imu",
                [
                    #""angular_velocity": {"x": 4.0, "y": 5.0, "z": -6.5}"#, ros,
                    #""linear_acceleration_covariance": [-1.0, 0.0"#,
                ]
            ),
            (
                "/mag", "sensor_msgs/msg/MagneticField",
                [#""magnetic_field": {"x": 0.25, "y": 0.125, "z": -0.5}"#, ros]
            ),
            (
                "/air", "sensorium/msg/Pressure",
                [#""pressure_pa": 101325.25"#, #""measured_ns": 12000000345"#, #""accuracy": NaN"#]
            ), ("/warm", "sensorium/msg/Temperature", [#""temperature_degc": -40.5"#]),
            (
                "/damp", "sensorium/msg/Humidity",
                [#""humidity": 0.25, "accuracy": 1.0, "accuracy_confidence": 3"#]
            ),
            (
                "/light", "sensorium/msg/Illuminance",
                [#""flags": 1, "illuminance_lx": 12.5"#, #""uncertainty_s": NaN"#]
            ), ("/near", "sensorium/msg/Proximity", [#""proximity_m": 0.125"#]),
            (
                "/turn", "sensorium/msg/Attitude",
                [#""attitude_w": 0.0, "attitude_x": 0.0, "attitude_y": -1.0, "attitude_z": 0.0"#]
            ),
            (
                "/needle", "sensorium/msg/Heading",
                [#""heading_true_deg": 90.5, "heading_magnetic_deg": NaN"#]
            ), ("/live", "sensor_msgs/msg/Imu", [#""x": 0.25, "y": 0.0, "z": 1.0"#, ros]),
            (
                "/live/details", "sensorium/msg/Acceleration",
                [
                    #""measured_ns": 12000000345, "original_ns": 77, "original_clock": 3"#,
                    #""flags": 2, "acceleration_x_m_s2": 0.25"#,
                ]
            ),
            (
                "/cam", "foxglove.RawImage",
                [
                    #""width": 3, "height": 2, "encoding": "mono8", "step": 3"#, stamp,
                    #""data": "010203040506""#,
                ]
            ),
            (
                "/cam/compressed", "foxglove.CompressedImage",
                [#""data": "010203040506", "format": "jpeg""#, stamp]
            ),
            (
                "/gps/details", "sensorium/msg/Location",
                [
                    #""altitude_msl_m": 500.0, "altitude_ellipsoid_m": 547.5"#,
                    #""horizontal_accuracy_m": 2.0, "horizontal_accuracy_confidence": 3"#,
                    #""climb_m_s": NaN, "fix": 3, "quality": 0, "satellites_used": 0"#,
                ]
            ),
        ]
        for (topic, schema, parts) in expected {
            let line = try line(topic, schema)
            for part in parts { #expect(line.contains(part), "\(line)") }
        }
        #expect(
            lines.last?.contains(#""state": "searching", "reason": "no \"sky\"""#) == true,
            "\(lines)")
        // A fix, a picture and a vector with anything odd are two messages, all others one.
        #expect(lines.count == 2 + 3 + 7 + 4 + 2 + 1)
    }

    private static func frame(
        _ time: ReadingTime, _ format: PixelFormat, stride: Int
    ) -> CameraFrame {
        CameraFrame(
            time: time, width: 3, height: 2, format: format,
            planes: [.init(offset: 0, stride: stride, length: 6)],
            storage: FrameStorage(copying: [1, 2, 3, 4, 5, 6, 99, 99]))
    }
}
