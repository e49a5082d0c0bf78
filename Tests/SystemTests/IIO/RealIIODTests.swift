import Glibc
import IIOPlugin
import Sensorium
import SensoriumTestKit
import Testing

/// A real iiod over umockdev's devices; both it and this program run in a network of their own, since
/// iiod listens on every address of a machine.
@Suite(
    "iiod over umockdev", .timeLimit(.minutes(1)),
    .enabled(
        if: MockedRun.has("umockdev-run") && MockedRun.has("iiod")
            && !MockedRun.isInside("network"),
        "umockdev-run or iiod is not installed; run `sudo apt-get install umockdev iiod`"),
    .enabled(
        if: MockedRun.canUnshare || MockedRun.isInside("network"),
        "this user may not have a network namespace of his own"))
struct RealIIODTests {
    @Test("serves the plugin, is restarted, and serves it again")
    func serves() async throws {
        try await MockedRun.inOwnNetwork(suite: "InOwnNetworkTests")
    }
}

@Suite(
    "iiod in a network of its own", .serialized, .timeLimit(.minutes(1)),
    .enabled(
        if: MockedRun.isInside("network"), "runs in a network of its own, started by RealIIODTests")
)
struct InOwnNetworkTests {
    private let log = Collected<String>()

    private func plugin(_ daemon: IIODProcess) -> IIO {
        let address = daemon.address
        let log = log
        return IIO(
            host: PluginHost(
                configuration: { $0 == "iio.uri" ? address : nil },
                log: { _, text in log.append(text) }))
    }

    private func accelerometer(_ daemon: IIODProcess) async throws -> IIOMotionSensor<Acceleration>
    {
        let found = try await plugin(daemon).discover()
        return try #require(found.compactMap { $0 as? IIOMotionSensor<Acceleration> }.first)
    }

    @Test("captures, at the rate and with the trigger that were asked for")
    func captures() async throws {
        let daemon = try IIODProcess(delay: 300)
        try await daemon.start()
        let sensor = try await accelerometer(daemon)
        #expect(sensor.descriptor.id == "iio/hub@127.0.0.1/acceleration")
        var readings: [Acceleration] = []
        for try await reading in sensor.readings(SamplingRequest(rate: 100)) {
            readings.append(reading)
            if readings.count == 10 { break }
        }
        #expect(readings.map { ($0.x * 100).rounded() } == (0..<10).map(Double.init))
        #expect(readings.allSatisfy { $0.z == 10 && $0.time.source == .arrival })
        // Stamps of 2023 are no reason to call these readings old.
        let age = try #require(readings.last).instant.duration(to: SystemClock().now)
        #expect(age < .seconds(2))
        let instants = readings.map(\.instant)
        #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
        daemon.stop()
    }

    @Test("polls what has no buffer")
    func polls() async throws {
        let daemon = try IIODProcess(delay: 300)
        try await daemon.start()
        let barometer = try #require(
            try await plugin(daemon).discover().compactMap { $0 as? IIOScalarSensor<Pressure> }
                .first)
        let reading = try #require(try await barometer.readings().first { _ in true })
        #expect(abs(reading.value - 100_653.253906) < 1e-6)
        daemon.stop()
    }

    @Test("comes back after a restart, told once")
    func restart() async throws {
        let daemon = try IIODProcess(delay: 300)
        try await daemon.start()
        var reader = UpdateReader(try await accelerometer(daemon))
        while reader.readings.count < 5 { _ = try await reader.reading() }
        daemon.stop()
        let status = try await reader.status(.reconnecting)
        #expect(!status.reason.isEmpty)
        try await daemon.start()
        let before = reader.readings.count
        while reader.readings.count < before + 5 { _ = try await reader.reading() }
        #expect(reader.statuses.count { $0.state == .reconnecting } == 1)
        daemon.stop()
    }

    @Test("stalls when its device does, and closes all the same")
    func stall() async throws {
        // Twenty scans, and then nothing.
        let daemon = try IIODProcess(delay: 300, scans: 20)
        try await daemon.start()
        let sensor = SharedSensor(try await accelerometer(daemon))
        var count = 0
        var states: [SensorStatus.State] = []
        let start = SystemClock().now
        updates: for try await update in sensor.readings().updates {
            switch update {
            case .reading: count += 1
            case .status(let status):
                states.append(status.state)
                if status.state != .running { break updates }
            case .lost: break
            }
        }
        let closing = SystemClock().now
        await sensor.closed()
        #expect(closing.duration(to: SystemClock().now) < .milliseconds(2500))
        #expect(count == 20)
        #expect(start.duration(to: closing) < .seconds(10))
        #expect(states.last != .running)
        daemon.stop()
    }
}

/// A real iiod over a tree of devices.
private final class IIODProcess: Sendable {
    private static let port = 30_777
    private let folder: TemporaryFolder
    private let arguments: [String]
    private let process = Guarded<Spawned?>(nil)

    /// Prepares a daemon whose accelerometer measures at 100 Hz.
    ///
    /// - Parameters:
    ///   - delay: milliseconds until the first scan of a capture's life.
    ///   - scans: how many scans there are.
    init(delay: Int, scans: Int = 400) throws {
        folder = try TemporaryFolder()
        var tree = MockedTree()
        let half = "le:s16/16>>0"
        tree.add(
            0, name: "hub", in: "platform/hub",
            attributes: [
                "in_accel_scale": "0.01", "current_timestamp_clock": "realtime",
                "sampling_frequency": "50", "sampling_frequency_available": "50 100 200",
                "trigger/current_trigger": "",
            ],
            scan: [
                ("accel_x", 0, half), ("accel_y", 1, half), ("accel_z", 2, half),
                ("timestamp", 3, "le:s64/64>>0"),
            ], node: [])
        tree.addTrigger(0, name: "hub-dev0", in: "platform/hub")
        tree.add(
            1, name: "bmp280", in: "platform/i2c/0-0076",
            attributes: ["in_pressure_input": "100.653253906", "in_temp_input": "25080"])
        let script = MockedTree.script(
            for: "/dev/iio:device0",
            (0..<scans).map { number in
                let stamp = 1_700_000_000_000_000_000 + Int64(number) * 10_000_000
                return (
                    number == 0 ? delay : 10,
                    MockedTree.scan([Int16(number), 0, 1000], stamp: stamp)
                )
            })
        let umockdev = try #require(MockedRun.path(of: "umockdev-run"))
        let iiod = try #require(MockedRun.path(of: "iiod"))
        // The shell tells which process iiod is: umockdev-run ends, and tidies up, when it has ended.
        let start = #"iiod=$0; "$iiod" -D -p "$1" & echo $! > "$2"; wait"#
        arguments = [
            umockdev, "--device=\(try folder.write("tree.umockdev", Array(tree.text.utf8)))",
            "--script=/dev/iio:device0=\(try folder.write("feed.script", script))", "--", "/bin/sh",
            "-c", start, iiod, "\(Self.port)", try folder.write("pid", []),
        ]
    }

    deinit { stop() }

    var address: String { "ip:127.0.0.1:\(Self.port)" }

    /// Starts it, and waits until it listens.
    func start() async throws {
        let started = try Spawned(arguments, output: folder.path + "/log")
        process.withLock { $0 = started }
        let clock = SystemClock()
        for _ in 0..<500 {
            if LoopbackPort.accepts(UInt16(Self.port)) { return }
            await clock.pause(for: .milliseconds(10))
        }
        stop()
        throw SpyError("iiod does not listen: \(LogFile.text(folder.path + "/log"))")
    }

    /// Ends it.
    func stop() {
        guard let running = process.withLock({ $0.take() }) else { return }
        // On SIGTERM it would wait for its clients.
        let text = AttributeText.trimmed(LogFile.text(folder.path + "/pid"))
        if let iiod = pid_t(text) { kill(iiod, SIGKILL) } else { running.kill() }
        running.wait()
    }
}
