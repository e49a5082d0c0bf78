import Sensorium
import SensoriumRecording
import Testing

@Suite("MCAP messages, byte for byte", .timeLimit(.minutes(1)))
struct MCAPMessageBytesTests {
    /// A message of a file.
    private struct Message: Equatable {
        var topic: String
        var schema: String
        var payload: [UInt8]
    }

    private static let accuracy = Accuracy(0.5, .ninetyFivePercent)
    private static let flags: ReadingFlags = [.simulated, .interpolated]
    private static let time = ReadingTime(
        SensorInstant(nanoseconds: 3_000_000_007),
        original: ClockTime(nanoseconds: -9, domain: .tai), uncertainty: .milliseconds(250),
        source: .arrival)

    /// The messages that become of a reading, after it was read back.
    private static func messages(_ reading: RecordedReading) throws -> [Message] {
        let folder = try TemporaryFolder()
        let event = RecordedEvent(
            sensor: "s", instant: SensorInstant(nanoseconds: 4_000_000_000),
            content: .reading(reading))
        let recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "s", kind: reading.kind, name: "S"))],
            events: [event])
        let read = try folder.roundTrip(recording, as: "a.mcap")
        #expect(read.content == recording && read.damage.isEmpty)
        let file = try MCAPFileReader("\(folder.path)/a.mcap")
        var messages: [Message] = []
        while let message = try file.next() {
            let channel = try #require(file.channels[message.channel])
            #expect(message.logTime == 4_000_000_000 && message.publishTime == 3_000_000_007)
            messages.append(
                Message(
                    topic: channel.topic, schema: channel.schema?.name ?? "-",
                    payload: Array(message.payload)))
        }
        return messages
    }

    /// What a reading with all fields says of its time and its flags.
    ///
    /// - Parameter known: the bits of the reading's own fields, from 0 on.
    private static func numbers(known: UInt32) -> CDRBytes {
        var bytes = CDRBytes(isLittleEndian: true)
        bytes.padding = 0
        // The five fields of the time come first.
        bytes.add(0x1f | known << 5)
        bytes.add(Int64(3_000_000_007))
        bytes.add(Int64(-9))
        bytes.add(UInt8(3))
        bytes.add(Float(0.25).bitPattern)
        bytes.add(UInt8(1))
        bytes.add(UInt16(17))
        return bytes
    }

    private static func add(_ accuracy: Accuracy?, to bytes: inout CDRBytes) {
        bytes.add([accuracy?.value ?? .nan])
        bytes.add(accuracy?.confidence.rawValue ?? 0)
    }

    private static func json(_ kind: String, _ rest: String) -> [UInt8] {
        Array(
            """
            {"event":"reading","kind":"\(kind)","measured_ns":3000000007,"original_ns":-9,\
            "original_clock":"tai","uncertainty_s":0.25,"time_source":"arrival","flags":17,\(rest)}
            """.utf8)
    }

    @Test("a vector is a message of ROS 2, and one with all of its fields")
    func vectors() throws {
        let readings: [(RecordedReading, String, String)] = [
            (
                .acceleration(
                    Acceleration(
                        time: Self.time, x: 1.5, y: -2.5, z: 9.75, accuracy: Self.accuracy,
                        flags: Self.flags)), "sensor_msgs/msg/Imu", "sensorium/msg/Acceleration"
            ),
            (
                .angularVelocity(
                    AngularVelocity(
                        time: Self.time, x: 1.5, y: -2.5, z: 9.75, accuracy: Self.accuracy,
                        flags: Self.flags)), "sensor_msgs/msg/Imu", "sensorium/msg/AngularVelocity"
            ),
            (
                .magneticField(
                    MagneticField(
                        time: Self.time, x: 1.5, y: -2.5, z: 9.75, accuracy: Self.accuracy,
                        flags: Self.flags)), "sensor_msgs/msg/MagneticField",
                "sensorium/msg/MagneticField"
            ),
        ]
        let none = [Double](repeating: 0, count: 9)
        for (reading, ros, ours) in readings {
            var bytes = CDRBytes(isLittleEndian: true)
            bytes.padding = 0
            bytes.add(Int32(3))
            bytes.add(UInt32(7))
            bytes.add("s")
            let vector = [1.5, -2.5, 9.75]
            let unknown = [-1.0] + none.dropFirst()
            switch reading.kind {
            case .acceleration:
                bytes.add([0, 0, 0, 1] + unknown + [0, 0, 0] + unknown + vector + none)
            case .angularVelocity:
                bytes.add([0, 0, 0, 1] + unknown + vector + none + [0, 0, 0] + unknown)
            default: bytes.add(vector + none)
            }
            var numbers = Self.numbers(known: 1)
            numbers.add(vector)
            Self.add(Self.accuracy, to: &numbers)
            #expect(
                try Self.messages(reading) == [
                    Message(topic: "/s", schema: ros, payload: bytes.bytes),
                    Message(topic: "/s/details", schema: ours, payload: numbers.bytes),
                ])
        }
    }

    @Test("a scalar is one message with all of its fields")
    func scalars() throws {
        func scalar<Reading: ScalarReading>(_: Reading.Type) -> Reading {
            Reading(
                time: Self.time, value: 101_325.25, accuracy: Self.accuracy, flags: Self.flags)
        }
        let readings: [(RecordedReading, String)] = [
            (.pressure(scalar(Pressure.self)), "Pressure"),
            (.temperature(scalar(Temperature.self)), "Temperature"),
            (.humidity(scalar(Humidity.self)), "Humidity"),
            (.illuminance(scalar(Illuminance.self)), "Illuminance"),
            (.proximity(scalar(Proximity.self)), "Proximity"),
        ]
        for (reading, name) in readings {
            var numbers = Self.numbers(known: 1)
            numbers.add([101_325.25])
            Self.add(Self.accuracy, to: &numbers)
            #expect(
                try Self.messages(reading) == [
                    Message(topic: "/s", schema: "sensorium/msg/\(name)", payload: numbers.bytes)
                ])
        }
    }

    @Test("a fix is a message of Foxglove, and one with all of its fields")
    func location() throws {
        let fix = LocationFix(
            time: Self.time, latitude: 48.25, longitude: -11.5, altitudeMSL: 500,
            altitudeEllipsoid: nil, horizontalAccuracy: Self.accuracy, speed: 1.25, course: 270,
            courseAccuracy: Accuracy(2, .drms), fix: .twoDimensional, quality: .rtkFloat,
            satellitesUsed: 9, flags: Self.flags)
        var message = MessageBytes()
        message.add(1, 48.25)
        message.add(2, -11.5)
        message.add(3, Double.nan)
        message.add(6, seconds: 3, nanoseconds: 7)
        message.add(7, Array("s".utf8))
        // In the order of the fields, the first one in the lowest bit.
        var numbers = Self.numbers(known: 0b1_0110_1010_1)
        numbers.add([48.25, -11.5, 500, .nan])
        Self.add(Self.accuracy, to: &numbers)
        Self.add(nil, to: &numbers)
        numbers.add([1.25])
        Self.add(nil, to: &numbers)
        numbers.add([270])
        Self.add(Accuracy(2, .drms), to: &numbers)
        numbers.add([.nan])
        numbers.add(UInt8(2))
        numbers.add(UInt8(4))
        numbers.add(Int64(9))
        #expect(
            try Self.messages(.location(fix)) == [
                Message(topic: "/s", schema: "foxglove.LocationFix", payload: message.bytes),
                Message(
                    topic: "/s/details", schema: "sensorium/msg/Location", payload: numbers.bytes),
            ])
    }

    @Test("a heading and an attitude are one message each")
    func directions() throws {
        let heading = try #require(
            Heading(
                time: Self.time, magneticNorth: 9.25, accuracy: Self.accuracy, flags: Self.flags))
        var numbers = Self.numbers(known: 0b1010)
        numbers.add([.nan, 9.25, .nan])
        Self.add(Self.accuracy, to: &numbers)
        #expect(
            try Self.messages(.heading(heading)) == [
                Message(topic: "/s", schema: "sensorium/msg/Heading", payload: numbers.bytes)
            ])
        let attitude = try #require(
            Attitude(time: Self.time, w: 0, x: -1, y: 0, z: 0, flags: Self.flags))
        numbers = Self.numbers(known: 0)
        numbers.add([0, -1, 0, 0])
        Self.add(nil, to: &numbers)
        #expect(
            try Self.messages(.attitude(attitude)) == [
                Message(topic: "/s", schema: "sensorium/msg/Attitude", payload: numbers.bytes)
            ])
    }

    @Test("touches, keys and satellites are JSON")
    func texts() throws {
        let touch = TouchEvent(
            time: Self.time, phase: .moved, touch: 12, x: 0.25, y: 1, yMillimetres: 3.5,
            tool: .pen, endsFrame: false, flags: Self.flags)
        let key = KeyEvent(time: Self.time, code: 164, phase: .repeated, flags: Self.flags)
        let satellites = Satellites(
            time: Self.time,
            inView: [
                Satellite(system: .galileo, number: 24, elevation: -1.5, isUsed: true),
                Satellite(number: 300, signal: 33.5, isUsed: false, isHealthy: true),
            ], dilution: Satellites.Dilution(horizontal: 0.75), flags: Self.flags)
        let expected: [(RecordedReading, String, String)] = [
            (
                .touch(touch), "Touch",
                """
                "touch":12,"touch_phase":"moved","touch_x":0.25,"touch_y":1.0,"touch_y_mm":3.5,\
                "touch_tool":"pen","touch_ends_frame":0
                """
            ), (.key(key), "Key", #""key_code":164,"key_phase":"repeated""#),
            (
                .satellites(satellites), "Satellites",
                """
                "satellites":[{"satellite":1,"satellites_in_view":2,"hdop":0.75,\
                "satellite_system":"galileo","satellite_number":24,"elevation_deg":-1.5,"is_used":1},\
                {"satellite":2,"satellites_in_view":2,"hdop":0.75,"satellite_number":300,\
                "signal_dBHz":33.5,"is_used":0,"is_healthy":1}]
                """
            ),
        ]
        for (reading, name, rest) in expected {
            let bytes = Self.json(reading.kind.name, rest)
            #expect(
                try Self.messages(reading) == [
                    Message(topic: "/s", schema: "sensorium.\(name)", payload: bytes)
                ])
        }
    }

    @Test("a picture is a message of Foxglove with its bytes, and JSON with all else")
    func pictures() throws {
        func frame(_ format: PixelFormat, _ planes: [CameraFrame.Plane]) -> RecordedReading {
            .camera(
                CameraFrame(
                    time: Self.time, width: 2, height: 1, format: format, planes: planes,
                    storage: FrameStorage(copying: [9, 1, 2, 3, 4, 9]), sequence: 5,
                    timeReference: .startOfExposure, flags: Self.flags))
        }
        func details(_ fourcc: UInt32, stride: Int) -> [UInt8] {
            Self.json(
                "camera",
                """
                "width":2,"height":1,"fourcc":\(fourcc),"sequence":5,\
                "time_reference":\(CameraFrame.TimeReference.startOfExposure.rawValue),\
                "data_offset":1,"planes":[{"offset":1,"stride":\(stride),"length":4}]
                """)
        }
        var raw = MessageBytes()
        raw.add(1, seconds: 3, nanoseconds: 7)
        raw.add(2, fixed: 2)
        raw.add(3, fixed: 1)
        raw.add(4, Array("yuv422_yuy2".utf8))
        raw.add(5, fixed: 4)
        raw.add(6, [1, 2, 3, 4])
        raw.add(7, Array("s".utf8))
        #expect(
            try Self.messages(frame(.yuyv, [.init(offset: 1, stride: 4, length: 4)])) == [
                Message(topic: "/s", schema: "foxglove.RawImage", payload: raw.bytes),
                Message(
                    topic: "/s/events", schema: "sensorium.Event",
                    payload: details(PixelFormat.yuyv.fourcc, stride: 4)),
            ])
        var compressed = MessageBytes()
        compressed.add(1, seconds: 3, nanoseconds: 7)
        compressed.add(2, [1, 2, 3, 4])
        compressed.add(3, Array("jpeg".utf8))
        compressed.add(4, Array("s".utf8))
        #expect(
            try Self.messages(frame(.mjpeg, [.init(offset: 1, stride: 0, length: 4)])) == [
                Message(
                    topic: "/s/compressed", schema: "foxglove.CompressedImage",
                    payload: compressed.bytes),
                Message(
                    topic: "/s/events", schema: "sensorium.Event",
                    payload: details(PixelFormat.mjpeg.fourcc, stride: 0)),
            ])
    }
}
