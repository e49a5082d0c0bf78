import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

/// The plugin in C of `Fixtures/cee.c`, driven by a virtual clock through the boundary.
@Suite(
    "loaded plugin in C", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason))
struct LoadedCPluginTests {
    private let folder: TemporaryFolder
    private let clock = VirtualClock()
    private let test: TestHost

    init() async throws {
        folder = try TemporaryFolder()
        test = TestHost(clock: clock, ["cee.greeting": "grüß Gott"])
        try await PluginFoundry.build("cee", to: folder / "cee.so")
    }

    private func barometer() async throws -> (LoadedPlugin, LoadedSensor<Pressure>) {
        let plugin = try await test.load(folder / "cee.so")
        let sensors = try await plugin.discover()
        return (plugin, try #require(sensors.loaded("cee/pressure")))
    }

    @Test("reads the host's configuration and writes its log")
    func host() async throws {
        let plugin = try await test.load(folder / "cee.so")
        #expect(test.log.all == ["info: greeting 11 grüß Gott"])
        #expect(plugin.manifest == PluginManifest(id: "cee", version: "1.0.0", kinds: [.pressure]))
        await plugin.stop()
    }

    @Test("describes its sensors")
    func descriptor() async throws {
        let (plugin, sensor) = try await barometer()
        #expect(
            sensor.descriptor
                == SensorDescriptor(
                    id: "cee/pressure", kind: .pressure, name: "Barometer in C", range: 120_000,
                    rates: .listed([1, 10, 50]), isSimulated: true))
        await plugin.stop()
    }

    @Test("delivers on the virtual clock, in order, what it says before it has opened included")
    func virtualTime() async throws {
        let (plugin, sensor) = try await barometer()
        let (clock, recorder) = (clock, Recorder<Pressure>())
        let start = clock.now
        try await clock.run {
            let session = try await sensor.open(
                SamplingRequest(rate: 10), delivering: recorder.sink)
            #expect(session.grantedRate == 10)
            await clock.advance(by: .milliseconds(350))
            await session.close()
            await clock.advance(by: .seconds(10))
        }
        #expect(recorder.order == "status loss reading reading reading reading finish")
        let times = recorder.readings.map { start.duration(to: $0.instant) }
        let expected = [0, 100, 200, 300].map { Duration.milliseconds($0) }
        #expect(times == expected)
        #expect(recorder.readings.map(\.value) == [100_000, 101_325, 101_325, 101_325])
        let time = try #require(recorder.readings.last?.time)
        #expect(time.utcNanoseconds == 1_767_225_600_300_000_000)
        #expect(time.uncertainty.map { abs($0.inSeconds - 0.001) < 1e-9 } == true)
        #expect(clock.sleeperCount == 0)
        await plugin.stop()
    }

    @Test("changes its rate while readings go on")
    func reconfigure() async throws {
        let (plugin, sensor) = try await barometer()
        let (clock, recorder) = (clock, Recorder<Pressure>())
        try await clock.run {
            let session = try await sensor.open(SamplingRequest(rate: 1), delivering: recorder.sink)
            await clock.advance(by: .seconds(2))
            try await session.reconfigure(SamplingRequest(rate: 200))
            #expect(session.grantedRate == 50)
            await clock.advance(by: .milliseconds(1100))
            await session.close()
            do throws(SensorError) {
                try await session.reconfigure(SamplingRequest(rate: 1))
                Issue.record("a closed session was reconfigured")
            } catch {
                #expect(error.reason == "it is closed")
            }
        }
        // One when it opens, two at 1 Hz; then the next after a second, and five at 50 Hz.
        #expect(recorder.readings.count == 9)
        await plugin.stop()
    }

    @Test("says why it does not open")
    func refuses() async throws {
        let (plugin, sensor) = try await barometer()
        await #expect(
            throws: SensorError.unsupported(
                "cee/pressure", reason: "it gives 50 readings a second at most",
                hint: "ask for less")
        ) {
            _ = try await sensor.open(
                SamplingRequest(rate: 100), delivering: Recorder<Pressure>().sink)
        }
        await plugin.stop()
    }

    @Test("asks for the right to be read")
    func authorization() async throws {
        let (plugin, sensor) = try await barometer()
        #expect(sensor.authorization == .notDetermined)
        #expect(await sensor.requestAuthorization() == .authorized)
        #expect(sensor.authorization == .authorized)
        await plugin.stop()
    }

    @Test("tells a registry of what comes and goes")
    func arrivals() async throws {
        let plugin = try await test.load(folder / "cee.so")
        let (clock, registry) = (clock, SensorRegistry(host: test.host))
        try await clock.run {
            try await registry.add(plugin)
            #expect(registry.descriptors.map(\.id) == ["cee/pressure"])
            await clock.advance(by: .milliseconds(1500))
            #expect(registry.descriptors.map(\.id) == ["cee/guest", "cee/pressure"])
            await clock.advance(by: .seconds(1))
            #expect(registry.descriptors.map(\.id) == ["cee/pressure"])
            await registry.removeAll()
        }
        #expect(plugin.isStopped)
    }

    @Test("ends its streams when it is stopped under them")
    func stops() async throws {
        let (plugin, sensor) = try await barometer()
        let (clock, recorder) = (clock, Recorder<Pressure>())
        try await clock.run {
            _ = try await sensor.open(SamplingRequest(rate: 1), delivering: recorder.sink)
            await plugin.stop()
            await plugin.stop()
        }
        guard case .finish(.unavailable(_, let reason, _)) = recorder.events.all.last else {
            Issue.record("the stream goes on: \(recorder.order)")
            return
        }
        #expect(reason == "its plugin was stopped")
        await #expect(throws: SensorError.self) { try await plugin.discover() }
        await #expect(throws: SensorError.self) {
            _ = try await sensor.open(.default, delivering: recorder.sink)
        }
        #expect(clock.sleeperCount == 0)
    }
}
