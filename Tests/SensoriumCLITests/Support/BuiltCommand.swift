import Glibc
import Sensorium
import SensoriumTestKit

@testable import SensoriumCLI

/// A run of the program that was built together with these tests.
final class BuiltCommand: Sendable {
    let process: pid_t
    /// What its standard output goes to.
    let output: Pipe
    private let errors: Pipe

    /// How it ended, and what it said on standard error.
    struct Ending: Sendable {
        /// What it gave back; 128 and the number of the signal that killed it, as shells count.
        var status: Int32
        var errors: String
    }

    /// The program's file, in the folder of the program that runs the tests.
    static var path: String { "\(BuiltPlugins.folder)/sensorium" }

    static var isBuilt: Bool { access(path, X_OK) == 0 }

    /// Whether it will find the simulated sensors.
    static var hasSimulated: Bool {
        isBuilt && access(BuiltPlugins.file(of: "Simulated"), R_OK) == 0
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - input: what it reads; nothing by default.
    ///   - output: where its standard output goes; a pipe by default.
    ///   - closed: the standard descriptor that it has not.
    init(
        _ arguments: [String], input: String = "", output target: Int32? = nil,
        without closed: Int32? = nil
    ) throws {
        let (input, output, errors) = (try Pipe(holding: input), try Pipe(), try Pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, target ?? output.writing, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO)
        if let closed { posix_spawn_file_actions_addclose(&actions, closed) }
        let words = ([Self.path] + arguments).map { strdup($0) }
        let variables = Self.environment.map { strdup($0) }
        defer { for text in words + variables { free(text) } }
        var child = pid_t()
        let code = posix_spawn(&child, Self.path, &actions, nil, words + [nil], variables + [nil])
        guard code == 0 else { throw TemporaryFolder.Failure(what: "posix_spawn", code: code) }
        process = child
        output.closeWriting()
        errors.closeWriting()
        (self.output, self.errors) = (output, errors)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: String..., input: String = ""
    ) async throws -> (output: String, ending: Ending) {
        let command = try BuiltCommand(arguments, input: input)
        return await withTaskCancellationHandler {
            (await command.output.closeAndReadAll(), await command.ending())
        } onCancel: {
            kill(command.process, SIGKILL)
        }
    }

    /// Waits for its end; a test whose time is up ends it.
    func ending() async -> Ending {
        let said = await withTaskCancellationHandler {
            await errors.closeAndReadAll()
        } onCancel: {
            kill(process, SIGKILL)
        }
        let status = await onThread { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
        let signal = status & 0x7f
        return Ending(status: signal == 0 ? status >> 8 & 0xff : 128 + signal, errors: said)
    }

    /// Sends it a signal and waits until it has ended; measured on one thread, since a busy pool is
    /// not the command's fault.
    ///
    /// - Returns: how long it took.
    func end(by signal: Int32) async -> Duration {
        await onThread { [process] in
            let start = ThreadCondition.now
            kill(process, signal)
            var state = siginfo_t()
            // It stays a zombie, for ending() to ask.
            while waitid(P_PID, id_t(process), &state, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            return .nanoseconds(ThreadCondition.now - start)
        }
    }

    /// Waits until one of its threads is in a call of write(2) on standard output.
    func untilWriting() async {
        await onThread { while !self.isWriting { sched_yield() } }
    }

    /// Whether a thread is in that call; also true where the kernel does not say.
    ///
    /// Source: proc(5), `/proc/PID/task/TID/syscall`.
    private var isWriting: Bool {
        guard let folder = opendir("/proc/\(process)/task") else { return true }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let path = "/proc/\(process)/task/\(name)/syscall"
            guard !name.hasPrefix("."), access(path, R_OK) == 0 else { continue }
            guard let call = try? FileError.contents(of: path, atMost: 4096) else { return true }
            if String(decoding: call, as: UTF8.self).hasPrefix("\(Self.writeCall) 0x1 ") {
                return true
            }
        }
        return false
    }

    #if arch(x86_64)
    private static let writeCall = 1
    #else
    private static let writeCall = 64
    #endif

    /// Whether it is built with a sanitizer, which takes the signals of a crash for itself.
    static var isSanitized: Bool {
        ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }
    }

    /// Nothing of the user's: no configuration, no plugins of other folders.
    private static var environment: [String] {
        var kept: [String] = []
        for name in ["LD_LIBRARY_PATH", "ASAN_OPTIONS"] {
            if let value = getenv(name) { kept.append("\(name)=\(String(cString: value))") }
        }
        // ThreadSanitizer would sleep for a second before the process ends.
        let options = getenv("TSAN_OPTIONS").map { String(cString: $0) + ":" } ?? ""
        kept.append("TSAN_OPTIONS=\(options)atexit_sleep_ms=0")
        // The backtracer would ask on the terminal what to do with a crash.
        return kept + [
            "SWIFT_BACKTRACE=enable=no", "HOME=/dev/null", "TERM=xterm", "LANG=C.UTF-8",
            "PATH=/usr/bin:/bin",
        ]
    }
}
