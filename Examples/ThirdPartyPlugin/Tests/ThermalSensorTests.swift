import Sensorium
import SensoriumTestKit
import Testing
import ThermalSpy

@testable import ThermalPlugin

@Suite("thermal sensor", .timeLimit(.minutes(1)))
struct ThermalSensorTests {
    let clock = VirtualClock()
    let kernel: ThermalKernelSpy

    init() { kernel = ThermalKernelSpy(clock: clock) }

    @Test("passes the conformance checks")
    func conforms() async {
        let kernel = kernel
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { _ in kernel.unload() }, mendSource: { _ in kernel.say("45000\n") }))
        let report = await conformance.check { host in kernel.plugin(for: host) }
        #expect(report.passed, "\(report)")
        #expect(kernel.journal.unexpected.isEmpty)
    }

    @Test("gives degrees once a second, and counts what is no temperature")
    func readings() async throws {
        let heard = try await hear { clock in
            await clock.advance(by: .seconds(1))
            self.kernel.say("46500\n")
            await clock.advance(by: .seconds(1))
            self.kernel.say("hot\n")
            await clock.advance(by: .seconds(1))
            self.kernel.say("-274000\n")
            await clock.advance(by: .seconds(1))
        }
        #expect(heard == ["running", "45.0", "45.0", "46.5", "malformed", "implausible"])
    }

    @Test("says why nothing comes, and goes on when it can")
    func faults() async throws {
        let heard = try await hear { clock in
            self.kernel.fail("Resource temporarily unavailable")
            await clock.advance(by: .seconds(2))
            self.kernel.say("44000\n")
            await clock.advance(by: .seconds(1))
            self.kernel.unload()
            await clock.advance(by: .seconds(1))
        }
        #expect(heard == ["running", "45.0", "stale", "running", "44.0", "gone"])
        #expect(clock.sleeperCount == 0)
    }

    @Test("numbers zones of one type, and drops what an id cannot hold")
    func names() {
        let zones = ThermalZone.named([
            ("thermal_zone0", "acpitz\n"), ("thermal_zone1", "acpitz\n"), ("thermal_zone2", "\n"),
        ])
        #expect(zones.map(\.name) == ["acpitz", "acpitz-2", "zone"])
    }

    @Test("finds nothing where there is no such folder")
    func absent() async {
        let zones = await ThermalFolder(path: "/nowhere").zones()
        #expect(zones.isEmpty)
    }

    /// What a consumer hears from opening the sensor until `play` has returned.
    private func hear(
        _ play: @escaping @Sendable (VirtualClock) async -> Void
    ) async throws -> [String] {
        let (clock, kernel) = (clock, kernel)
        return try await clock.run {
            let plugin = kernel.plugin(for: PluginHost(clock: clock))
            let sensor = try #require(try await plugin.discover().first as? ThermalSensor)
            let heard = Collected<String>()
            let sink = ReadingSink<Temperature>(
                deliver: { span in for i in span.indices { heard.append("\(span[i].value)") } },
                report: { heard.append("\($0.state)") },
                lose: { heard.append("\($0.reason)") },
                finish: { _ in heard.append("gone") })
            let session = try await sensor.open(.default, delivering: sink)
            await clock.settle()
            await play(clock)
            await session.close()
            return heard.all
        }
    }
}
