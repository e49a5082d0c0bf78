import GPSDPlugin
import GPSDSpy
import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@Suite("gpsd's doubles", .timeLimit(.minutes(1)))
struct GPSDDaemonTests {
    @Test(
        "notice what gpsd would not understand",
        arguments: [
            "?WETCH={};", "hello", "?WATCH={\"enable\":true}",
            "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/serial/by-id/"
                + String(repeating: "x", count: 60) + "\"};",
        ])
    func odd(command: String) async throws {
        let daemon = GPSDDaemonSpy()
        let channel = try await daemon.connect()
        channel.send(Array("?POLL;\r\n?WATCH={\"enable\":true};\r\n".utf8))
        try daemon.journal.verify()
        channel.send(Array("\(command)\r\n".utf8))
        #expect(throws: SpyError.self) { try daemon.journal.verify() }
        #expect(daemon.commands.last == command)
        await channel.close()
    }

    @Test("count what nobody came for")
    func unread() async throws {
        let daemon = GPSDDaemonSpy("one", "two", bare: true)
        let channel = try await daemon.connect()
        #expect(try await channel.receive() == Array("one\r\n".utf8))
        #expect(daemon.unread == 1)
        await channel.close()
    }

    @Test("end at once, also with a client that reads nothing")
    func slowReader() async throws {
        let megabytes = [UInt8](repeating: 0x78, count: 16 << 20)
        let server = try GPSDDaemonServer(.bytes(megabytes), .pause(.seconds(3600)))
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        #expect(isConnected)
        let watch = Array("?WATCH={\"enable\":true};\n".utf8)
        send(client, watch, watch.count, Int32(MSG_NOSIGNAL))
        // The greeting shows that the server has got that far.
        var some = [UInt8](repeating: 0, count: 16)
        #expect(recv(client, &some, some.count, 0) > 0)
        await server.stop()
        #expect(server.connectionCount == 1)
    }
}
