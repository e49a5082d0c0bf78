#if IIO
import Glibc
import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

/// The real libiio over a fake daemon, in real time: what a test waits for is told, never slept for.
@Suite("libiio over a fake iiod", .serialized, .timeLimit(.minutes(1)))
struct FakeIIODTests {
    private func plugin(_ daemon: FakeIIOD, log: Collected<String> = Collected()) -> IIO {
        let uri = daemon.uri
        return IIO(
            host: PluginHost(
                configuration: { $0 == "iio.uri" ? uri : nil }, log: { _, text in log.append(text) }
            ))
    }

    private func accelerometer(_ plugin: IIO) async throws -> any Sensor<Acceleration> {
        for sensor in try await plugin.discover() {
            if let sensor = sensor as? IIOMotionSensor<Acceleration> { return sensor }
        }
        throw SpyError("no accelerometer was found")
    }

    private func ramp(_ range: Range<Int64>) -> [RawScan] {
        range.map { ["accel_x": $0, "accel_y": -$0, "accel_z": 1000] }
    }

    @Test("lists devices, channels, scan types and triggers")
    func lists() async throws {
        let daemon = try FakeIIOD(devices: [
            .imu(), .accelerometer(id: "iio:device1", label: "accel-base"),
        ])
        defer { daemon.stop() }
        let found = try await plugin(daemon).discover().map(\.descriptor)
        #expect(
            found.map(\.id.rawValue) == [
                "iio/mpu6050@127.0.0.1/acceleration", "iio/mpu6050@127.0.0.1/angular-velocity",
                "iio/mpu6050@127.0.0.1/temperature", "iio/accel-base/acceleration",
            ])
        #expect(found.last?.placement == .base)
        #expect(found.first?.resolution == 0.000598)
        #expect(found.first?.rates == .listed([10, 20, 50, 100, 200, 500]))
    }

    @Test("captures, decodes and scales what the daemon sends")
    func captures() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let sensor = try await accelerometer(plugin(daemon))
        daemon.push(ramp(1..<6))
        var readings: [Acceleration] = []
        for try await reading in sensor.readings() {
            readings.append(reading)
            if readings.count == 5 { break }
        }
        #expect(readings.map(\.x) == [0.01, 0.02, 0.03, 0.04, 0.05])
        #expect(readings.map(\.y) == [-0.01, -0.02, -0.03, -0.04, -0.05])
        #expect(readings.map(\.z) == [10, 10, 10, 10, 10])
        // Another machine, as far as the plugin can know.
        #expect(readings.allSatisfy { $0.time.source == .arrival })
        #expect(readings.allSatisfy { $0.time.original?.domain == .realtime })
        #expect(daemon.commands.contains("OPEN iio:device0 1 0000000f"))
    }

    @Test("captures a big-endian IMU with the temperature in mid-scan (IIO-08)")
    func imu() async throws {
        let daemon = try FakeIIOD(devices: [.imu()])
        defer { daemon.stop() }
        let plugin = plugin(daemon)
        let gyroscope = try #require(
            try await plugin.discover().compactMap { $0 as? IIOMotionSensor<AngularVelocity> }.first
        )
        daemon.push([["anglvel_x": 10, "anglvel_y": -20, "anglvel_z": 30, "accel_x": 7, "temp": 9]])
        let reading = try #require(try await gyroscope.readings().first { _ in true })
        #expect(abs(reading.x - 0.01064724) < 1e-12)
        #expect(abs(reading.y - -0.02129448) < 1e-12)
        #expect(abs(reading.z - 0.03194172) < 1e-12)
        #expect(daemon.commands.contains("OPEN iio:device0 1 000000f0"))
    }

    @Test("asks for a rate and reports the granted one (IIO-13)")
    func rate() async throws {
        let daemon = try FakeIIOD(devices: [
            .accelerometer(frequency: "0", available: "12 26 52 104 208")
        ])
        defer { daemon.stop() }
        let listener = try await Listener(
            try await accelerometer(plugin(daemon)), SamplingRequest(rate: 100))
        #expect(listener.session.grantedRate == 104)
        #expect(daemon.attribute("sampling_frequency", in: "iio:device0") == "104")
        #expect(
            !daemon.commands.contains { $0.hasPrefix("WRITE iio:device0 current_timestamp_clock") })
        await listener.session.close()
    }

    @Test("polls a device that cannot capture")
    func polls() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer(raw: (1, -2, 981), feed: .none)])
        defer { daemon.stop() }
        let reading = try #require(
            try await accelerometer(plugin(daemon)).readings().first { _ in true })
        #expect(abs(reading.x - 0.01) + abs(reading.y + 0.02) + abs(reading.z - 9.81) < 1e-9)
        #expect(await daemon.heard("READ iio:device0 INPUT accel_x raw"))
    }

    @Test("is told that somebody else captures the device")
    func busy() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        daemon.inject(.refuseOpen(16))
        let sensor = try await accelerometer(plugin(daemon))
        let error = await #expect(throws: SensorError.self) {
            _ = try await Listener(sensor, .default)
        }
        guard case .busy = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "gets the device back after any failure, without a stale reading (IIO-14)",
        arguments: [FakeIIOD.Fault.failCapture(19), .failCapture(110), .drop, .shorten(3)])
    func recovers(fault: FakeIIOD.Fault) async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let sensor = try await accelerometer(plugin(daemon))
        daemon.push(ramp(1..<4))
        daemon.inject(fault, after: 3, times: 1)
        var xs: [Double] = []
        var troubles: [SensorStatus] = []
        loop: for try await update in sensor.readings().updates {
            switch update {
            case .reading(let reading):
                xs.append((reading.x * 100).rounded())
                if xs.count == 3 { daemon.push(ramp(100..<103)) }
                if xs.count == 5 { break loop }
            case .status(let status) where status.state != .running: troubles.append(status)
            default: break
            }
        }
        #expect(troubles.count == 1)
        #expect(Array(xs.prefix(3)) == [1, 2, 3])
        // A torn scan is lost; the next ones come once.
        #expect(Array(xs.suffix(2)) == [100, 101] || Array(xs.suffix(2)) == [101, 102])
    }

    @Test("tells a daemon that says nothing as a stall, not as a broken connection")
    func stall() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let sensor = try await accelerometer(plugin(daemon))
        daemon.inject(.stall, times: 1)
        daemon.push(ramp(1..<2))
        var troubles: [SensorStatus] = []
        loop: for try await update in sensor.readings().updates {
            switch update {
            case .reading: break loop
            case .status(let status) where status.state != .running: troubles.append(status)
            default: break
            }
        }
        #expect(
            troubles.map(\.description) == [
                "stale: capturing iio:device0 failed: the daemon did not answer in time; "
                    + "it is started anew"
            ])
    }

    @Test("survives a daemon that is started again")
    func restart() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let sensor = try await accelerometer(plugin(daemon))
        daemon.push(ramp(1..<2))
        var states: [SensorStatus.State] = []
        loop: for try await update in sensor.readings().updates {
            switch update {
            case .reading(let reading):
                if reading.x > 0.5 { break loop }
                daemon.suspendService()
            case .status(let status):
                states.append(status.state)
                if status.state == .reconnecting {
                    try daemon.resumeService()
                    daemon.push(ramp(100..<101))
                }
            default: break
            }
        }
        #expect(states == [.running, .reconnecting, .running])
    }

    @Test("closes soon while the daemon says nothing")
    func silence() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let sensor = try await accelerometer(plugin(daemon))
        for fault in [FakeIIOD.Fault?.none, .stall] {
            if let fault { daemon.inject(fault) }
            let listener = try await Listener(sensor, .default)
            let opens = daemon.commands.count { $0.hasPrefix("OPEN") }
            #expect(await daemon.heard("READBUF", times: opens))
            let before = SystemClock().now
            await listener.session.close()
            #expect(before.duration(to: SystemClock().now) < .seconds(2))
            #expect(listener.readings.isEmpty)
        }
    }

    @Test("bears a daemon that captures more channels than were asked for")
    func secondClient() async throws {
        let daemon = try FakeIIOD(devices: [.imu()])
        defer { daemon.stop() }
        // With eight scans a refill, a cut one at the end leaves whole ones.
        daemon.set("sampling_frequency", in: "iio:device0", to: "1600")
        daemon.inject(.capture(["anglvel_x", "anglvel_y", "anglvel_z"]))
        let sensor = try await accelerometer(plugin(daemon))
        daemon.push((0..<8).map { ["accel_x": $0, "accel_z": 16384, "anglvel_x": 99] })
        var readings: [Acceleration] = []
        for try await reading in sensor.readings() {
            readings.append(reading)
            if readings.count == 4 { break }
        }
        #expect(readings.map { ($0.x / 0.000598).rounded() } == [0, 1, 2, 3])
        #expect(readings.allSatisfy { abs($0.z - 9.797632) < 1e-9 })
    }

    @Test("finds no sensors where no daemon is")
    func absent() async throws {
        let daemon = try FakeIIOD(devices: [])
        daemon.stop()
        let log = Collected<String>()
        #expect(try await plugin(daemon, log: log).discover().isEmpty)
        #expect(log.all.contains { $0.contains(daemon.uri) })
    }

    @Test("leaves no thread and no connection behind")
    func leaks() async throws {
        let daemon = try FakeIIOD(devices: [.accelerometer()])
        defer { daemon.stop() }
        let plugin = plugin(daemon)
        let sensor = SharedSensor(try await accelerometer(plugin))
        let threads = ProcessCounts.threads
        let files = ProcessCounts.files
        for _ in 0..<50 {
            // Over and over: the daemon may not have noticed yet that the last capture is over, and
            // then gives a scan to nobody.
            let device = Task {
                while !Task.isCancelled {
                    daemon.push(ramp(1..<2))
                    await SystemClock().pause(for: .milliseconds(10))
                }
            }
            _ = try await sensor.readings().first { _ in true }
            device.cancel()
            await device.value
            await sensor.closed()
            #expect(plugin.readerCount == 0)
        }
        // The threads of both sides end a moment after their connections.
        #expect(await daemon.heard("EXIT", times: 51))
        #expect(ProcessCounts.threads < threads + 25)
        #expect(ProcessCounts.files < files + 25)
    }
}

/// How many threads and open files this process has.
enum ProcessCounts {
    static var threads: Int { count("/proc/self/task") }
    static var files: Int { count("/proc/self/fd") }

    private static func count(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
#endif
