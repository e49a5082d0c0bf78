import GPSDSpy
import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

/// Real sockets and threads, in real time.
@Suite("gpsd over TCP", .timeLimit(.minutes(1)), .serialized)
struct TCPLinkTests {
    func sensor(_ address: String) async throws -> SharedSensor<LocationFix> {
        let registry = SensorRegistry(
            host: PluginHost(configuration: { $0 == "gpsd.address" ? address : nil }))
        try await registry.add(GPSD.self)
        return try #require(registry.preferred(of: LocationFix.self))
    }

    @Test("reads from a socket, and comes back after a hang-up")
    func reading() async throws {
        let server = try GPSDDaemonServer(
            .line(GPSDLine.position(latitude: 1, longitude: 2)), .hangUp,
            .line(GPSDLine.position(latitude: 3, longitude: 4)))
        let sensor = try await sensor(server.address)
        var latitudes: [Double] = []
        for try await fix in sensor.readings() {
            latitudes.append(fix.latitude)
            if latitudes.count == 2 { break }
        }
        await sensor.closed()
        await server.stop()
        #expect(latitudes == [1, 3])
        #expect(server.connectionCount == 2)
        #expect(
            server.commands == [
                "?WATCH={\"enable\":true,\"json\":true};",
                "?WATCH={\"enable\":true,\"json\":true};",
            ])
    }

    @Test("leaves no descriptor behind")
    func descriptors() async throws {
        // Other tests open files meanwhile; a leak of three a connection would stand out.
        let before = openDescriptors()
        for _ in 0..<30 {
            let server = try GPSDDaemonServer(.line(GPSDLine.position(latitude: 1, longitude: 2)))
            let sensor = try await sensor(server.address)
            #expect(try await sensor.latest(timeout: .seconds(10)).latitude == 1)
            await sensor.closed()
            await server.stop()
        }
        #expect(openDescriptors() < before + 60)
    }

    @Test("a port that nobody listens on is a status with what to do, and no error")
    func refused() async throws {
        let server = try GPSDDaemonServer()
        let address = server.address
        await server.stop()
        let sensor = try await sensor(address)
        var told: [SensorStatus] = []
        for try await case .status(let status) in sensor.readings().updates {
            told.append(status)
            if told.count == 2 { break }
        }
        await sensor.closed()
        #expect(told.last?.state == .waiting)
        #expect(told.last?.reason.contains("refused") == true)
        #expect(told.last?.hint.contains("systemctl") == true)
    }

    @Test(
        "a nonsense address is a status with what to do",
        arguments: ["a:b", "127.0.0.1:99999", "[::1", ":0", "[::1]:0"])
    func nonsense(address: String) async throws {
        let sensor = try await sensor(address)
        var hint = ""
        for try await case .status(let status) in sensor.readings().updates
        where status.reason.contains("is no address") {
            hint = status.hint
            break
        }
        await sensor.closed()
        #expect(hint.contains("gpsd.address"))
    }

    @Test("warns of a nonsense address also where no sensor is opened")
    func warns() {
        let warnings = Collected<String>()
        for address in [":0", ":1"] {
            _ = GPSD(
                host: PluginHost(
                    configuration: { $0 == "gpsd.address" ? address : nil },
                    log: { _, text in warnings.append(text) }))
        }
        #expect(
            warnings.all == [
                "gpsd.address is \":0\", which is not HOST:PORT with a port from 1 to 65535"
            ])
    }

    @Test(
        "reads addresses as people write them",
        arguments: [
            ("host:1", "host:1"), ("host", "host:2947"), (":3", "127.0.0.1:3"),
            ("::1", "[::1]:2947"),
            ("[::1]:4", "[::1]:4"), ("", "127.0.0.1:2947"),
        ])
    func addresses(text: String, wanted: String) {
        #expect(GPSDAddress(text)?.description == wanted)
    }

    private func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
