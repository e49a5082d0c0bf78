import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("MCAP messages of other programs", .timeLimit(.minutes(1)))
struct ForeignMessageTests {
    /// When all messages here are logged: in 2023.
    private static let logged = SensorInstant(nanoseconds: 1_700_000_000_500_000_000)
    /// The stamp of most: 0.3 s before.
    private static let stamped: Int64 = 1_700_000_000_200_000_000
    private static let time = ReadingTime(
        SensorInstant(nanoseconds: stamped),
        original: ClockTime(nanoseconds: stamped, domain: .realtime))

    private static func channel(_ topic: String, _ schema: String) -> MessageChannel {
        let isProtobuf = schema.hasPrefix("foxglove.")
        return MessageChannel(
            topic: topic, encoding: isProtobuf ? "protobuf" : "cdr",
            schema: MessageSchema(
                name: schema, encoding: isProtobuf ? "protobuf" : "ros2msg", text: []))
    }

    private static func decoder(_ schema: String) throws -> any EventDecoder {
        try #require(EventEncoding.decoders(for: [(7, channel("/a/b", schema))]).first).decoder
    }

    private static func decode(
        _ decoder: any EventDecoder, _ bytes: [UInt8], at time: SensorInstant = logged
    ) -> [RecordedEvent] {
        bytes.withUnsafeBytes { decoder.decode(channel: 0, time: time, payload: $0) }
    }

    private static func readings(
        _ schema: String, _ bytes: [UInt8], at time: SensorInstant = logged
    ) throws -> [RecordedReading] {
        let decoder = try decoder(schema)
        return decode(decoder, bytes, at: time).compactMap(\.reading)
    }

    // MARK: Messages

    static func locationFix(seconds: UInt64 = 1_700_000_000, packed: Bool = true) -> [UInt8] {
        var message = MessageBytes()
        message.add(6, seconds: seconds, nanoseconds: 200_000_000)
        message.add(7, Array("gps".utf8))
        message.add(1, 48.25)
        message.add(2, -11.5)
        message.add(3, 547.5)
        let covariance = [2.0, 0, 0, 0, 2, 0, 0, 0, 9]
        if packed {
            message.add(4, packed: covariance)
        } else {
            for value in covariance { message.add(4, value) }
        }
        message.add(5, varint: 2)
        message.add(99, Array("unknown fields are passed over".utf8))
        return message.bytes
    }

    static func imu(
        isLittleEndian: Bool = true, turn: [Double] = [0, 0, 0, 2], ofTurn: Double = 0,
        ofRate: Double = 0.25, ofForce: Double = 0
    ) -> [UInt8] {
        var message = MessageBytes.cdr(
            seconds: 1_700_000_000, nanoseconds: 200_000_000, isLittleEndian: isLittleEndian)
        func diagonal(_ value: Double) -> [Double] {
            [value, 0, 0, 0, value == -1 ? 0 : value, 0, 0, 0, 0]
        }
        message.add(turn + diagonal(ofTurn))
        message.add([0.5, -1.5, 2.5] + diagonal(ofRate))
        message.add([1, 2, 9.75] + diagonal(ofForce))
        return message.bytes
    }

    static func navSatFix(status: Int8 = 2, altitude: Double = .nan) -> [UInt8] {
        var message = MessageBytes.cdr(seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add(status)
        message.add(UInt16(1))
        message.add([48.25, -11.5, altitude, 1, 0, 0, 0, 1, 0, 0, 0, 4])
        message.add(UInt8(0))
        return message.bytes
    }

    static func magneticField() -> [UInt8] {
        var message = MessageBytes.cdr(seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add([1e-5, -2e-5, 4e-5] + [4e-12, 0, 0, 0, 1e-12, 0, 0, 0, 1e-12])
        return message.bytes
    }

    static func rawImage(_ encoding: String, step: UInt32, count: Int) -> [UInt8] {
        var message = MessageBytes()
        message.add(1, seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add(2, fixed: 3)
        message.add(3, fixed: 3)
        message.add(4, Array(encoding.utf8))
        message.add(5, fixed: step)
        message.add(6, (0..<count).map { UInt8($0) })
        return message.bytes
    }

    /// The markers of a JPEG picture of 6 times 4 pixels.
    static let jpeg: [UInt8] = [
        0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc0, 0, 11, 8, 0, 4, 0, 6, 1, 1, 0x11, 0,
        0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0xff, 0xd9,
    ]

    static func compressedImage(_ format: String) -> [UInt8] {
        var message = MessageBytes()
        message.add(1, seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add(2, jpeg)
        message.add(3, Array(format.utf8))
        return message.bytes
    }

    static func rosImage() -> [UInt8] {
        var message = MessageBytes.cdr(seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add(UInt32(2))
        message.add(UInt32(3))
        message.add("mono8")
        message.add(UInt8(0))
        message.add(UInt32(4))
        message.add(block: [1, 2, 3, 0, 4, 5, 6, 0])
        return message.bytes
    }

    static func rosCompressedImage() -> [UInt8] {
        var message = MessageBytes.cdr(seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add("rgb8; jpeg compressed bgr8")
        message.add(block: jpeg)
        return message.bytes
    }

    static func scalar(_ value: Double, variance: Double) -> [UInt8] {
        var message = MessageBytes.cdr(seconds: 1_700_000_000, nanoseconds: 200_000_000)
        message.add([value, variance])
        return message.bytes
    }

    /// One message of each schema.
    static let messages: [(String, [UInt8])] = [
        ("foxglove.LocationFix", locationFix()),
        ("foxglove.RawImage", rawImage("nv12", step: 4, count: 20)),
        ("foxglove.CompressedImage", compressedImage("jpeg")), ("sensor_msgs/msg/Imu", imu()),
        ("sensor_msgs/msg/MagneticField", magneticField()),
        ("sensor_msgs/msg/NavSatFix", navSatFix()),
        ("sensor_msgs/msg/FluidPressure", scalar(101_325, variance: 4)),
        ("sensor_msgs/msg/Temperature", scalar(21.5, variance: 0)),
        ("sensor_msgs/msg/RelativeHumidity", scalar(0.5, variance: 0)),
        ("sensor_msgs/msg/Illuminance", scalar(300, variance: 0)),
        ("sensor_msgs/msg/Image", rosImage()),
        ("sensor_msgs/msg/CompressedImage", rosCompressedImage()),
    ]

    // MARK: Tests

    @Test("a LocationFix is a location, its covariance an accuracy", arguments: [true, false])
    func location(packed: Bool) throws {
        let readings = try Self.readings(
            "foxglove.LocationFix", Self.locationFix(packed: packed))
        #expect(
            readings == [
                .location(
                    LocationFix(
                        time: Self.time, latitude: 48.25, longitude: -11.5,
                        altitudeEllipsoid: 547.5, horizontalAccuracy: Accuracy(2, .drms),
                        verticalAccuracy: Accuracy(3, .drms)))
            ])
    }

    @Test("a LocationFix without an altitude is of two dimensions, one without a position is none")
    func bareLocation() throws {
        var message = MessageBytes()
        message.add(1, 1)
        let time = ReadingTime(Self.logged, source: .arrival)
        #expect(
            try Self.readings("foxglove.LocationFix", message.bytes) == [
                .location(LocationFix(time: time, latitude: 1, longitude: 0, fix: .twoDimensional))
            ])
        let decoder = try Self.decoder("foxglove.LocationFix")
        #expect(Self.decode(decoder, []).isEmpty && decoder.faults == 1)
        message.add(1, 91)
        #expect(Self.decode(decoder, message.bytes).isEmpty && decoder.faults == 2)
    }

    @Test("a stamp of another clock is kept beside the time of logging")
    func otherClocks() throws {
        func time(_ seconds: UInt64, at logged: SensorInstant) throws -> ReadingTime? {
            try Self.readings(
                "foxglove.LocationFix", Self.locationFix(seconds: seconds), at: logged
            ).first?.time
        }
        #expect(
            try time(1_600_000_000, at: Self.logged)
                == ReadingTime(
                    Self.logged,
                    original: ClockTime(nanoseconds: 1_600_000_000_200_000_000, domain: .realtime),
                    source: .arrival))
        #expect(
            try time(12, at: Self.logged)
                == ReadingTime(
                    Self.logged,
                    original: ClockTime(nanoseconds: 12_200_000_000, domain: .foreign),
                    source: .arrival))
        // Both on a clock that counts from a start.
        #expect(
            try time(12, at: SensorInstant(nanoseconds: 13_000_000_000))
                == ReadingTime(SensorInstant(nanoseconds: 12_200_000_000)))
        // No number of seconds is too large.
        #expect(try time(.max >> 1, at: Self.logged) == ReadingTime(Self.logged, source: .arrival))
    }

    @Test("an Imu is up to three readings of three sensors", arguments: [true, false])
    func imu(isLittleEndian: Bool) throws {
        let decoder = try Self.decoder("sensor_msgs/msg/Imu")
        #expect(
            decoder.sensors.map(\.id) == [
                "a/b/acceleration", "a/b/angular-velocity", "a/b/attitude",
            ])
        let events = Self.decode(decoder, Self.imu(isLittleEndian: isLittleEndian))
        #expect(events.map(\.sensor) == decoder.sensors.map(\.id))
        #expect(events.allSatisfy { $0.instant == Self.logged })
        let attitude = try #require(Attitude(time: Self.time, w: 1, x: 0, y: 0, z: 0))
        #expect(
            events.map(\.reading) == [
                .acceleration(Acceleration(time: Self.time, x: 1, y: 2, z: 9.75)),
                .angularVelocity(
                    AngularVelocity(
                        time: Self.time, x: 0.5, y: -1.5, z: 2.5, accuracy: Accuracy(0.5, .drms))),
                .attitude(attitude),
            ])
    }

    @Test("what an Imu did not measure is no reading")
    func partsOfAnImu() throws {
        func kinds(_ bytes: [UInt8]) throws -> [SensorKind] {
            try Self.readings("sensor_msgs/msg/Imu", bytes).map(\.kind)
        }
        #expect(try kinds(Self.imu(ofTurn: -1)) == [.acceleration, .angularVelocity])
        #expect(try kinds(Self.imu(ofRate: -1)) == [.acceleration, .attitude])
        #expect(try kinds(Self.imu(ofForce: -1)) == [.angularVelocity, .attitude])
        #expect(try kinds(Self.imu(turn: [0, 0, 0, 0])) == [.acceleration, .angularVelocity])
        #expect(try kinds(Self.imu(ofTurn: -1, ofRate: -1, ofForce: -1)) == [])
    }

    @Test("a NavSatFix without a fix is a status")
    func navSatFix() throws {
        let decoder = try Self.decoder("sensor_msgs/msg/NavSatFix")
        let fix = LocationFix(
            time: Self.time, latitude: 48.25, longitude: -11.5, fix: .twoDimensional,
            quality: .differential)
        #expect(Self.decode(decoder, Self.navSatFix()).map(\.reading) == [.location(fix)])
        let searching = Self.decode(decoder, Self.navSatFix(status: -1))
        #expect(
            searching.map(\.content) == [
                .status(SensorStatus(.searching, reason: "the receiver has no fix"))
            ])
        #expect(Self.decode(decoder, Self.navSatFix(status: -1)).isEmpty)
        let found = Self.decode(decoder, Self.navSatFix(status: 0, altitude: 500))
        #expect(found.count == 2 && found.first?.content == .status(SensorStatus(.running)))
        guard case .location(let last)? = found.last?.reading else {
            throw TestFault("no location")
        }
        #expect(last.altitudeEllipsoid == 500 && last.quality == .autonomous)
        #expect(last.fix == .threeDimensional && last.horizontalAccuracy == nil)
        #expect(decoder.faults == 0)
    }

    @Test("other quantities of ROS come in its units, which are ours")
    func quantities() throws {
        let (time, some) = (Self.time, Accuracy(2, .drms))
        let field = MagneticField(
            time: time, x: 1e-5, y: -2e-5, z: 4e-5, accuracy: Accuracy(2e-6, .drms))
        let expected: [String: RecordedReading] = [
            "MagneticField": .magneticField(field),
            "FluidPressure": .pressure(Pressure(time: time, value: 101_325, accuracy: some)),
            "Temperature": .temperature(Temperature(time: time, value: 21.5)),
            "RelativeHumidity": .humidity(Humidity(time: time, value: 0.5)),
            "Illuminance": .illuminance(Illuminance(time: time, value: 300)),
        ]
        for (schema, bytes) in Self.messages {
            guard let reading = expected[String(schema.split(separator: "/").last ?? "")] else {
                continue
            }
            #expect(try Self.readings(schema, bytes) == [reading])
        }
    }

    @Test("pictures are frames of the camera of their topic")
    func pictures() throws {
        func frame(_ schema: String, _ bytes: [UInt8]) throws -> CameraFrame? {
            try Self.readings(schema, bytes).first.flatMap { CameraFrame($0) }
        }
        func raw(_ encoding: String, _ step: UInt32, _ count: Int) throws -> CameraFrame? {
            try frame("foxglove.RawImage", Self.rawImage(encoding, step: step, count: count))
        }
        let nv12 = try #require(try raw("nv12", 4, 20))
        #expect(nv12.format == .nv12 && nv12.width == 3 && nv12.height == 3)
        #expect(
            nv12.planes == [
                .init(offset: 0, stride: 4, length: 12), .init(offset: 12, stride: 4, length: 8),
            ])
        #expect(nv12.time == Self.time && Array(nv12.storage.bytes) == (0..<20).map { $0 })
        // The last row may lack its padding, and no more.
        let grey = try #require(try raw("mono8", 4, 11))
        #expect(grey.planes == [.init(offset: 0, stride: 4, length: 11)])
        #expect(try raw("mono8", 4, 10) == nil)
        #expect(try raw("rgb8", 9, 27)?.format == .rgb24)
        #expect(try raw("rgb8", 8, 27) == nil)
        #expect(try raw("yuyv", 0, 18)?.planes == [.init(offset: 0, stride: 6, length: 18)])
        #expect(try raw("32FC1", 12, 36) == nil)
        #expect(try raw("mono8", .max, 36) == nil)
        let jpegs = [
            try frame("foxglove.CompressedImage", Self.compressedImage("jpeg")),
            try frame("sensor_msgs/msg/CompressedImage", Self.rosCompressedImage()),
        ]
        for jpeg in jpegs {
            let jpeg = try #require(jpeg)
            #expect(jpeg.format == .mjpeg && jpeg.width == 6 && jpeg.height == 4)
            #expect(Array(jpeg.storage.bytes) == Self.jpeg)
        }
        #expect(try frame("foxglove.CompressedImage", Self.compressedImage("png")) == nil)
        let ros = try #require(try frame("sensor_msgs/msg/Image", Self.rosImage()))
        #expect(ros.width == 3 && ros.height == 2 && ros.planes[0].stride == 4)
    }

    @Test("a message cut at any byte, or changed, is borne", arguments: messages)
    func hostile(schema: String, bytes: [UInt8]) throws {
        let decoder = try Self.decoder(schema)
        #expect(!Self.decode(decoder, bytes).isEmpty && decoder.faults == 0)
        let isText = schema.hasPrefix("foxglove.")
        for count in 0..<bytes.count {
            let before = decoder.faults
            let events = Self.decode(decoder, Array(bytes[..<count]))
            // Protobuf cannot tell where a message ends: between two fields it may.
            if !isText { #expect(events.isEmpty && decoder.faults == before + 1) }
        }
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0...random.next() % 3 {
                changed[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            for event in Self.decode(decoder, changed) {
                if let reading = event.reading { #expect(reading.isPlausible) }
            }
        }
    }

    @Test("a file of another program has sensors named after its topics")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/robot.mcap"
        let writer = try MCAPFileWriter(path, library: "robot", options: MCAPOptions())
        let fix = try writer.add(Self.channel("/gps/fix", "foxglove.LocationFix"))
        let imu = try writer.add(Self.channel("/imu", "sensor_msgs/msg/Imu"))
        let again = try writer.add(Self.channel("/gps/fix", "sensor_msgs/msg/NavSatFix"))
        let other = try writer.add(Self.channel("/scan", "sensor_msgs/msg/LaserScan"))
        let messages = [
            (fix, Self.locationFix()), (imu, Self.imu()), (again, Self.navSatFix()),
            (other, [1, 2, 3]),
        ]
        for (channel, bytes) in messages {
            try bytes.withUnsafeBytes {
                try writer.write(
                    channel, logTime: UInt64(Self.logged.nanoseconds), publishTime: 0, payload: $0)
            }
        }
        try writer.finish()
        let file = try RecordingFile(path)
        #expect(file.content.metadata.clock == .utc)
        #expect(
            file.content.sensors.map(\.id) == [
                "gps/fix", "imu/acceleration", "imu/angular-velocity", "imu/attitude", "gps/fix#3",
            ])
        #expect(file.content.events.map(\.sensor) == file.content.sensors.map(\.id))
        #expect(file.damage.unknownMessages == ["/scan": 1] && file.damage.skippedRecords == 0)
    }
}
