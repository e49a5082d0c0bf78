import Sensorium
import SensoriumTestKit
import Testing

/// A plugin whose sensors are the test's spies.
final class SpyPlugin: PluginInstance {
    let manifest: PluginManifest
    let sensors: [any Sensor]
    let tell = Collected<@Sendable (SensorChange) -> Void>()
    let stops = Collected<Void>()

    init(_ id: String, _ sensors: [any Sensor]) {
        manifest = PluginManifest(id: id, version: "1.0.0", kinds: [])
        self.sensors = sensors
    }

    func discover() async throws(SensorError) -> [any Sensor] { sensors }
    func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async { self.tell.append(tell) }
    func stop() async { stops.append(()) }
}

@Suite("sensor registry", .timeLimit(.minutes(1)))
struct SensorRegistryTests {
    let clock = VirtualClock()

    func accelerometer(
        _ id: SensorID, preferred: Bool = false, simulated: Bool = false
    ) -> MotionSensorSpy<Acceleration> {
        MotionSensorSpy<Acceleration>(
            clock: clock,
            descriptor: SensorDescriptor(
                id: id, kind: .acceleration, name: "Accelerometer", isSimulated: simulated,
                isPreferred: preferred))
    }

    @Test("finds sensors by what they give, the best first")
    func queries() async throws {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(
            SpyPlugin(
                "p",
                [
                    accelerometer("p/a"), accelerometer("p/b", preferred: true),
                    accelerometer("p/0", preferred: true, simulated: true),
                    LocationSensorSpy("p/gps", clock: clock),
                ]))
        #expect(registry.sensors(of: Acceleration.self).map(\.id) == ["p/b", "p/a", "p/0"])
        #expect(registry.preferred(of: LocationFix.self)?.id == "p/gps")
        #expect(registry.sensors(of: Pressure.self).isEmpty)
        #expect(registry.sensor("p/gps", of: LocationFix.self) != nil)
        #expect(registry.sensor("p/gps", of: Acceleration.self) == nil)
        #expect(registry.descriptors.first?.kind == .location)
    }

    @Test("tells of arrivals and departures, and ends the streams of what left")
    func changes() async throws {
        let (clock, sensor) = (clock, accelerometer("p/a"))
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        let plugin = SpyPlugin("p", [])
        try await registry.add(plugin)
        let seen = Collected<RegistryChange>()
        let errors = Collected<SensorError>()
        try await clock.run {
            let changes = registry.changes
            let watcher = clock.spawn("watcher") {
                for await change in changes { seen.append(change) }
            }
            for tell in plugin.tell.all { tell(.arrived(sensor)) }
            clock.spawn("reader") {
                do throws(SensorError) {
                    for try await _ in registry.preferred(of: Acceleration.self)?.readings()
                        ?? sensor.readings()
                    {}
                } catch { errors.append(error) }
            }
            try await sensor.started()
            for tell in plugin.tell.all { tell(.departed("p/a")) }
            try await sensor.stopped()
            watcher.cancel()
            await watcher.value
        }
        #expect(seen.all == [.arrived(sensor.descriptor), .departed(sensor.descriptor)])
        #expect(errors.all.count == 1)
        #expect(registry.descriptors.isEmpty)
    }

    @Test("keeps the first of two sensors, or plugins, of one id")
    func doubles() async throws {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        let first = accelerometer("p/a")
        #expect(registry.add(first))
        #expect(!registry.add(accelerometer("p/a", preferred: true)))
        #expect(registry.preferred(of: Acceleration.self)?.descriptor == first.descriptor)
        try await registry.add(SpyPlugin("p", []))
        await #expect(throws: SensorError.self) { try await registry.add(SpyPlugin("p", [])) }
    }

    @Test("a plugin that is removed is stopped, and its sensors go")
    func removing() async throws {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        let plugin = SpyPlugin("p", [accelerometer("p/a")])
        try await registry.add(plugin)
        await registry.remove(plugin: "p")
        #expect(registry.descriptors.isEmpty)
        #expect(plugin.stops.all.count == 1)
        for tell in plugin.tell.all { tell(.arrived(accelerometer("p/late"))) }
        #expect(registry.descriptors.isEmpty)
    }

    @Test("hands one shared sensor to all who ask")
    func identity() {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        registry.add(accelerometer("p/a"))
        let (one, two) = (
            registry.preferred(of: Acceleration.self), registry.sensor("p/a", of: Acceleration.self)
        )
        #expect(one != nil && one === two)
    }
}
