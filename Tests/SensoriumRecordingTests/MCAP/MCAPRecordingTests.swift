import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("MCAP recordings", .timeLimit(.minutes(1)))
struct MCAPRecordingTests {
    /// Every kind of reading with every field, pictures, and every other event.
    static func everything() -> MemoryRecording {
        var recording = EveryReading(
            clock: RecordingClock(
                domain: .boottime, utcOffset: 1_700_000_000_123_456_789,
                utcUncertainty: .microseconds(3))
        ).recording
        recording.metadata.writer = "sensorium tests"
        recording.metadata.properties = ["title": "A \"walk\"\n", "machine": "ü"]
        let camera = RecordedSensor(
            SensorDescriptor(
                id: "v4l2/camera", kind: .camera, name: "Camera", vendor: "Maker", range: 1.5,
                resolution: 0.25, rates: .listed([15, 30]), placement: .display,
                needs: "/dev/video0", isSimulated: true, isPreferred: true), requestedRate: 30)
        recording.sensors.append(camera)
        recording.sensors.append(
            RecordedSensor(
                SensorDescriptor(
                    id: "a/b", kind: .proximity, name: "", rates: .range(1...200.5),
                    placement: .external)))
        let time = ReadingTime(
            SensorInstant(nanoseconds: 8_000_000_000),
            original: ClockTime(nanoseconds: 5, domain: .monotonic))
        let formats: [(PixelFormat, [CameraFrame.Plane])] = [
            (.mjpeg, [.init(offset: 0, stride: 0, length: 50)]),
            (.yuyv, [.init(offset: 4, stride: 12, length: 36)]),
            (
                .nv12,
                [.init(offset: 0, stride: 8, length: 32), .init(offset: 40, stride: 8, length: 16)]
            ),
            (.grey, [.init(offset: 0, stride: 6, length: 60)]),
        ]
        for (number, (format, planes)) in formats.enumerated() {
            recording.append(
                CameraFrame(
                    time: time, width: 6, height: 3, format: format, planes: planes,
                    storage: FrameStorage(copying: (0..<60).map { UInt8($0 + number) }),
                    sequence: number == 1 ? nil : UInt32(number),
                    timeReference: number % 2 == 0 ? .startOfExposure : .endOfFrame,
                    flags: [.simulated]), of: camera.id)
        }
        let instant = SensorInstant(nanoseconds: 9_000_000_000)
        for content in others {
            recording.events.append(
                RecordedEvent(sensor: "a/b", instant: instant, content: content))
        }
        // Without a time of its own, an event belongs to the one before it.
        recording.events.append(
            RecordedEvent(sensor: "a/b", instant: nil, content: .gap(reason: "untimed")))
        recording.append(Proximity(time: time, value: 1), of: "a/b", at: instant)
        return recording
    }

    private static let others: [RecordedEvent.Content] =
        SensorStatus.State.allCases.map {
            .status(SensorStatus($0, reason: "a \\ \u{1} \"b\"", hint: "é\t"))
        } + ReadingLoss.Reason.allCases.map { .lost(ReadingLoss(count: 7, reason: $0)) } + [
            .opened(rate: nil), .opened(rate: 99.5), .gap(reason: "tunnel"), .ended(nil),
            .ended(.unavailable("a/b", reason: "r", hint: "h")),
            .ended(.denied("a/b", reason: "r", hint: "h")),
            .ended(.busy("a/b", reason: "r", hint: "h")),
            .ended(.disconnected("other", reason: "r", hint: "")),
            .ended(.timedOut("a/b", after: .milliseconds(1500), hint: "h")),
            .ended(.cancelled("a/b")), .ended(.malformed("a/b", reason: "r", hint: "h")),
            .ended(.unsupported("a/b", reason: "r", hint: "h")),
            .ended(.incompatible("a/b", reason: "r", hint: "h")),
            .ended(.pluginFault("a/b", reason: "r", hint: "h")),
        ]

    private func create(
        _ path: String, _ metadata: RecordingMetadata, _ options: MCAPOptions = MCAPOptions()
    ) throws -> any RecordingWriter {
        guard let create = RecordingFormat.mcap(options).create else {
            throw TestFault("MCAP cannot be written")
        }
        return try create(path, metadata)
    }

    @Test("everything comes back as it was, field for field", arguments: MCAPFile.options)
    func roundTrip(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/walk.mcap"
        let recording = Self.everything()
        try recording.write(to: create(path, recording.metadata, options))
        let file = try RecordingFile(path)
        #expect(file.format == "mcap")
        #expect(file.damage == RecordingDamage())
        #expect(file.content.metadata == recording.metadata)
        #expect(file.content.sensors == recording.sensors)
        try #require(file.content.events.count == recording.events.count)
        for (read, written) in zip(file.content.events, recording.events) {
            #expect(read == written)
        }
        let summary = try #require(file.summary)
        #expect(summary.start == recording.events[0].instant)
        #expect(summary.end?.nanoseconds == 9_000_000_000)
        #expect(summary.readings["v4l2/camera"] == 4 && summary.readings["a/b"] == 1)
        let location = try #require(recording.sensors.first { $0.kind == .location })
        #expect(summary.readings[location.id] == 2)
    }

    @Test("vectors without anything odd need no second message, and come back")
    func plainVectors() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/imu.mcap"
        let id: SensorID = "iio/acceleration"
        var recording = MemoryRecording(
            sensors: [
                RecordedSensor(SensorDescriptor(id: id, kind: .acceleration, name: "A")),
                RecordedSensor(SensorDescriptor(id: "m", kind: .magneticField, name: "M")),
            ])
        for number in 0..<100 {
            let time = ReadingTime(SensorInstant(nanoseconds: Int64(number) * 5_000_000 + 7))
            recording.append(
                Acceleration(time: time, x: Double(number), y: -.infinity, z: 0.1), of: id)
            if number % 3 == 0 {
                recording.append(MagneticField(time: time, x: 1, y: 2, z: 3), of: "m")
            }
        }
        try recording.write(to: create(path, recording.metadata))
        let container = try MCAPFileReader(path)
        #expect(container.statistics?.messages == UInt64(recording.events.count))
        #expect(try RecordingFile(path).content == recording)
    }

    @Test("a time that ROS has no place for is kept")
    func oddTimes() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/imu.mcap"
        var recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "a", kind: .acceleration, name: "A"))])
        for nanoseconds in [Int64.min + 1, -1, 0, 1 << 62, .max] {
            let time = ReadingTime(SensorInstant(nanoseconds: nanoseconds))
            recording.append(
                Acceleration(time: time, x: 1, y: 2, z: 3), of: "a",
                at: SensorInstant(nanoseconds: 5))
        }
        try recording.write(to: create(path, recording.metadata))
        #expect(try RecordingFile(path).content == recording)
    }

    @Test("a seek gives the first event of that time or later, and all behind it")
    func seek() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/walk.mcap"
        let recording = Self.everything()
        for options in MCAPFile.options {
            try recording.write(to: create(path, recording.metadata, options))
            let reader = try RecordingFormat.open(path)
            for instant in recording.events.compactMap(\.instant) {
                try reader.seek(to: instant)
                let first = recording.events.firstIndex {
                    $0.instant.map { $0 >= instant } ?? false
                }
                let rest = try MemoryRecording(reading: reader).events
                #expect(rest == Array(recording.events[(first ?? 0)...]))
            }
            try reader.rewind()
            #expect(try MemoryRecording(reading: reader).events == recording.events)
        }
    }

    @Test("what was flushed is a recording with all of its sensors, though it was never finished")
    func unfinished() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/walk.mcap"
        let recording = Self.everything()
        let writer = try create(path, recording.metadata)
        for sensor in recording.sensors { try writer.add(sensor) }
        for event in recording.events { try writer.write(event) }
        try writer.flush()
        let file = try RecordingFile(path)
        #expect(file.content == recording)
        #expect(file.damage.lacksEnd && file.summary == nil)
        #expect(writer.byteCount == (try InputFile(path).size))
    }

    @Test("a sensor twice, an unknown sensor and a reading of another kind are misuse")
    func misuse() throws {
        let folder = try TemporaryFolder()
        let writer = try create(
            "\(folder.path)/a.mcap", RecordingMetadata(clock: .utc), MCAPOptions())
        let sensor = RecordedSensor(SensorDescriptor(id: "a", kind: .pressure, name: "A"))
        try writer.add(sensor)
        let time = ReadingTime(SensorInstant(nanoseconds: 1))
        let strange = RecordedReading(Acceleration(time: time, x: 1, y: 2, z: 3))
        func write(_ id: SensorID, _ reading: RecordedReading) -> RecordingError.Condition? {
            recordingError {
                try writer.write(
                    RecordedEvent(sensor: id, instant: time.instant, content: .reading(reading)))
            }?.condition
        }
        #expect(recordingError { try writer.add(sensor) }?.condition == .misuse)
        #expect(write("b", strange) == .misuse)
        #expect(write("a", strange) == .misuse)
        #expect(write("a", .pressure(Pressure(time: time, value: 1))) == nil)
        try writer.finish()
        #expect(try RecordingFile("\(folder.path)/a.mcap").content.events.count == 1)
    }

    @Test("messages of other programs are counted by topic, beside sensors that are read")
    func strangers() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 30, MCAPOptions())
        let file = try RecordingFile(path)
        #expect(file.content.sensors.isEmpty && file.content.events.isEmpty)
        #expect(file.damage.unknownMessages == ["/a": 20, "/b": 10])
        #expect(file.content.metadata.writer == "tests")
    }

    @Test("any change of a recording is borne, and reading gives the same again")
    func fuzz() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/walk.mcap"
        let recording = Self.everything()
        // Without checksums of blocks in the way, so that changes reach the decoders.
        try recording.write(
            to: create(path, recording.metadata, MCAPOptions(compression: .none, chunkSize: 0)))
        let model = try folder.read("walk.mcap")
        var random = SeededGenerator(seed: 17)
        for round in 0..<Campaign.rounds(60, long: 400) {
            var bytes = model
            for _ in 0...random.next() % 4 {
                let place = 8 + Int(random.next() % UInt64(bytes.count - 8))
                bytes[place] =
                    random.next() % 2 == 0
                    ? UInt8(truncatingIfNeeded: random.next()) : bytes[place] ^ 1
            }
            let reader = try RecordingFormat.open(folder.write(bytes, as: "fuzz.mcap"))
            let first = try MemoryRecording(reading: reader)
            let damage = reader.damage
            try reader.rewind()
            let again = try MemoryRecording(reading: reader)
            try #require(
                first.events.count == again.events.count && reader.damage == damage,
                "round \(round)")
            try #require(
                first.events.count >= recording.events.count - 40,
                "round \(round): \(damage), \(damage.notes), \(damage.unknownMessages)")
            try reader.seek(to: SensorInstant(nanoseconds: 7_010_000_000))
            _ = try MemoryRecording(reading: reader)
        }
    }
}
