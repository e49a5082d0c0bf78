import Glibc
import Sensorium

/// A real gpsd, in a process of its own.
final class GPSDProcess: Sendable {
    /// Where clients connect.
    let port: UInt16
    /// Where NMEA goes in, one port for each receiver.
    let feedPorts: [UInt16]
    private let devices: [String]
    private let controlPath: String
    private let process = Guarded<pid_t?>(nil)
    private let clock = SystemClock()

    /// Where gpsd is; nil where it is not installed.
    static let program = (["/usr/sbin/gpsd", "/usr/local/sbin/gpsd"] as [String]).first {
        access($0, X_OK) == 0
    }

    /// Prepares one that reads from UDP ports on the loopback interface; starts nothing.
    convenience init(receivers: Int = 1) throws {
        let ports = try (0..<receivers).map { _ in try LoopbackPort.free(SOCK_DGRAM) }
        try self.init(devices: ports.map { "udp://127.0.0.1:\($0)" }, feedPorts: ports)
    }

    /// Prepares one that reads from `devices`; starts nothing.
    init(devices: [String], feedPorts: [UInt16] = []) throws {
        port = try LoopbackPort.free(SOCK_STREAM)
        self.devices = devices
        self.feedPorts = feedPorts
        controlPath = "/tmp/sensorium-gpsd-\(getpid())-\(port).sock"
    }

    deinit {
        if let process = process.withLock({ $0 }) {
            // `timeout` hands it on, and kills after a second.
            kill(process, SIGTERM)
            waitpid(process, nil, 0)
        }
        unlink(controlPath)
    }

    /// What the configuration key `gpsd.address` is for it.
    var address: String { "127.0.0.1:\(port)" }

    /// The path that gpsd knows a receiver by.
    func device(_ receiver: Int = 0) -> String { devices[receiver] }

    /// Starts it, and waits until it listens.
    func start() async throws {
        guard let program = Self.program else { throw GPSDProcessError("gpsd is not installed") }
        for _ in 0..<3 {
            let started = try spawn(
                // `timeout` ends it when the tests crash.
                ["/usr/bin/timeout", "-k", "1", "120", program, "-N", "-n", "-S", "\(port)", "-F"]
                    + [controlPath] + devices)
            process.withLock { $0 = started }
            if await listens(started) { return }
        }
        throw GPSDProcessError("gpsd did not come to listen on port \(port)")
    }

    /// Waits until it listens; false when it ends instead, or takes too long.
    private func listens(_ started: pid_t) async -> Bool {
        for _ in 0..<1000 {
            if waitpid(started, nil, WNOHANG) != 0 {
                process.withLock { $0 = nil }
                return false
            }
            if LoopbackPort.accepts(port) { return true }
            await clock.pause(for: .milliseconds(10))
        }
        await stop()
        return false
    }

    /// Ends it, and waits until it is gone.
    func stop() async {
        guard let running = process.withLock({ $0.take() }) else { return }
        kill(running, SIGTERM)
        for _ in 0..<500 {
            if waitpid(running, nil, WNOHANG) != 0 { return }
            await clock.pause(for: .milliseconds(10))
        }
    }

    /// Takes a receiver away, as `gpsdctl remove` does.
    func remove(_ receiver: Int = 0) throws { try command("-\(device(receiver))") }

    /// Brings a receiver back, as `gpsdctl add` does.
    func add(_ receiver: Int = 0) throws { try command("+\(device(receiver))") }

    private func command(_ line: String) throws {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: controlPath.utf8.prefix(path.count - 1))
        }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { throw GPSDProcessError("gpsd has no socket at \(controlPath)") }
        let text = Array("\(line)\r\n".utf8)
        send(socket, text, text.count, Int32(MSG_NOSIGNAL))
        var answer = [UInt8](repeating: 0, count: 64)
        let count = recv(socket, &answer, answer.count, 0)
        guard count >= 2, answer[0] == UInt8(ascii: "O") else {
            throw GPSDProcessError("gpsd did not take the command \(line)")
        }
    }

    /// Starts a program in an environment in which it cannot meet another gpsd's shared memory.
    private func spawn(_ arguments: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // The threads of a Swift program block most signals, and children inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let environment = [
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "GPSD_SHM_KEY=\(0x5e50_0000 + Int(port))",
        ]
        var vector = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in vector + variables { free(text) } }
        var started: pid_t = 0
        let fault = posix_spawn(&started, arguments[0], &actions, &attributes, &vector, &variables)
        if fault != 0 {
            throw GPSDProcessError(
                "\(arguments[0]) did not start: \(String(cString: strerror(fault)))")
        }
        return started
    }
}

/// The real gpsd could not be used.
struct GPSDProcessError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Ports on the loopback interface.
enum LoopbackPort {
    private static let next = Counter()

    /// A port that nobody uses now, below those that the kernel gives to connections.
    static func free(_ type: __socket_type) throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16(20_000 + (Int(getpid()) * 37 + next.step()) % 12_000)
            let socket = Glibc.socket(AF_INET, Int32(type.rawValue), 0)
            defer { close(socket) }
            var name = address(port)
            let isFree = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return port }
        }
        throw GPSDProcessError("no port is free on 127.0.0.1")
    }

    private final class Counter: Sendable {
        private let count = Guarded(0)

        func step() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Whether something listens there.
    static func accepts(_ port: UInt16) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var name = address(port)
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// That port on 127.0.0.1.
    static func address(_ port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return name
    }
}
