import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("v4l2 plugin", .timeLimit(.minutes(1)))
struct ConformanceTests {
    @Test("passes the conformance checks, every camera of it")
    func linked() async {
        let clock = VirtualClock()
        let spy = V4L2LinkSpy(
            clock: clock,
            cameras: [
                ScriptedCamera(feed: .steady), .metadata(),
                ScriptedCamera(
                    node: "/dev/video2", name: "grabber", place: "platform/grabber",
                    modes: [.init(.nv12, [(64, 48)], rates: [25, 50])], padding: 16, feed: .steady),
            ])
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { _ in try await spy.suffer(.unplug) },
                mendSource: { _ in try await spy.suffer(.replug) },
                openCount: { spy.openCount }, tellsTime: [.camera]))
        let report = await conformance.check { host in spy.plugin(for: host) }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 2)
        #expect(spy.mappedCount == 0)
    }

    @Test("passes them loaded, on scripted cameras below it")
    func loaded() async throws {
        let conformance = SensorConformance(clock: SystemClock())
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(
                file: "\(BuiltPlugins.folder)/libScriptedCameraPlugin.so")
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 1)
    }

    @Test("is loaded, and says the same before as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "V4L2"))
        let note = try #require(file.note)
        #expect(note.id == V4L2.manifest.id)
        #expect(note.version == V4L2.manifest.version)
        #expect(Set(note.kinds) == Set(V4L2.manifest.kinds))
        guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
        // Whatever cameras this machine has: looking for them is no error.
        _ = try await plugin.discover()
        await plugin.stop()
    }
}
