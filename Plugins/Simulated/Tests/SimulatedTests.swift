import Sensorium
import SensoriumTestKit
import SimulatedSpy
import Testing

@testable import SimulatedPlugin

@Suite("simulated plugin", .timeLimit(.minutes(1)))
struct SimulatedTests {
    let clock = VirtualClock()
    let world: SimulatedWorldSpy
    let registry: SensorRegistry

    init() {
        world = SimulatedWorldSpy(clock: clock)
        registry = SensorRegistry(host: PluginHost(clock: clock))
    }

    @Test("runs nothing while nothing is open")
    func idle() async throws {
        let (clock, registry, world) = (clock, registry, world)
        try await clock.run {
            try await registry.add(world.plugin(for: registry.host))
            #expect(registry.descriptors.count == 10)
            #expect(registry.descriptors.allSatisfy { $0.isSimulated })
            await clock.advance(by: .seconds(3600))
        }
        #expect(clock.sleeperCount == 0)
        #expect(world.commands.isEmpty)
    }

    @Test("says that it searches while the fix is lost, and goes on when it is back")
    func fixLost() async throws {
        let heard = try await story(LocationFix.self) { clock, world in
            await clock.advance(by: .seconds(2))
            world.loseFix()
            await clock.advance(by: .seconds(3))
            world.findFix()
            await clock.advance(by: .seconds(2))
        }
        #expect(heard == ["running", "fix", "fix", "searching", "running", "fix", "fix"])
    }

    @Test("is stale after two seconds of silence, and goes on when the sensor answers again")
    func stalled() async throws {
        let heard = try await story(Temperature.self) { clock, world in
            await clock.advance(by: .seconds(1))
            world.stall(.temperature)
            await clock.advance(by: .milliseconds(1900))
            world.resume(.temperature)
            await clock.advance(by: .milliseconds(100))
            world.stall(.temperature)
            await clock.advance(by: .seconds(5))
            world.resume(.temperature)
            await clock.advance(by: .seconds(1))
        }
        #expect(heard == ["running", "fix", "fix", "stale", "running", "fix"])
    }

    @Test("leaves the registry when it is unplugged, and comes back")
    func unplugged() async throws {
        let (registry, id) = (registry, SensorID("simulated/pressure"))
        let heard = try await story(Pressure.self) { clock, world in
            await clock.advance(by: .milliseconds(150))
            world.unplug(.pressure)
            #expect(registry.sensor(id) == nil)
            await clock.advance(by: .seconds(1))
            world.plug(.pressure)
            #expect(registry.sensor(id) != nil)
        }
        #expect(heard.prefix(2) == ["running", "fix"])
        #expect(heard.last?.hasPrefix("simulated/pressure was disconnected") == true)
        #expect(world.connectionCount == 0)
    }

    @Test("refuses what the device refuses, and says what to do")
    func denied() async throws {
        try await registry.add(world.plugin(for: registry.host))
        world.deny(.humidity)
        world.unplug(.illuminance)
        let sensor = try #require(registry.preferred(of: Humidity.self))
        #expect(sensor.authorization == .denied)
        let error = await #expect(throws: SensorError.self) {
            try await sensor.latest(timeout: .seconds(1))
        }
        #expect(
            error?.description == "simulated/humidity may not be used by this process: the device "
                + "refuses this process; allow it to read it")
        #expect(registry.preferred(of: Illuminance.self) == nil)
    }

    @Test("walks where its configuration says, and reports what makes no sense")
    func configuration() {
        let warnings = Collected<String>()
        func walk(_ configuration: [String: String]) -> Walk.Moment {
            let host = PluginHost(
                clock: clock, configuration: { configuration[$0] },
                log: { level, text in if level == .warning { warnings.append(text) } })
            return Walk(configuredBy: host).moment(after: .zero)
        }
        let there = walk(["simulated.start": "-10.5, 20", "simulated.seed": "7"])
        #expect(there.latitude == -10.5)
        #expect(there.longitude == 20)
        #expect(warnings.all.isEmpty)
        for text in ["", "1", "1,2,3", "91,0", "north,0", "0,181"] {
            #expect(walk(["simulated.start": text]).latitude == Walk.Place.default.latitude)
        }
        #expect(walk(["simulated.seed": "-1"]).seed == 1)
        #expect(warnings.all.count == 7)
        #expect(
            warnings.all.last == "simulated.seed is \"-1\", which is not a whole number from 0 on; "
                + "using 1")
    }

    /// What a consumer of the sensor of `type` hears while `script` plays.
    private func story<R: SensorReading>(
        _ type: R.Type,
        _ script: @escaping @Sendable (VirtualClock, SimulatedWorldSpy) async throws -> Void
    ) async throws -> [String] {
        let (clock, world, registry) = (clock, world, registry)
        return try await clock.run {
            try await registry.add(world.plugin(for: registry.host))
            let sensor = try #require(registry.preferred(of: type))
            let heard = Collected<String>()
            let loop = clock.spawn("loop") {
                do throws(SensorError) {
                    for try await update in sensor.readings().updates {
                        switch update {
                        case .reading: heard.append("fix")
                        case .status(let status): heard.append("\(status.state)")
                        case .lost(let loss): heard.append("lost \(loss.count)")
                        }
                    }
                } catch {
                    heard.append("\(error)")
                }
            }
            try await script(clock, world)
            loop.cancel()
            await loop.value
            await registry.removeAll()
            try world.journal.verify()
            return heard.all
        }
    }
}
