import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Polling", .timeLimit(.minutes(1)))
struct PollTests {
    /// An accelerometer without a buffer: what the attributes say is all there is.
    private func polled(
        raw: (Int, Int, Int) = (1000, -1000, 0), channel: [String: String] = [:],
        device: [String: String] = [:], more: [ScriptedChannel] = []
    ) -> ScriptedDevice {
        let axes = zip(["x", "y", "z"], [raw.0, raw.1, raw.2])
        return ScriptedDevice(
            name: "polled", path: "i2c-1/1-0018", attributes: device,
            channels: axes.map { axis, raw in
                ScriptedChannel(
                    "accel_\(axis)", attributes: channel.merging(["raw": "\(raw)\n"]) { $1 })
            } + more, feed: .none)
    }

    private func firstReading(
        of device: ScriptedDevice, configuration: [String: String] = [:]
    ) async throws -> (reading: Acceleration, diagnostics: [String]) {
        let bench = Bench([device], configuration: configuration)
        let reading = try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(150))
            await accelerometer.session.close()
            return try #require(accelerometer.readings.first)
        }
        try bench.spy.journal.verify()
        return (reading, bench.diagnostics.all)
    }

    private func isNear(_ reading: Acceleration, _ x: Double, _ y: Double, _ z: Double) -> Bool {
        abs(reading.x - x) < 1e-9 && abs(reading.y - y) < 1e-9 && abs(reading.z - z) < 1e-9
    }

    @Test("does not take a thermometer's offset (IIO-05 a)")
    func foreignOffset() async throws {
        let temperature = ScriptedChannel("temp", attributes: ["offset": "12", "raw": "20"])
        let (reading, _) = try await firstReading(
            of: polled(channel: ["scale": "0.153277"], more: [temperature]))
        #expect(isNear(reading, 153.277, -153.277, 0))
    }

    @Test("takes a scale for each axis (IIO-05 b)")
    func perAxis() async throws {
        var device = polled()
        for (axis, scale) in zip(0..<3, ["0.000598", "0.001196", "0.000598"]) {
            device.channels[axis].attributes["scale"] = scale
        }
        let (reading, _) = try await firstReading(of: device)
        #expect(isNear(reading, 0.598, -1.196, 0))
    }

    @Test("takes the scale of the whole device (IIO-05 c)")
    func perDevice() async throws {
        let (reading, _) = try await firstReading(of: polled(device: ["scale": "0.002"]))
        #expect(isNear(reading, 2, -2, 0))
        #expect(reading.flags.isEmpty)
    }

    @Test("gives raw counts, flagged, where there is no scale (IIO-05 d)")
    func unscaled() async throws {
        let temperature = ScriptedChannel("temp", attributes: ["scale": "0.5", "raw": "3"])
        let (reading, diagnostics) = try await firstReading(of: polled(more: [temperature]))
        #expect(isNear(reading, 1000, -1000, 0))
        #expect(reading.flags == .unscaled)
        #expect(diagnostics.contains { $0.contains("no scale") })
    }

    @Test("takes an empty or a zero scale for none", arguments: ["", "0", "nan"])
    func badScale(text: String) async throws {
        let (reading, _) = try await firstReading(of: polled(channel: ["scale": text]))
        #expect(reading.flags == .unscaled)
        #expect(isNear(reading, 1000, -1000, 0))
    }

    @Test("adds an offset before it scales")
    func offset() async throws {
        let (reading, _) = try await firstReading(
            of: polled(channel: ["scale": "0.01", "offset": "100"]))
        #expect(isNear(reading, 11, -9, 1))
    }

    @Test(
        "turns by the mount matrix of every spelling, or refuses it (IIO-11)",
        arguments: [
            ("mount_matrix", "1, 0, 0; 0, 1, 0; 0, 1, 0", 1, 2, -9, true),
            ("in_mount_matrix", "0, 0, 0; 0, 0, 0; 0, 0, 0", 1, 2, -9, true),
            ("in_accel_mount_matrix", "1, 0, 0; 0, -1, 0; 0, 0, -1", 1, -2, 9, false),
            ("in_accel_mount_matrix", "0, 1, 0; -1, 0, 0; 0, 0, 1", 2, -1, -9, false),
            ("in_accel_mount_matrix", "1, 0; 0, 1", 1, 2, -9, true),
            (
                "in_accel_mount_matrix", "0.866, 0.5, 0; -0.5, 0.866, 0; 0, 0, 1", 1.866, 1.232, -9,
                false
            ),
        ] as [(String, String, Double, Double, Double, Bool)])
    func mountMatrix(
        name: String, text: String, x: Double, y: Double, z: Double, isRefused: Bool
    ) async throws {
        var device = polled(raw: (100, 200, -900), channel: ["scale": "0.01"])
        switch name {
        case "in_accel_mount_matrix":
            for axis in 0..<3 { device.channels[axis].attributes["mount_matrix"] = text }
        case "in_mount_matrix":
            device.channels.append(ScriptedChannel("mount", attributes: ["matrix": text]))
        default: device.attributes[name] = text
        }
        let (reading, diagnostics) = try await firstReading(of: device)
        #expect(isNear(reading, x, y, z))
        #expect(diagnostics.filter { $0.contains("mount matrix") }.count == (isRefused ? 1 : 0))
        // The user's own wins over the firmware's.
        let (turned, _) = try await firstReading(
            of: device, configuration: ["iio.mount-matrix.polled": "-1,0,0;0,-1,0;0,0,1"])
        #expect(isNear(turned, -1, -2, -9))
    }

    @Test("believes udev before the firmware")
    func udev() async throws {
        var device = polled(raw: (100, 200, -900), channel: ["scale": "0.01"])
        device.attributes["mount_matrix"] = "1, 0, 0; 0, 1, 0; 0, 0, 1"
        device.properties["ACCEL_MOUNT_MATRIX"] = "0, -1, 0; -1, 0, 0; 0, 0, 1"
        let (reading, _) = try await firstReading(of: device)
        #expect(isNear(reading, -2, -1, -9))
    }

    @Test("reads processed values without scale and offset")
    func processed() async throws {
        let device = ScriptedDevice(
            name: "bmp280",
            channels: [
                ScriptedChannel("pressure", attributes: ["input": "100.653253906", "scale": "7"]),
                ScriptedChannel("temp", attributes: ["input": "25080", "offset": "3"]),
                ScriptedChannel("humidityrelative", attributes: ["input": "41500"]),
            ], feed: .none)
        let bench = Bench([device])
        try await bench.clock.run {
            let barometer = try await bench.open(try await bench.sensor(of: Pressure.self))
            let thermometer = try await bench.open(try await bench.sensor(of: Temperature.self))
            let hygrometer = try await bench.open(try await bench.sensor(of: Humidity.self))
            await bench.clock.advance(by: .milliseconds(1500))
            #expect(abs((try #require(barometer.readings.last)).value - 100_653.253906) < 1e-6)
            #expect(abs((try #require(thermometer.readings.last)).value - 25.08) < 1e-9)
            #expect(abs((try #require(hygrometer.readings.last)).value - 0.415) < 1e-9)
            #expect(bench.plugin.readerCount == 1)
            await barometer.session.close()
            await thermometer.session.close()
            await hygrometer.session.close()
            #expect(bench.plugin.readerCount == 0)
        }
    }

    @Test("flags a proximity without a unit, and a stuck axis (IIO-12)")
    func flags() async throws {
        var device = polled(raw: (0, 16383, 32767), channel: ["scale": "0.000598"])
        device.channels.append(ScriptedChannel("proximity", attributes: ["raw": "812"]))
        let (reading, _) = try await firstReading(of: device)
        #expect(reading.flags == .saturated)
        let bench = Bench([device])
        try await bench.clock.run {
            let proximity = try await bench.open(try await bench.sensor(of: Proximity.self))
            await bench.clock.advance(by: .milliseconds(50))
            #expect(proximity.readings.first?.value == 812)
            #expect(proximity.readings.first?.flags == .unscaled)
            await proximity.session.close()
        }
    }

    @Test("reads at the rate asked for, each reading at the time of the read")
    func rate() async throws {
        let bench = Bench([polled(channel: ["scale": "1"])])
        try await bench.clock.run {
            let start = bench.clock.now
            let accelerometer = try await bench.accelerometer(rate: 20)
            #expect(accelerometer.session.grantedRate == 20)
            await bench.clock.advance(by: .milliseconds(175))
            #expect(
                accelerometer.readings.map { start.duration(to: $0.instant) }
                    == [.zero, .milliseconds(50), .milliseconds(100), .milliseconds(150)])
            #expect(accelerometer.readings.allSatisfy { $0.time.source == .arrival })
            try await accelerometer.session.reconfigure(SamplingRequest(rate: 1000))
            await bench.clock.settle()
            #expect(accelerometer.session.grantedRate == 200)
            await accelerometer.session.close()
        }
    }

    @Test("grants the rate that slow reads allow")
    func slow() async throws {
        let bench = Bench([polled(channel: ["scale": "1"])])
        bench.spy.hold("raw", for: .milliseconds(50))
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer(rate: 50)
            await bench.clock.advance(by: .seconds(3))
            #expect((19...20).contains(accelerometer.readings.count))
            let granted = try #require(accelerometer.session.grantedRate)
            #expect(abs(granted - 1 / 0.15) < 0.1)
            bench.spy.hold("raw", for: nil)
            await bench.clock.advance(by: .seconds(1))
            #expect(accelerometer.session.grantedRate == 50)
            await accelerometer.session.close()
        }
    }

    @Test("is what an unprivileged process gets, and a device without trigger (umask, no buffer)")
    func fallback() async throws {
        for number in [13, 22, 38] {
            let bench = Bench([.accelerometer(raw: (1, 2, 3))])
            bench.spy.fail(.open, with: number, times: 100)
            try await bench.clock.run {
                let accelerometer = try await bench.accelerometer()
                await bench.clock.advance(by: .milliseconds(250))
                #expect(accelerometer.readings.last.map { isNear($0, 0.01, 0.02, 0.03) } ?? false)
                await accelerometer.session.close()
            }
            #expect(bench.diagnostics.all.contains { $0.contains("is polled") })
        }
    }

    @Test("is what a buffer that never fires ends in")
    func neverFires() async throws {
        let bench = Bench([.accelerometer(raw: (1, 2, 3))])
        try await bench.clock.run {
            // Nothing is ever pushed: the first refill times out.
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .seconds(3))
            #expect(!accelerometer.readings.isEmpty)
            #expect(accelerometer.states == [.running])
            await accelerometer.session.close()
        }
    }

    @Test("does not wait for a read that blocks: close ends, others go on (IIO-13)")
    func blocked() async throws {
        let slow = ScriptedDevice(
            id: "iio:device1", name: "slow", path: "i2c-1/1-0077",
            channels: [ScriptedChannel("pressure", attributes: ["input": "100"])], feed: .none)
        let bench = Bench([.accelerometer(feed: .signal { _ in ["accel_z": 981] }), slow])
        bench.spy.hold("input", for: .seconds(6))
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            let barometer = try await bench.open(try await bench.sensor(of: Pressure.self))
            await bench.clock.advance(by: .seconds(5))
            #expect(barometer.readings.isEmpty)
            #expect(barometer.states == [.stale])
            #expect(barometer.statuses.first?.reason.contains("blocked") ?? false)
            // The other sensor's cadence has not changed.
            #expect((499...500).contains(accelerometer.readings.count))
            await bench.clock.advance(by: .seconds(2))
            #expect(barometer.readings.count == 1)
            #expect(barometer.states == [.stale, .running])
            // In the middle of the next read:
            let before = bench.clock.now
            let closed = Collected<Duration>()
            bench.clock.spawn("close") {
                await barometer.session.close()
                closed.append(before.duration(to: bench.clock.now))
            }
            await bench.clock.advance(by: .seconds(10))
            #expect(closed.all.allSatisfy { $0 <= .seconds(2) })
            #expect(closed.all.count == 1)
            #expect(barometer.readings.count == 1)
            await accelerometer.session.close()
            #expect(bench.spy.connectionCount == 0)
        }
    }

    @Test("counts what it cannot read, and goes on")
    func failures() async throws {
        let bench = Bench([polled(channel: ["scale": "1"])])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer(rate: 10)
            await bench.clock.advance(by: .milliseconds(250))
            #expect(accelerometer.readings.count == 3)
            bench.spy.set("raw", of: "accel_y", in: "iio:device0", to: "nonsense")
            await bench.clock.advance(by: .milliseconds(200))
            #expect(accelerometer.readings.count == 3)
            #expect(
                accelerometer.losses == [
                    .init(count: 1, reason: .malformed), .init(count: 1, reason: .malformed),
                ])
            bench.spy.set("raw", of: "accel_y", in: "iio:device0", to: "5")
            bench.spy.fail(.read, with: 16, times: 3)
            await bench.clock.advance(by: .milliseconds(300))
            #expect(accelerometer.losses.filter { $0.reason == .device }.count == 3)
            #expect(accelerometer.states == [.running, .stale])
            await bench.clock.advance(by: .milliseconds(300))
            #expect(accelerometer.states == [.running, .stale, .running])
            #expect(accelerometer.readings.last?.y == 5)
            await accelerometer.session.close()
        }
    }
}
