import Dispatch
import Glibc
import Sensorium
import Testing

/// A program that a test runs, and may kill.
final class ChildProcess: Sendable {
    struct Result {
        /// The exit status, or minus the number of the signal that ended it.
        var status: Int32
        var output: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let pid: pid_t
    private let output: Int32

    /// Starts a program; what it writes to either output is read together.
    init(_ arguments: [String], environment: [String] = []) throws {
        var ends: [Int32] = [0, 0]
        // Not a pipe: Swift has no pipe2, and a child of another test must not inherit the end.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        // A report of the crash by Swift or by a sanitizer takes seconds, and is not what is tested.
        let variables =
            [
                "PATH=\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")",
                "SWIFT_BACKTRACE=enable=no", "TSAN_OPTIONS=handle_segv=0:handle_abort=0",
                "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0",
            ] + environment
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, arguments[0], &actions, nil, &argv, &envp)
        close(ends[1])
        pid = child
        output = ends[0]
        try #require(status == 0, "\(arguments[0]) cannot be started (\(status))")
    }

    /// Runs a program to its end.
    static func run(_ arguments: [String], environment: [String] = []) async throws -> Result {
        let child = try ChildProcess(arguments, environment: environment)
        return await child.wait()
    }

    /// Runs the loader's probe to its end.
    static func probe(_ arguments: String..., environment: [String] = []) async throws -> Result {
        try await run([Files.products + "/LoaderProbe"] + arguments, environment: environment)
    }

    /// Reads until a line that begins with `start` has come, or the end.
    func waitForLine(_ start: String) async -> Bool {
        await Self.onThread { [output] in
            var text = ""
            var byte: UInt8 = 0
            while Glibc.read(output, &byte, 1) == 1 {
                if byte != UInt8(ascii: "\n") {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else if text.hasPrefix(start) {
                    return true
                } else {
                    text = ""
                }
            }
            return false
        }
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Reads what is left, and waits for the end.
    func wait() async -> Result {
        await Self.onThread { [output, pid] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Glibc.read(output, &buffer, buffer.count)
                if count <= 0 { break }
                bytes += buffer[..<count]
            }
            close(output)
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            return Result(
                status: signal == 0 ? (status >> 8) & 0xff : -signal,
                output: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Blocking calls stay off the tests' pool.
    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
