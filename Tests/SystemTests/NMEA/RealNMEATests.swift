import Glibc
import NMEAPlugin
import Sensorium
import Testing

/// A real terminal device, sockets and files, in real time.
@Suite("NMEA from the system", .timeLimit(.minutes(1)))
struct RealNMEATests {
    private let clock = SystemClock()

    private func reading(
        _ source: String, _ body: (inout UpdateReader<LocationFix>) async throws -> Void
    ) async throws {
        let registry = SensorRegistry(
            host: PluginHost(configuration: { $0 == "nmea.source" ? source : nil }))
        try await registry.add(NMEA.self)
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        do {
            var reader = UpdateReader(sensor)
            try await body(&reader)
        }
        await sensor.closed()
        await registry.removeAll()
    }

    @Test(
        "reads a serial device, and comes back after it was pulled out", arguments: ["", "@4800"])
    func serial(rate: String) async throws {
        let receiver = try TerminalReceiver(name: "serial\(rate)")
        let talk = Talk(receiver)
        try await reading("serial:\(receiver.path)\(rate)") { reader in
            let fix = try await reader.reading()
            #expect(fix.latitude == 10.25)
            #expect(fix.altitudeEllipsoid == 140)
            #expect(fix.time.source == .device)
            #expect(abs(fix.instant.duration(to: clock.now).inSeconds) < 2)
            receiver.pullOut()
            let status = try await reader.status(.reconnecting)
            #expect(status.reason.contains(receiver.path))
            #expect(status.hint.contains("plug it in"))
            try receiver.plugIn()
            let before = reader.readings.count
            while reader.readings.count < before + 3 { _ = try await reader.reading() }
            let times = reader.readings.compactMap(\.time.utcNanoseconds)
            #expect(Set(times).count == times.count)
        }
        await talk.end()
    }

    @Test("sets a serial device to raw bytes at the configured speed, and keeps others away")
    func settings() async throws {
        let receiver = try TerminalReceiver(name: "settings")
        let talk = Talk(receiver)
        try await reading("serial:\(receiver.path)@38400") { reader in
            _ = try await reader.reading()
            let descriptor = open(receiver.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            if geteuid() == 0 {
                // Root is let in; the settings can be looked at.
                var settings = termios()
                #expect(tcgetattr(descriptor, &settings) == 0)
                #expect(cfgetispeed(&settings) == speed_t(B38400))
                #expect(settings.c_lflag & tcflag_t(ICANON | ECHO) == 0)
                #expect(settings.c_iflag & tcflag_t(ICRNL) == 0)
                close(descriptor)
            } else {
                #expect(descriptor < 0)
            }
        }
        await talk.end()
    }

    @Test("waits for a serial device that is not there, and says so")
    func missing() async throws {
        try await reading("serial:/dev/sensorium-none@4800") { reader in
            var status = try await reader.status(.waiting)
            while !status.reason.contains("no device") {
                status = try await reader.status(.waiting)
            }
            #expect(status.hint.contains("/dev/serial/by-id"))
        }
    }

    @Test("reads a TCP server, and comes back after it hung up")
    func tcp() async throws {
        let server = try SentenceServer()
        try await reading("tcp:127.0.0.1:\(server.port)") { reader in
            // A stream opens when it is first asked.
            _ = try await reader.status(.waiting)
            for latitude in [1.0, 2.0] {
                try await server.accept()
                server.say(latitude: latitude)
                #expect(try await reader.reading().latitude == latitude)
                server.hangUp()
                _ = try await reader.status(.reconnecting)
            }
        }
    }

    @Test("reads a log at the speed of its recording, and ends with it")
    func file() async throws {
        let path = "/tmp/sensorium-nmea-\(getpid()).log"
        defer { unlink(path) }
        let lines = (0..<4).flatMap { step in
            NMEAEncoder().sentences(
                for: LocationFix(
                    time: ReadingTime(SensorInstant(nanoseconds: 1)), latitude: Double(step),
                    longitude: 2),
                utc: 1_500_000_000_000_000_000 + Int64(step) * 200_000_000)
        }
        let file = try #require(fopen(path, "w"))
        fputs(lines.joined(separator: "\r\n"), file)
        fclose(file)
        let registry = SensorRegistry(
            host: PluginHost(configuration: { $0 == "nmea.source" ? "file:\(path)" : nil }))
        try await registry.add(NMEA.self)
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        var fixes: [LocationFix] = []
        for try await fix in sensor.readings() { fixes.append(fix) }
        #expect(fixes.map(\.latitude) == [0, 1, 2, 3])
        for (first, second) in zip(fixes, fixes.dropFirst()) {
            #expect(first.instant.duration(to: second.instant) >= .milliseconds(199))
        }
        await registry.removeAll()
    }

    @Test("leaves no descriptor behind")
    func descriptors() async throws {
        let receiver = try TerminalReceiver(name: "descriptors")
        let talk = Talk(receiver)
        let before = openDescriptors()
        for _ in 0..<10 {
            try await reading("serial:\(receiver.path)@4800") { reader in
                _ = try await reader.reading()
            }
        }
        // Other tests open files meanwhile; a leak of three a session would stand out.
        #expect(openDescriptors() < before + 20)
        await talk.end()
    }

    private func openDescriptors() -> Int {
        guard let listing = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(listing) }
        var count = 0
        while readdir(listing) != nil { count += 1 }
        return count
    }
}

/// Lets a receiver say where it is every 100 ms, until it is ended.
private struct Talk {
    private let task: Task<Void, Never>

    init(_ receiver: TerminalReceiver) {
        let clock = SystemClock()
        task = clock.spawn("receiver") {
            while !Task.isCancelled {
                receiver.say(latitude: 10.25)
                await clock.pause(for: .milliseconds(100))
            }
        }
    }

    func end() async {
        task.cancel()
        await task.value
    }
}

/// Says sentences to one client at a time.
private final class SentenceServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let client = Guarded<Int32>(-1)

    init() throws {
        port = try LoopbackPort.free(SOCK_STREAM)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var name = LoopbackPort.address(port)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isListening = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isListening, listen(listener, 4) == 0 else {
            throw GPSDProcessError("nothing can listen on port \(port)")
        }
    }

    deinit {
        hangUp()
        close(listener)
    }

    func accept() async throws {
        for _ in 0..<2000 {
            let accepted = Glibc.accept(listener, nil, nil)
            if accepted >= 0 { return client.withLock { $0 = accepted } }
            await SystemClock().pause(for: .milliseconds(10))
        }
        throw GPSDProcessError("nobody connected to port \(port)")
    }

    func say(latitude: Double) {
        let fix = LocationFix(
            time: ReadingTime(SensorInstant(nanoseconds: 1)), latitude: latitude, longitude: 2)
        let text = NMEAEncoder().sentences(for: fix).map { $0 + "\r\n" }.joined()
        let bytes = Array(text.utf8)
        client.withLock { _ = send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    func hangUp() {
        client.withLock { client in
            if client >= 0 { close(client) }
            client = -1
        }
    }
}
