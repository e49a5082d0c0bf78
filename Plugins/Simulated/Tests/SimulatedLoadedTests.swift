import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import SimulatedPlugin
import Testing

/// In real time, since a loaded plugin's tasks run on threads of its own.
@Suite("simulated plugin, loaded", .timeLimit(.minutes(1)))
struct SimulatedLoadedTests {
    @Test("passes the conformance checks on the other side of the boundary")
    func conforms() async {
        let conformance = SensorConformance(
            clock: SystemClock(), world: .init(tellsTime: [.location, .satellites]))
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(file: BuiltPlugins.file(of: "Simulated"))
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 10)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "Simulated"))
        let note = try #require(file.note)
        #expect(note.id == Simulated.manifest.id)
        #expect(note.version == Simulated.manifest.version)
        #expect(Set(note.kinds) == Set(Simulated.manifest.kinds))
    }
}
