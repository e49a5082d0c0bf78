import Dispatch
import Glibc
import Sensorium
import Testing

/// Runs a suite of this test program again, in a process of its own, in an environment that must be
/// there before a program starts: umockdev's devices, a network of its own.
enum MockedRun {
    /// The variable that tells a suite that it runs there, and in what.
    static let variable = "SENSORIUM_SYSTEM_TEST"

    /// Whether this process runs in that environment.
    static func isInside(_ place: String) -> Bool {
        getenv(variable).map { String(cString: $0) == place } ?? false
    }

    /// Whether a program is installed.
    static func has(_ program: String) -> Bool { path(of: program) != nil }

    static func path(of program: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"].map { $0 + program }.first {
            access($0, X_OK) == 0
        }
    }

    /// Whether this user may have a network of his own.
    static let canUnshare: Bool = {
        guard let unshare = path(of: "unshare"), path(of: "ip") != nil else { return false }
        let child = try? Spawned(namespace(unshare) + ["true"])
        return child?.wait() == 0
    }()

    private static func namespace(_ unshare: String) -> [String] {
        geteuid() == 0 ? [unshare, "-n"] : [unshare, "-r", "-n"]
    }

    /// Runs a suite under umockdev.
    ///
    /// - Parameters:
    ///   - tree: the devices.
    ///   - scripts: what can be read from a node, as umockdev's scripts.
    ///   - screens: what input devices answer and play, by their nodes.
    ///   - suite: what runs there.
    static func under(
        _ tree: MockedTree, scripts: [String: [UInt8]] = [:], screens: [String: MockedScreen] = [:],
        suite: String
    ) async throws {
        let folder = try TemporaryFolder()
        let umockdev = try #require(path(of: "umockdev-run"))
        var arguments = [
            umockdev, "--device=\(try folder.write("tree.umockdev", Array(tree.text.utf8)))",
        ]
        for (index, (node, script)) in scripts.sorted(by: { $0.key < $1.key }).enumerated() {
            arguments.append("--script=\(node)=\(try folder.write("\(index).script", script))")
        }
        for (index, (node, screen)) in screens.sorted(by: { $0.key < $1.key }).enumerated() {
            let answers = try folder.write("\(index).ioctl", Array(screen.answers(at: node).utf8))
            let events = try folder.write("\(index).events", Array(screen.recording.utf8))
            arguments += ["--ioctl=\(node)=\(answers)", "--evemu-events=\(node)=\(events)"]
        }
        try await run(arguments + ["--"], suite: suite, place: "umockdev", folder)
    }

    /// Runs a suite in a network of its own, where only the loopback interface is.
    static func inOwnNetwork(suite: String) async throws {
        let unshare = try #require(path(of: "unshare"))
        let folder = try TemporaryFolder()
        let start = #"ip link set lo up && exec "$0" "$@""#
        try await run(
            namespace(unshare) + ["/bin/sh", "-c", start], suite: suite, place: "network", folder)
    }

    private static func run(
        _ prefix: [String], suite: String, place: String, _ folder: TemporaryFolder
    ) async throws {
        let arguments =
            prefix + [
                program, "--testing-library", "swift-testing", "--filter", "SystemTests.\(suite)/",
            ]
        let log = folder.path + "/log"
        let child = try Spawned(arguments, environment: ["\(variable)=\(place)"], output: log)
        let status = await child.end()
        let text = LogFile.text(log)
        #expect(status == 0, "\(arguments.joined(separator: " "))\n\(text)")
        // A filter that fits nothing passes, too.
        #expect(text.contains("passed") && !text.contains("with 0 tests"), "\(text)")
    }

    private static var program: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        return String(
            decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A process that a test has started.
final class Spawned: Sendable {
    let pid: pid_t

    /// Starts a program, in a process group of its own.
    init(_ arguments: [String], environment: [String] = [], output: String = "/dev/null") throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The threads of a Swift program block most signals, and children inherit that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETPGROUP))
        // A child that is this program again needs what its sanitizer was told.
        let sanitizer = ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { (name: String) -> String? in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        let variables =
            ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SWIFT_BACKTRACE=enable=no"] + sanitizer
            + environment
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, arguments[0], &actions, &attributes, &argv, &envp)
        pid = child
        try #require(
            status == 0, "\(arguments[0]) does not start: \(String(cString: strerror(status)))")
    }

    /// Ends it, and all that it has started; on SIGTERM umockdev removes its folder.
    func kill(_ signal: Int32 = SIGTERM) { Glibc.kill(-pid, signal) }

    /// Waits for its end; gives the exit status, or minus the signal's number.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    /// Waits for its end, off the tests' pool; kills it after 50 s.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let guardians = [SIGTERM, SIGKILL].map { signal in
                    DispatchWorkItem { self.kill(signal) }
                }
                for (index, guardian) in guardians.enumerated() {
                    let deadline = DispatchTime.now() + .seconds(50 + 2 * index)
                    DispatchQueue.global().asyncAfter(deadline: deadline, execute: guardian)
                }
                let status = self.wait()
                for guardian in guardians { guardian.cancel() }
                continuation.resume(returning: status)
            }
        }
    }
}

/// A folder that is removed with its files.
final class TemporaryFolder: Sendable {
    let path: String
    private let names = Guarded(["log"])

    init() throws {
        var template = Array("/tmp/sensorium-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    /// Writes a file; gives its path.
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        names.withLock { $0.append(name) }
        return file
    }

    deinit {
        for name in names.withLock({ $0 }) { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// What a program has written.
enum LogFile {
    static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
