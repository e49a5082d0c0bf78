import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Capturing", .timeLimit(.minutes(1)))
struct CaptureTests {
    private let ramp: ScriptedDevice.Feed = .signal { number in
        ["accel_x": Int64(number), "accel_y": -Int64(number), "accel_z": 1000]
    }

    @Test("gives readings at the device's rate, stamped by the kernel on boot time")
    func stamps() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        try await bench.clock.run {
            let start = bench.clock.now
            let accelerometer = try await bench.accelerometer()
            #expect(accelerometer.session.grantedRate == 100)
            await bench.clock.advance(by: .milliseconds(55))
            let readings = accelerometer.readings
            #expect(readings.count == 5)
            #expect(readings.map(\.x) == (0..<5).map { Double($0) * 0.01 })
            #expect(readings.map(\.z) == [10, 10, 10, 10, 10])
            #expect(
                readings.map { start.duration(to: $0.instant) }
                    == (1...5).map { .milliseconds(10 * $0) })
            #expect(readings.allSatisfy { $0.time.source == .device && $0.flags.isEmpty })
            #expect(readings.allSatisfy { $0.time.original?.domain == .boottime })
            #expect(accelerometer.states == [.running])
            await accelerometer.session.close()
            await bench.clock.advance(by: .seconds(1))
            #expect(accelerometer.readings.count == 5)
            #expect(bench.spy.captureCount == 0)
            #expect(bench.spy.connectionCount == 0)
            #expect(bench.plugin.readerCount == 0)
        }
        #expect(bench.spy.attribute("current_timestamp_clock", in: "iio:device0") == "boottime")
        try bench.spy.journal.verify()
    }

    @Test("maps the kernel's UTC where the clock cannot be chosen")
    func realtime() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        bench.spy.fail(.write, with: 16)
        try await bench.clock.run {
            let start = bench.clock.now
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(25))
            #expect(
                accelerometer.readings.map { start.duration(to: $0.instant) }
                    == [.milliseconds(10), .milliseconds(20)])
            #expect(accelerometer.readings.first?.time.original?.domain == .realtime)
            // Somebody sets the clock: the readings' instants do not jump.
            bench.clock.step(.realtime, by: .seconds(3600))
            await bench.clock.advance(by: .milliseconds(10))
            #expect(
                accelerometer.readings.last.map { start.duration(to: $0.instant) }
                    == .milliseconds(30))
            await accelerometer.session.close()
        }
    }

    @Test("places stamps that make no sense by arrival, says so once, and keeps their spacing")
    func implausible() async throws {
        let recorded: ScriptedDevice.Feed = .signal { number in
            ["accel_z": 1000, "timestamp": 1_500_000_000_000_000_000 + Int64(number) * 10_000_000]
        }
        let bench = Bench([.accelerometer(feed: recorded)])
        bench.spy.fail(.write, with: 13)
        try await bench.clock.run {
            let start = bench.clock.now
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(45))
            let readings = accelerometer.readings
            #expect(
                readings.map { start.duration(to: $0.instant) }
                    == (1...4).map { .milliseconds(10 * $0) })
            #expect(readings.allSatisfy { $0.time.source == .arrival })
            #expect(readings.first?.time.original?.nanoseconds == 1_500_000_000_000_000_000)
            await accelerometer.session.close()
        }
        #expect(bench.diagnostics.all.filter { $0.contains("stamped on arrival") }.count == 1)
    }

    @Test("captures the sensors of one device together, with one time (IIO-08)")
    func oneScan() async throws {
        let bench = Bench([
            .imu(
                feed: .signal { _ in
                    [
                        "accel_x": 100, "accel_y": -200, "accel_z": 16384, "temp": -1120,
                        "anglvel_x": 10,
                        "anglvel_y": -20, "anglvel_z": 30,
                    ]
                })
        ])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(45))
            let gyroscope = try await bench.open(try await bench.sensor(of: AngularVelocity.self))
            let thermometer = try await bench.open(try await bench.sensor(of: Temperature.self))
            await bench.clock.advance(by: .milliseconds(100))
            #expect(bench.spy.captureCount == 1)
            #expect(bench.plugin.readerCount == 1)
            let (force, turn) = (accelerometer.readings, gyroscope.readings)
            #expect(!turn.isEmpty)
            #expect(Array(force.map(\.instant).suffix(turn.count)) == turn.map(\.instant))
            let warmth = thermometer.readings
            #expect(!warmth.isEmpty)
            #expect(Array(force.map(\.instant).suffix(warmth.count)) == warmth.map(\.instant))
            let reading = try #require(turn.last)
            #expect(abs(reading.x - 0.01064724) < 1e-12)
            #expect(abs((try #require(warmth.last)).value - 33.2352888) < 1e-9)
            #expect(abs((try #require(force.last)).z - 9.797632) < 1e-9)
            let opens = bench.spy.commands.count { $0.hasPrefix("open") }
            await gyroscope.session.close()
            await thermometer.session.close()
            // Nobody is disturbed by who leaves.
            #expect(bench.spy.commands.count { $0.hasPrefix("open") } == opens)
            let before = accelerometer.readings.count
            await bench.clock.advance(by: .milliseconds(100))
            #expect(accelerometer.readings.count >= before + 4)
            await accelerometer.session.close()
            #expect(bench.spy.captureCount == 0)
        }
        try bench.spy.journal.verify()
    }

    @Test(
        "polls a chip's temperature alone, and captures it beside the motion that it is in one chip with"
    )
    func temperature() async throws {
        let bench = Bench([.imu(feed: .signal { _ in ["temp": -1120] })])
        bench.spy.set("raw", of: "temp", in: "iio:device0", to: "-2420")
        try await bench.clock.run {
            let thermometer = try await bench.open(try await bench.sensor(of: Temperature.self))
            await bench.clock.advance(by: .milliseconds(100))
            #expect(bench.spy.captureCount == 0)
            #expect(abs((try #require(thermometer.readings.last)).value - 29.41176) < 1e-9)
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(100))
            #expect(bench.spy.captureCount == 1)
            #expect(abs((try #require(thermometer.readings.last)).value - 33.2352888) < 1e-9)
            await accelerometer.session.close()
            await bench.clock.advance(by: .milliseconds(100))
            #expect(bench.spy.captureCount == 0)
            #expect(abs((try #require(thermometer.readings.last)).value - 29.41176) < 1e-9)
            await thermometer.session.close()
        }
        try bench.spy.journal.verify()
    }

    @Test("runs the device at the lowest rate that is enough, written and read back (IIO-13)")
    func rate() async throws {
        let bench = Bench([
            .accelerometer(frequency: "0.000000", available: "12 26 52 104 208 416 833", feed: ramp)
        ])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer(rate: 100)
            #expect(accelerometer.session.grantedRate == 104)
            await bench.clock.advance(by: .seconds(1))
            #expect((103...104).contains(accelerometer.readings.count))
            await accelerometer.session.close()
        }
        #expect(bench.spy.attribute("sampling_frequency", in: "iio:device0") == "104")
    }

    @Test("believes a rate that is read back, though it is in no list (IIO-13)")
    func readBack() async throws {
        let bench = Bench([.accelerometer(frequency: "13", available: "12 26 52", feed: ramp)])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            #expect(accelerometer.session.grantedRate == 13)
            await accelerometer.session.close()
        }
    }

    @Test("starts a device that stands at 0 Hz")
    func zero() async throws {
        let bench = Bench([.accelerometer(frequency: "0", available: "12 26", feed: ramp)])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            #expect(accelerometer.session.grantedRate == 12)
            await bench.clock.advance(by: .seconds(1))
            #expect(accelerometer.readings.count >= 11)
            await accelerometer.session.close()
        }
    }

    @Test("gives each sensor of a device its own share of the highest rate")
    func shares() async throws {
        let bench = Bench([.imu(frequency: "10", feed: .signal { _ in [:] })])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer(rate: 10)
            await bench.clock.advance(by: .milliseconds(350))
            #expect(accelerometer.readings.count == 3)
            let gyroscope = try await bench.open(
                try await bench.sensor(of: AngularVelocity.self), rate: 100)
            #expect(gyroscope.session.grantedRate == 100)
            #expect(accelerometer.session.grantedRate == 10)
            let before = accelerometer.readings.count
            await bench.clock.advance(by: .seconds(1))
            #expect((99...100).contains(gyroscope.readings.count))
            #expect((9...11).contains(accelerometer.readings.count - before))
            try await gyroscope.session.reconfigure(SamplingRequest(rate: 20))
            await bench.clock.advance(by: .seconds(1))
            #expect(gyroscope.session.grantedRate == 20)
            await gyroscope.session.close()
            await accelerometer.session.close()
        }
    }

    @Test("reads a fast device in blocks, and holds back for no longer than asked")
    func blocks() async throws {
        let bench = Bench([.accelerometer(frequency: "1600", available: nil, feed: ramp)])
        try await bench.clock.run {
            let sensor = try await bench.sensor(of: Acceleration.self)
            let quick = try await bench.open(sensor, rate: 1600)
            await bench.clock.advance(by: .milliseconds(100))
            #expect((150...160).contains(quick.readings.count))
            await quick.session.close()
            let slow = try await bench.open(sensor, rate: 1600, maxLatency: .milliseconds(100))
            await bench.clock.advance(by: .milliseconds(250))
            #expect(slow.readings.count == 320)
            await slow.session.close()
        }
        let opens = bench.spy.commands.filter { $0.hasPrefix("open") }
        #expect(opens.map { $0.split(separator: " ").last } == ["8", "160"])
    }

    @Test("gives a device its own trigger, or the one that the user names")
    func trigger() async throws {
        var device = ScriptedDevice.accelerometer(feed: ramp)
        device.trigger = nil
        for (configuration, expected) in [
            ([:], "kxcjk1013-dev0"), (["iio.trigger.kxcjk1013": "my-timer"], "my-timer"),
        ] {
            let bench = Bench(
                [device], triggers: ["other", "kxcjk1013-dev0", "my-timer"],
                configuration: configuration)
            try await bench.clock.run {
                let accelerometer = try await bench.accelerometer()
                await accelerometer.session.close()
            }
            #expect(bench.spy.commands.contains("trigger iio:device0 \(expected)"))
        }
    }

    @Test("refuses to share a device with another program")
    func busy() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        bench.spy.fail(.open, with: 16)
        try await bench.clock.run {
            let error = await #expect(throws: SensorError.self) {
                _ = try await bench.accelerometer()
            }
            guard case .busy = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(bench.spy.connectionCount == 0)
        }
        // Not polled: that would disturb the other program.
        #expect(!bench.spy.commands.contains { $0.contains("raw") })
    }

    @Test("does not deliver scans that libiio would shift, and polls instead (IIO-06)")
    func shifted() async throws {
        var device = ScriptedDevice.accelerometer(feed: ramp)
        let types = ["le:s32/32>>0", "le:s32/32>>0", "le:s16/16>>0"]
        // 10 bytes and 2 of padding: libiio counts 10.
        device.channels = ["x", "y", "z"].enumerated().map { index, axis in
            ScriptedChannel(
                "accel_\(axis)", index: index, type: types[index],
                attributes: ["raw": "\(700 + index)", "scale": "0.01"])
        }
        let bench = Bench([device])
        bench.spy.miscountScans()
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .seconds(1))
            #expect(!accelerometer.readings.isEmpty)
            #expect(
                accelerometer.readings.allSatisfy {
                    abs($0.x - 7) + abs($0.y - 7.01) + abs($0.z - 7.02) < 1e-9
                })
            await accelerometer.session.close()
        }
        #expect(bench.diagnostics.all.contains { $0.contains("10 bytes") && $0.contains("12") })
    }

    @Test("places another machine's stamps by arrival, and does not touch its clock")
    func remote() async throws {
        // That machine's clock is years away, and its readings take 3 to 8 ms to come.
        let far: ScriptedDevice.Feed = .signal { number in
            ["accel_z": 1000, "timestamp": 77_000_000_000 + Int64(number + 1) * 10_000_000]
        }
        let bench = Bench([.accelerometer(feed: far)], isLocal: false)
        try await bench.clock.run {
            let start = bench.clock.now
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(105))
            let readings = accelerometer.readings
            #expect(readings.count == 10)
            #expect(
                readings.allSatisfy { $0.time.source == .arrival && $0.time.uncertainty != nil })
            #expect(
                readings.map { start.duration(to: $0.instant) }
                    == (1...10).map { .milliseconds(10 * $0) })
            #expect(accelerometer.session.grantedRate == 100)
            await accelerometer.session.close()
        }
        #expect(!bench.spy.commands.contains { $0.contains("current_timestamp_clock boottime") })
    }

    @Test("flags values at the end of the range (IIO-12)")
    func saturated() async throws {
        let bench = Bench([.accelerometer(feed: .signal { _ in ["accel_z": 32767] })])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(15))
            #expect(accelerometer.readings.first?.flags == .saturated)
            await accelerometer.session.close()
        }
    }
}
