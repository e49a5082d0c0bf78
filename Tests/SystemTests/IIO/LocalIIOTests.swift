import Glibc
import IIOPlugin
import Sensorium
import SensoriumTestKit
import Testing

/// libiio's local backend over trees of devices that umockdev makes: this program runs again in each.
@Suite(
    "libiio over umockdev", .timeLimit(.minutes(1)),
    .enabled(
        if: MockedRun.has("umockdev-run") && !MockedRun.isInside("umockdev"),
        "umockdev-run is not installed; run `sudo apt-get install umockdev`"))
struct LocalIIOTests {
    @Test("captures every layout as the kernel wrote it (IIO-01, 02, 03, 06, 08)")
    func captures() async throws {
        try await MockedRun.under(MockedCaptureTests.tree, suite: "MockedCaptureTests")
    }

    @Test("finds scale, offset, matrix and placement wherever they are (IIO-05, 11, 12)")
    func attributes() async throws {
        try await MockedRun.under(MockedAttributeTests.tree, suite: "MockedAttributeTests")
    }

    @Test("reads a stream on boot time, and notices when it ends (IIO-13, 14)")
    func stream() async throws {
        try await MockedRun.under(
            MockedStreamTests.tree, scripts: ["/dev/iio:device0": MockedStreamTests.script],
            suite: "MockedStreamTests")
    }

    @Test("tells when libiio refuses all devices because of an odd one")
    func odd() async throws {
        try await MockedRun.under(MockedOddTests.tree, suite: "MockedOddTests")
    }
}

/// A plugin over the devices of the tree that this process runs in.
private struct LocalPlugin {
    let log = Collected<String>()
    let plugin: IIO

    init(_ configuration: [String: String] = [:]) {
        let log = log
        plugin = IIO(
            host: PluginHost(
                configuration: { configuration[$0] }, log: { _, text in log.append(text) }))
    }

    func accelerometers() async throws -> [IIOMotionSensor<Acceleration>] {
        try await plugin.discover().compactMap { $0 as? IIOMotionSensor<Acceleration> }
    }

    func accelerometer(_ name: String) async throws -> IIOMotionSensor<Acceleration> {
        let all = try await accelerometers()
        return try #require(all.first { $0.descriptor.id.rawValue.contains("/\(name)@") })
    }

    func first(_ name: String) async throws -> Acceleration {
        let sensor = SharedSensor(try await accelerometer(name))
        let reading = try #require(try await sensor.readings().first { _ in true })
        await sensor.closed()
        return reading
    }
}

private func isNear(_ reading: Acceleration, _ x: Double, _ y: Double, _ z: Double) -> Bool {
    abs(reading.x - x) < 1e-9 && abs(reading.y - y) < 1e-9 && abs(reading.z - z) < 1e-9
}

@Suite(
    "Capturing inside umockdev", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: MockedRun.isInside("umockdev"), "runs inside umockdev, started by LocalIIOTests"))
struct MockedCaptureTests {
    static var tree: MockedTree {
        var tree = MockedTree()
        func add(
            _ number: Int, _ name: String, _ types: [String], order: [Int] = [0, 1, 2],
            scale: String = "1", _ node: [UInt8], more: [(String, Int, String)] = []
        ) {
            let axes = ["accel_x", "accel_y", "accel_z"]
            var attributes = ["in_accel_scale": scale]
            for axis in axes { attributes["in_\(axis)_raw"] = "0" }
            tree.add(
                number, name: name, in: "platform/i2c-\(number)/\(number)-0018",
                attributes: attributes,
                scan: order.map { (axes[$0], $0, types[$0]) } + more.map { ($0.0, $0.1, $0.2) },
                node: node)
        }
        let stamp = ("timestamp", 3, "le:s64/64>>0")
        func words(_ numbers: [Int32]) -> [UInt8] {
            numbers.flatMap { number in withUnsafeBytes(of: number.littleEndian) { Array($0) } }
        }
        func time(_ stamp: Int64) -> [UInt8] {
            withUnsafeBytes(of: stamp.littleEndian) { Array($0) }
        }
        // Listed y, x, z: the order of a scan is that of the indices.
        let word = "le:s32/32>>0"
        add(
            0, "hid", [word, word, word], order: [1, 0, 2], scale: "0.009806",
            words([-906, 15, -414, 0]) + time(1_700_000_000_000_000_000), more: [stamp])
        add(1, "full", [word, word, word], words([-1, .max, .min, 0]) + time(1), more: [stamp])
        let wide = "le:s16/32>>0"
        add(
            2, "wide", [wide, wide, wide],
            [0x38, 0xfc, 0xa5, 0xa5, 0x1b, 0, 0xa5, 0xa5, 0x26, 0xff, 0xa5, 0xa5])
        // 4 + 2 + 2 bytes and a stamp; 2 + (2) + 4 + 2 + (6) and a stamp.
        let half = "le:s16/16>>0"
        add(
            3, "mixed", [word, half, half], words([-70_000]) + [11, 0, 0xf4, 0xff] + time(5),
            more: [stamp])
        add(
            4, "gap", [half, word, half],
            [7, 0, 0, 0] + words([-70_000]) + [3, 0, 0, 0, 0, 0, 0, 0] + time(42), more: [stamp])
        // Two scans of 4 + 2 + 2, where libiio is right; then of 4 + 4 + 2, where it forgets the padding.
        add(5, "even", [word, half, half], words([1]) + [2, 0, 3, 0] + words([4]) + [5, 0, 6, 0])
        add(
            6, "uneven", [word, word, half],
            words([1, 2]) + [3, 0, 0, 0] + words([4, 5]) + [6, 0, 0, 0])
        let big = "be:s16/16>>0"
        tree.add(
            7, name: "imu", in: "platform/i2c-7/7-0068",
            attributes: [
                "in_accel_scale": "0.000598", "in_anglvel_scale": "0.001064724",
                "in_temp_offset": "12420", "in_temp_scale": "2.941176",
            ],
            scan: ["accel_x", "accel_y", "accel_z", "temp", "anglvel_x", "anglvel_y", "anglvel_z"]
                .enumerated().map { ($1, $0, big) } + [("timestamp", 7, "le:s64/64>>0")],
            node: MockedTree.scan(
                [100, -200, 16384], stamp: 5_000_000_000, bigEndian: true))
        return tree
    }

    @Test("reads each layout")
    func layouts() async throws {
        let local = LocalPlugin()
        #expect(isNear(try await local.first("hid"), -8.884236, 0.147090, -4.059684))
        let full = try await local.first("full")
        #expect(isNear(full, -1, 2_147_483_647, -2_147_483_648))
        #expect(full.flags == .saturated)
        #expect(isNear(try await local.first("wide"), -968, 27, -218))
        #expect(isNear(try await local.first("mixed"), -70_000, 11, -12))
        #expect(isNear(try await local.first("gap"), 7, -70_000, 3))
        #expect(isNear(try await local.first("even"), 1, 2, 3))
        // Without the channels that nobody asked for: temperature and angular velocity.
        #expect(isNear(try await local.first("imu"), 0.0598, -0.1196, 9.797632))
    }

    @Test("does not deliver scans that libiio shifts, but polls (IIO-06)")
    func shifted() async throws {
        let local = LocalPlugin()
        // The attributes say 0: nothing of the two scans comes through.
        #expect(isNear(try await local.first("uneven"), 0, 0, 0))
        #expect(local.log.all.contains { $0.contains("10 bytes") && $0.contains("12") })
    }
}

@Suite(
    "Attributes inside umockdev", .timeLimit(.minutes(1)),
    .enabled(if: MockedRun.isInside("umockdev"), "runs inside umockdev, started by LocalIIOTests"))
struct MockedAttributeTests {
    static var tree: MockedTree {
        var tree = MockedTree()
        var number = 0
        func add(
            _ name: String, raw: (Int, Int, Int), _ attributes: [String: String],
            properties: [String: String] = [:]
        ) {
            var all = attributes
            for (axis, value) in zip(["x", "y", "z"], [raw.0, raw.1, raw.2]) {
                all["in_accel_\(axis)_raw"] = "\(value)"
            }
            tree.add(
                number, name: name, in: "platform/i2c-\(number)/\(number)-0018",
                properties: properties, attributes: all)
            number += 1
        }
        let counts = (1000, -1000, 0)
        add(
            "scale-a", raw: counts,
            ["in_accel_scale": "0.153277", "in_temp_offset": "12", "in_temp_raw": "20"])
        add(
            "scale-b", raw: counts,
            [
                "in_accel_x_scale": "0.000598", "in_accel_y_scale": "0.001196",
                "in_accel_z_scale": "0.000598",
            ])
        add("scale-c", raw: counts, ["scale": "0.002", "sampling_frequency": "100.000000"])
        add("scale-d", raw: counts, ["in_temp_scale": "0.5", "in_temp_raw": "3"])
        let vector = (100, 200, -900)
        let matrices = [
            ("a", "mount_matrix", "1, 0, 0; 0, 1, 0; 0, 1, 0"),
            ("b", "in_mount_matrix", "0, 0, 0; 0, 0, 0; 0, 0, 0"),
            ("c", "in_accel_mount_matrix", "1, 0, 0; 0, -1, 0; 0, 0, -1"),
            ("d", "in_accel_mount_matrix", "0, 1, 0; -1, 0, 0; 0, 0, 1"),
            ("e", "in_accel_mount_matrix", "1, 0; 0, 1"),
            ("f", "in_mount_matrix", "0.866, 0.5, 0; -0.5, 0.866, 0; 0, 0, 1"),
        ]
        for (letter, name, text) in matrices {
            add("matrix-\(letter)", raw: vector, ["in_accel_scale": "0.01", name: text])
        }
        add(
            "matrix-udev", raw: vector,
            ["in_accel_scale": "0.01", "mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1"],
            properties: ["ACCEL_MOUNT_MATRIX": "0, -1, 0; -1, 0, 0; 0, 0, 1"])
        add(
            "cros-ec-accel", raw: (16384, 0, 0), ["in_accel_scale": "0.000598", "location": "base"])
        add(
            "cros-ec-accel", raw: (0, 16383, 32767),
            ["in_accel_scale": "0.000598", "location": "lid"])
        add("new-cros", raw: (16384, 0, 0), ["in_accel_scale": "0.000598", "label": "accel-base"])
        add(
            "new-cros", raw: (0, 16383, 0),
            ["in_accel_scale": "0.000598", "label": "accel-display"])
        return tree
    }

    @Test("scales each device by what is its own")
    func scales() async throws {
        let local = LocalPlugin()
        #expect(isNear(try await local.first("scale-a"), 153.277, -153.277, 0))
        #expect(isNear(try await local.first("scale-b"), 0.598, -1.196, 0))
        #expect(isNear(try await local.first("scale-c"), 2, -2, 0))
        let unscaled = try await local.first("scale-d")
        #expect(isNear(unscaled, 1000, -1000, 0))
        #expect(unscaled.flags == .unscaled)
    }

    @Test("turns each device by the matrix that counts")
    func matrices() async throws {
        let local = LocalPlugin(["iio.mount-matrix.matrix-d": "-1,0,0;0,-1,0;0,0,1"])
        #expect(isNear(try await local.first("matrix-a"), 1, 2, -9))
        #expect(isNear(try await local.first("matrix-b"), 1, 2, -9))
        #expect(isNear(try await local.first("matrix-c"), 1, -2, 9))
        #expect(isNear(try await local.first("matrix-d"), -1, -2, -9))
        #expect(isNear(try await local.first("matrix-e"), 1, 2, -9))
        #expect(isNear(try await local.first("matrix-f"), 1.866, 1.232, -9))
        #expect(isNear(try await local.first("matrix-udev"), -2, -1, -9))
        #expect(local.log.all.count { $0.contains("mount matrix") } == 3)
    }

    @Test("tells the display's accelerometer from the base's, and prefers it")
    func placement() async throws {
        let found = try await LocalPlugin().accelerometers().map(\.descriptor)
        let cros = found.filter { $0.name.contains("cros") }
        #expect(cros.map(\.placement) == [.base, .display, .base, .display])
        #expect(Set(cros.map(\.id)).count == 4)
        #expect(found.first { $0.isPreferred }?.placement == .display)
        let lid = try #require(
            try await LocalPlugin().accelerometers().first {
                $0.descriptor.id == "iio/cros-ec-accel-lid/acceleration"
            })
        let reading = try await SharedSensor(lid).readings().first { _ in true }
        #expect(reading?.flags == .saturated)
    }
}

@Suite(
    "Streaming inside umockdev", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: MockedRun.isInside("umockdev"), "runs inside umockdev, started by LocalIIOTests"))
struct MockedStreamTests {
    private static let count = 20

    static var tree: MockedTree {
        var tree = MockedTree()
        let half = "le:s16/16>>0"
        tree.add(
            0, name: "stream", in: "platform/i2c-0/0-0018",
            attributes: [
                "in_accel_scale": "0.01", "current_timestamp_clock": "realtime",
                "sampling_frequency": "0.000000",
                "sampling_frequency_available": "12 26 52 104 208",
            ],
            scan: [
                ("accel_x", 0, half), ("accel_y", 1, half), ("accel_z", 2, half),
                ("timestamp", 3, "le:s64/64>>0"),
            ], node: [])
        tree.add(
            1, name: "stuck", in: "platform/i2c-1/1-0076",
            attributes: ["in_pressure_input": "100.0"])
        tree.add(
            2, name: "well", in: "platform/i2c-2/2-0076", attributes: ["in_pressure_input": "101.0"]
        )
        return tree
    }

    static var script: [UInt8] {
        MockedTree.script(
            for: "/dev/iio:device0",
            (0..<count).map { number in
                let n = Int16(number)
                return (
                    number == 0 ? 500 : 10,
                    MockedTree.scan([n, -n, 1000], stamp: 1000 + Int64(number) * 9_615_385)
                )
            })
    }

    @Test("gives every scan once, in order, and then tells that nothing more comes")
    func stream() async throws {
        let local = LocalPlugin()
        let sensor = try await local.accelerometer("stream")
        var xs: [Double] = []
        var stamps: [ClockTime?] = []
        var status: SensorStatus?
        updates: for try await update in sensor.readings(SamplingRequest(rate: 100)).updates {
            if case .reading(let reading) = update {
                xs.append((reading.x * 100).rounded())
                stamps.append(reading.time.original)
            }
            if case .status(let told) = update, told.state != .running {
                status = told
                break updates
            }
        }
        #expect(xs == (0..<Self.count).map(Double.init))
        #expect(stamps.first == ClockTime(nanoseconds: 1000, domain: .boottime))
        #expect([.stale, .reconnecting].contains(status?.state))
        #expect(status?.reason.isEmpty == false)
        #expect(attribute("current_timestamp_clock") == "boottime")
        #expect(attribute("sampling_frequency") == "104")
    }

    private func attribute(_ name: String) -> Substring {
        AttributeText.trimmed(LogFile.text("/sys/bus/iio/devices/iio:device0/\(name)"))
    }

    @Test("closes although a read of the kernel's blocks, and others go on (IIO-13)")
    func blocked() async throws {
        let root = try #require(getenv("UMOCKDEV_DIR").map { String(cString: $0) })
        let path = "\(root)/sys/devices/platform/i2c-1/1-0076/iio:device1/in_pressure_input"
        let sensors = try await LocalPlugin().plugin.discover()
            .compactMap { $0 as? IIOScalarSensor<Pressure> }
        let stuck = try #require(sensors.first { $0.descriptor.id.rawValue.contains("stuck") })
        let well = try #require(sensors.first { $0.descriptor.id.rawValue.contains("well") })
        let statuses = Collected<SensorStatus>()
        let pipe = Guarded<Int32>(-1)
        let sink = ReadingSink<Pressure>(
            deliver: { _ in
                // From now on a read waits for what this end writes, which is nothing. (An end must be
                // open: umockdev does not let two threads open files at once.)
                unlink(path)
                mkfifo(path, 0o600)
                pipe.withLock { $0 = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
            }, report: { statuses.append($0) })
        let session = try await stuck.open(SamplingRequest(rate: 10), delivering: sink)
        let before = SystemClock().now
        var count = 0
        for try await _ in well.readings(SamplingRequest(rate: 20)) {
            count += 1
            if count == 40 { break }
        }
        // Forty readings at 20 Hz take 2 s, whatever the other one does.
        #expect(before.duration(to: SystemClock().now) < .seconds(5))
        #expect(statuses.all.map(\.state) == [.running, .stale], "\(statuses.all)")
        let closing = SystemClock().now
        await session.close()
        #expect(closing.duration(to: SystemClock().now) < .milliseconds(2500))
        // Let the thread go.
        close(pipe.withLock { $0 })
    }
}

@Suite(
    "An odd device inside umockdev", .timeLimit(.minutes(1)),
    .enabled(if: MockedRun.isInside("umockdev"), "runs inside umockdev, started by LocalIIOTests"))
struct MockedOddTests {
    static var tree: MockedTree {
        var tree = MockedTree()
        tree.add(
            0, name: "well", in: "platform/i2c-0/0-0018",
            attributes: ["in_accel_x_raw": "1", "in_accel_scale": "0.5"])
        // The old driver of Chromebooks: two channels of one name, as libiio reads it.
        tree.add(
            1, name: "odd", in: "platform/i2c-1/1-0018", attributes: [:],
            scan: [
                ("accel_x_base", 0, "le:s16/16>>0"), ("accel_x_lid", 1, "le:s16/16>>0"),
            ])
        return tree
    }

    @Test("is told as the reason")
    func told() async throws {
        let error = await #expect(throws: SensorError.self) {
            _ = try await LocalPlugin().plugin.discover()
        }
        guard case .unavailable(_, let reason, let hint) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("channel names"))
        #expect(!hint.isEmpty)
    }
}
