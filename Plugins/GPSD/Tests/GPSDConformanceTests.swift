import GPSDPlugin
import GPSDSpy
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

@Suite("gpsd plugin, examined", .timeLimit(.minutes(1)))
struct GPSDConformanceTests {
    @Test("passes the conformance checks over a scripted gpsd, in virtual time")
    func linked() async {
        let clock = VirtualClock()
        let daemon = GPSDDaemonSpy(clock: clock)
        let world = SensorConformance.World(
            makeReadings: { descriptor in
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await daemon.say(.line(Self.line(descriptor.kind, utc)))
            },
            every: .milliseconds(200),
            breakSource: { _ in try await daemon.suffer(.deny) },
            mendSource: { _ in try await daemon.suffer(.permit) },
            openCount: { daemon.isConnected ? 1 : 0 },
            tellsTime: Set(GPSD.manifest.kinds))
        let report = await SensorConformance(clock: clock, world: world).check { host in
            daemon.plugin(host: host)
        }
        #expect(report.passed, "\(report)")
        #expect(report.findings.compactMap(\.sensor).count > 40)
        #expect(throws: Never.self) { try daemon.journal.verify() }
        #expect(clock.sleeperCount == 0)
    }

    @Test("passes them loaded from its file, over a real socket, in real time")
    func loaded() async throws {
        let server = try GPSDDaemonServer()
        let clock = SystemClock()
        let world = SensorConformance.World(
            makeReadings: { [inOrder] descriptor in
                // One after the other, so that stamps come in order.
                inOrder.withLock {
                    let utc = clock.sample(.realtime)?.time.nanoseconds
                    server.say(.line(Self.line(descriptor.kind, utc)))
                }
            },
            every: .milliseconds(50), tellsTime: Set(GPSD.manifest.kinds))
        let conformance = SensorConformance(
            clock: clock, configuration: ["gpsd.address": server.address], world: world)
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(file: BuiltPlugins.file(of: "GPSD"))
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        await server.stop()
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 4)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "GPSD"))
        let note = try #require(file.note)
        #expect(note.id == GPSD.manifest.id)
        #expect(note.version == GPSD.manifest.version)
        #expect(Set(note.kinds) == Set(GPSD.manifest.kinds))
    }

    /// Held while a report is stamped and said.
    private let inOrder = Order()

    private final class Order: Sendable {
        private let state = Guarded(())

        func withLock(_ body: () -> Void) { state.withLock { _ in body() } }
    }

    /// A report from which a reading of that kind comes.
    private static func line(_ kind: SensorKind, _ utc: Int64?) -> String {
        switch kind {
        case .satellites:
            GPSDLine.sky(
                [Satellite(system: .gps, number: 5, elevation: 45, signal: 40, isUsed: true)],
                utc: utc)
        case .heading, .attitude: GPSDLine.attitude(heading: 90, pitch: 1, roll: -1, utc: utc)
        default: GPSDLine.position(latitude: 10.25, longitude: 20.5, utc: utc)
        }
    }
}
