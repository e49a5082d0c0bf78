import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

@Suite("iio plugin", .timeLimit(.minutes(1)))
struct ConformanceTests {
    /// A device of each sort: captured alone, captured together, polled.
    ///
    /// - Parameter rates: the barometer's; by default it tells none, and is polled once a second.
    private static func devices(rates: String? = nil) -> [ScriptedDevice] {
        let rate = rates.map { ["sampling_frequency": "1", "sampling_frequency_available": $0] }
        return
            [
                .accelerometer(feed: .signal { ["accel_x": Int64($0 % 100), "accel_z": 981] }),
                .imu(
                    id: "iio:device1",
                    feed: .signal { ["accel_z": 16384, "anglvel_x": Int64($0 % 50)] }),
                ScriptedDevice(
                    id: "iio:device2", name: "bmp280", path: "i2c-3/3-0076",
                    attributes: rate ?? [:],
                    channels: [
                        ScriptedChannel("temp", attributes: ["input": "21500"]),
                        ScriptedChannel("pressure", attributes: ["input": "101.325"]),
                    ], feed: .none),
                ScriptedDevice(
                    id: "iio:device3", name: "cm36651", path: "i2c-3/3-0018",
                    channels: [
                        ScriptedChannel("illuminance", attributes: ["input": "350"]),
                        ScriptedChannel("proximity", attributes: ["raw": "17"]),
                    ], feed: .none),
            ]
    }

    @Test("passes the conformance checks, every sensor of it")
    func linked() async {
        let clock = VirtualClock()
        let spy = IIOLinkSpy(clock: clock, devices: Self.devices())
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { _ in try await spy.suffer(.unplug) },
                mendSource: { _ in try await spy.suffer(.replug) },
                openCount: { spy.connectionCount }))
        let report = await conformance.check { host in spy.plugin(for: host) }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 8)
        #expect(spy.captureCount == 0)
    }

    #if IIO
    @Test("passes them loaded, with libiio and a daemon below")
    func loaded() async throws {
        let daemon = try FakeIIOD(devices: Self.devices(rates: "1 5 10"))
        defer { daemon.stop() }
        let conformance = SensorConformance(
            clock: SystemClock(), configuration: ["iio.uri": daemon.uri],
            selects: {
                [.acceleration, .pressure].contains($0.kind) && !$0.id.rawValue.contains("mpu")
            })
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(file: BuiltPlugins.file(of: "IIO"))
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 2)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "IIO"))
        let note = try #require(file.note)
        #expect(note.id == IIO.manifest.id)
        #expect(note.version == IIO.manifest.version)
        #expect(Set(note.kinds) == Set(IIO.manifest.kinds))
    }
    #endif
}
