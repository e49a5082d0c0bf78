import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    private func descriptors(_ bench: Bench) async throws -> [SensorDescriptor] {
        try await bench.clock.run { try await bench.plugin.discover().map(\.descriptor) }
    }

    private func chromebook(_ key: String, _ base: String, _ display: String) -> [ScriptedDevice] {
        zip(["iio:device0", "iio:device1"], [base, display]).map { (id: String, place: String) in
            ScriptedDevice(
                id: id, name: "cros-ec-accel", label: key == "label" ? place : nil,
                path: "platform/cros-ec",
                attributes: key == "location" ? ["location": "\(place)\n"] : [:],
                channels: ["x", "y", "z"].map {
                    ScriptedChannel("accel_\($0)", attributes: ["raw": "0", "scale": "0.000598"])
                }, feed: .none)
        }
    }

    @Test(
        "tells the display's accelerometer from the keyboard's, and prefers it (IIO-12)",
        arguments: [("location", "base", "lid"), ("label", "accel-base", "accel-display")])
    func placement(key: String, base: String, display: String) async throws {
        let found = try await descriptors(Bench(chromebook(key, base, display)))
        #expect(found.map(\.placement) == [.base, .display])
        #expect(found.map(\.isPreferred) == [false, true])
        #expect(Set(found.map(\.id)).count == 2)
        #expect(found.allSatisfy { $0.id.rawValue.split(separator: "/").count == 3 })
        #expect(found[1].id.rawValue.contains(display))
        // The same names when the kernel counts the other way round.
        let reversed = chromebook(key, display, base)
        let again = try await descriptors(Bench(reversed))
        #expect(Set(again.map(\.id)) == Set(found.map(\.id)))
    }

    @Test("names like devices by where they are, whatever their number")
    func names() async throws {
        let a = ScriptedDevice.accelerometer(id: "iio:device0", path: "i2c-0/0-0018")
        let b = ScriptedDevice.accelerometer(id: "iio:device1", path: "i2c-0/0-0019")
        let found = try await descriptors(Bench([a, b])).map(\.id)
        #expect(
            found == ["iio/kxcjk1013@0-0018/acceleration", "iio/kxcjk1013@0-0019/acceleration"])
        let hub = ScriptedDevice.accelerometer(
            name: "accel_3d",
            path: "virtual/misc/uhid/0003:1209:0001.0002/HID-SENSOR-200073.12.auto")
        #expect(
            try await descriptors(Bench([hub])).map(\.id)
                == ["iio/accel_3d@HID-SENSOR-200073/acceleration"])
        var twins = [a, a]
        twins[1].id = "iio:device5"
        #expect(
            try await descriptors(Bench(twins)).map(\.id).last
                == "iio/kxcjk1013@0-0018~2/acceleration")
        let far = try await descriptors(Bench([a], isLocal: false))
        #expect(far.map(\.id) == ["iio/kxcjk1013@far.example/acceleration"])
        #expect(far.first?.needs == "iio:device0 at ip:far.example")
    }

    @Test("finds every quantity of a device, and what each can do")
    func quantities() async throws {
        let found = try await descriptors(Bench([.imu()]))
        #expect(found.map(\.kind) == [.acceleration, .angularVelocity, .temperature])
        let accelerometer = try #require(found.first)
        #expect(accelerometer.rates == .listed([10, 20, 50, 100, 200, 500]))
        #expect(accelerometer.resolution == 0.000598)
        #expect(abs((accelerometer.range ?? 0) - 19.594666) < 1e-6)
        #expect(accelerometer.needs == "/dev/iio:device0")
        #expect(accelerometer.name == "mpu6050 acceleration")
    }

    @Test("prefers the air's temperature over a chip's")
    func temperatures() async throws {
        let air = ScriptedDevice(
            id: "iio:device1", name: "bme280",
            channels: [ScriptedChannel("temp", attributes: ["input": "21000"])], feed: .none)
        let found = try await descriptors(Bench([.imu(), air])).filter { $0.kind == .temperature }
        #expect(found.map(\.isPreferred) == [false, true])
    }

    @Test("finds both accelerometers of the old Chromebook driver")
    func legacy() async throws {
        let device = ScriptedDevice(
            name: "cros-ec-accel-legacy",
            channels: ["x", "y", "z"].map {
                ScriptedChannel(
                    "accel_\($0)", attributes: ["base_raw": "1", "lid_raw": "2", "scale": "0.5"])
            }, feed: .none)
        let bench = Bench([device])
        let found = try await descriptors(bench)
        #expect(found.map(\.placement) == [.display, .base])
        try await bench.clock.run {
            let display = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(50))
            #expect(display.readings.first?.x == 1)
            await display.session.close()
        }
    }

    @Test("leaves out what has no vector to give, and what goes out of the machine")
    func incomplete() async throws {
        let device = ScriptedDevice(
            name: "odd",
            channels: [
                ScriptedChannel("accel_x", attributes: ["raw": "1"]),
                ScriptedChannel("accel_y", attributes: ["raw": "1"]),
                ScriptedChannel("temp_object", attributes: ["raw": "1"]),
                ScriptedChannel("voltage0", attributes: ["raw": "1"]),
                ScriptedChannel("temp0", attributes: ["raw": "1"]),
                ScriptedChannel("temp1", attributes: ["raw": "1"]),
            ], feed: .none)
        let found = try await descriptors(Bench([device]))
        #expect(
            found.map(\.id.rawValue).map { $0.split(separator: "/").last } == [
                "temperature-0", "temperature-1",
            ])
    }

    @Test("bears a machine without devices, and a daemon that is not there")
    func nothing() async throws {
        #expect(try await descriptors(Bench([])).isEmpty)
        let bench = Bench([], isLocal: false)
        bench.spy.fail(.connect, with: 111)
        #expect(try await descriptors(bench).isEmpty)
        #expect(bench.diagnostics.all.contains { $0.contains("refused") })
    }

    @Test("a kernel without IIO is no news")
    func noIIO() async throws {
        let levels = Collected<LogLevel>()
        let clock = VirtualClock()
        let spy = IIOLinkSpy(clock: clock)
        spy.fail(.connect, with: 2)
        let found = try await clock.run {
            try await spy.makePlugin(log: { level, _ in levels.append(level) }).discover()
        }
        #expect(found.isEmpty)
        #expect(levels.all == [.debug])
    }

    @Test("says when libiio cannot list the devices that there are")
    func unreadable() async throws {
        let bench = Bench([.accelerometer()])
        bench.spy.fail(.connect, with: 22)
        await #expect(throws: SensorError.self) { _ = try await descriptors(bench) }
    }

    @Test("looks in several contexts, and gives each sensor once")
    func contexts() async throws {
        let bench = Bench(
            [.accelerometer()], configuration: ["iio.uri": "local:, ip:10.0.0.2:30431"])
        let found = try await descriptors(bench)
        #expect(
            found.map(\.id)
                == ["iio/kxcjk1013@1-000f/acceleration", "iio/kxcjk1013@10.0.0.2/acceleration"])
    }

    @Test("does not wait for an iiod that says nothing longer than 2 s, whatever their number")
    func silence() async throws {
        let bench = Bench(
            [.accelerometer()],
            configuration: ["iio.uri": "ip:10.0.0.2,local:,ip:10.0.0.3:30431"])
        for uri in ["ip:10.0.0.2", "ip:10.0.0.3:30431"] {
            bench.spy.hold(connectionTo: uri, for: .seconds(5))
        }
        let clock = bench.clock
        let found = Collected<SensorDescriptor>()
        try await clock.run {
            let start = clock.now
            let look = clock.spawn("look") {
                found.append(
                    contentsOf: (try? await bench.plugin.discover())?.map(\.descriptor) ?? [])
            }
            await clock.advance(by: .milliseconds(1999))
            #expect(found.all.isEmpty)
            await clock.advance(by: .milliseconds(1))
            await look.value
            #expect(start.duration(to: clock.now) == .seconds(2))
            #expect(found.all.map(\.id) == ["iio/kxcjk1013@1-000f/acceleration"])
            // They answer when nobody waits for them any more.
            await clock.advance(by: .seconds(5))
            #expect(bench.spy.connectionCount == 0)
        }
        #expect(bench.diagnostics.all.count == 2)
        #expect(
            bench.diagnostics.all.allSatisfy {
                $0.hasSuffix(
                    "did not answer within 2.0 s; is iiod running there? "
                        + "(iio.connect-timeout gives it more seconds)")
            })
    }

    @Test("takes what was found at an address for there while the address does not answer")
    func unanswered() async throws {
        let bench = Bench([.accelerometer()], configuration: ["iio.uri": "local:,ip:10.0.0.2"])
        let changes = Collected<String>()
        try await bench.clock.run {
            await bench.plugin.watch { change in
                switch change {
                case .arrived(let sensor): changes.append("+\(sensor.descriptor.id)")
                case .departed(let id): changes.append("-\(id)")
                }
            }
            let found = try await bench.plugin.discover()
            #expect(found.count == 2)
            bench.spy.hold(connectionTo: "ip:10.0.0.2", for: .seconds(9))
            bench.spy.plug(.accelerometer(id: "iio:device1", path: "i2c-1/1-0010"))
            await bench.clock.advance(by: .seconds(10))
            #expect(changes.all == ["+iio/kxcjk1013@1-0010/acceleration"])
            await bench.plugin.stop()
        }
    }

    @Test("tells of devices that come and go, once for a storm of events")
    func hotplug() async throws {
        let bench = Bench([.accelerometer()])
        let changes = Collected<String>()
        try await bench.clock.run {
            await bench.plugin.watch { change in
                switch change {
                case .arrived(let sensor): changes.append("+\(sensor.descriptor.id)")
                case .departed(let id): changes.append("-\(id)")
                }
            }
            _ = try await bench.plugin.discover()
            bench.spy.unplug()
            bench.spy.plug(.imu(id: "iio:device4"))
            await bench.clock.advance(by: .seconds(1))
            let token = "iio/mpu6050@2-0068"
            #expect(
                changes.all
                    == ["-iio/kxcjk1013@1-000f/acceleration"]
                    + ["acceleration", "angular-velocity", "temperature"].map { "+\(token)/\($0)" })
            // A look that fails says nothing.
            bench.spy.fail(.connect, with: 22)
            bench.spy.plug(.accelerometer())
            await bench.clock.advance(by: .seconds(1))
            #expect(changes.all.count == 4)
            await bench.plugin.stop()
            bench.spy.unplug("iio:device4")
            await bench.clock.advance(by: .seconds(1))
            #expect(changes.all.count == 4)
            #expect(bench.clock.sleeperCount == 0)
        }
    }

    @Test("ends its open sensors when it is stopped, and opens none after")
    func stopped() async throws {
        let bench = Bench([.accelerometer(feed: .signal { _ in [:] })])
        try await bench.clock.run {
            let sensor = try await bench.sensor(of: Acceleration.self)
            let accelerometer = try await bench.open(sensor)
            await bench.plugin.stop()
            #expect(accelerometer.isFinished)
            #expect(bench.spy.connectionCount == 0)
            await #expect(throws: SensorError.self) { _ = try await bench.open(sensor) }
            await accelerometer.session.close()
        }
    }
}
