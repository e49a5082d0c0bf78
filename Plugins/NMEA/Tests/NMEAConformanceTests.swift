import Glibc
import NMEAPlugin
import NMEASpy
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import Testing

@Suite("NMEA plugin, examined", .timeLimit(.minutes(1)))
struct NMEAConformanceTests {
    @Test("passes the conformance checks over a scripted receiver, in virtual time")
    func linked() async {
        let clock = VirtualClock()
        let receiver = NMEALineSpy(clock: clock)
        let world = SensorConformance.World(
            makeReadings: { descriptor in
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await receiver.say(.line(Self.line(descriptor.kind, utc)))
            },
            every: .milliseconds(200),
            breakSource: { _ in try await receiver.suffer(.unplug) },
            mendSource: { _ in try await receiver.suffer(.replug) },
            openCount: { receiver.isConnected ? 1 : 0 },
            tellsTime: [.location, .satellites])
        let report = await SensorConformance(clock: clock, world: world).check { host in
            receiver.plugin(host: host)
        }
        #expect(report.passed, "\(report)")
        #expect(report.findings.compactMap(\.sensor).count > 30)
        #expect(throws: Never.self) { try receiver.journal.verify() }
        #expect(clock.sleeperCount == 0)
    }

    @Test("passes them loaded from its file, over real datagrams, in real time")
    func loaded() async throws {
        let sender = try Datagrams()
        let clock = SystemClock()
        let world = SensorConformance.World(
            makeReadings: { [inOrder] descriptor in
                // One after the other, so that stamps come in order.
                inOrder.withLock {
                    let utc = clock.sample(.realtime)?.time.nanoseconds
                    sender.send(Self.line(descriptor.kind, utc))
                }
            },
            every: .milliseconds(50), tellsTime: [.location, .satellites])
        let conformance = SensorConformance(
            clock: clock, configuration: ["nmea.source": "udp:127.0.0.1:\(sender.port)"],
            world: world)
        let report = await conformance.check { host in
            let loader = PluginLoader(host: host, crashMarkers: nil)
            let file = await loader.load(file: BuiltPlugins.file(of: "NMEA"))
            guard case .loaded(let plugin) = file.outcome else { throw SpyError("\(file)") }
            return plugin
        }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 3)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "NMEA"))
        let note = try #require(file.note)
        #expect(note.id == NMEA.manifest.id)
        #expect(note.version == NMEA.manifest.version)
        #expect(Set(note.kinds) == Set(NMEA.manifest.kinds))
    }

    /// Held while a sentence is stamped and sent.
    private let inOrder = Order()

    private final class Order: Sendable {
        private let state = Guarded(())

        func withLock(_ body: () -> Void) { state.withLock { _ in body() } }
    }

    /// Sentences from which a reading of that kind comes.
    private static func line(_ kind: SensorKind, _ utc: Int64?) -> String {
        let position = NMEALine.position(latitude: 10.25, longitude: 20.5, utc: utc)
        return switch kind {
        case .satellites:
            position + "\r\n"
                + NMEALine.sky([
                    Satellite(system: .gps, number: 5, elevation: 45, signal: 40, isUsed: true)
                ])
        case .heading: NMEALine.heading(90)
        default: position
        }
    }
}

/// Sends datagrams to a port of this machine that nobody else uses.
struct Datagrams {
    let port: UInt16

    init() throws {
        let probe = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(probe) }
        var name = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(probe, $0, size) == 0 && getsockname(probe, $0, &size) == 0
            }
        }
        guard isBound else { throw SpyError("no port is free on 127.0.0.1") }
        port = UInt16(bigEndian: name.sin_port)
    }

    func send(_ text: String) {
        let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        var name = Self.address(port)
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    sender, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return name
    }
}
