import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

@Suite("evdev plugin", .timeLimit(.minutes(1)))
struct ConformanceTests {
    @Test("passes the conformance checks, every sensor of it")
    func linked() async {
        let clock = VirtualClock()
        let spy = EvdevLinkSpy(
            clock: clock, inputs: [.screen(feed: .steady(60)), .remote(feed: .steady(10))])
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { _ in try await spy.suffer(.unplug) },
                mendSource: { _ in try await spy.suffer(.replug) },
                openCount: { spy.openCount }, tellsTime: [.touch, .key]))
        let report = await conformance.check { host in spy.plugin(for: host) }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 2)
    }

    @Test("passes them loaded, on scripted devices below it")
    func loaded() async throws {
        let conformance = SensorConformance(clock: SystemClock())
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(
                file: "\(BuiltPlugins.folder)/libScriptedScreenPlugin.so")
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 2)
    }

    #if Evdev
    @Test("is loaded, and says the same before as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "Evdev"))
        let note = try #require(file.note)
        #expect(note.id == Evdev.manifest.id)
        #expect(note.version == Evdev.manifest.version)
        #expect(Set(note.kinds) == Set(Evdev.manifest.kinds))
        guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
        // Whatever devices this machine has: looking for them is no error.
        _ = try await plugin.discover()
        await plugin.stop()
    }
    #endif
}
