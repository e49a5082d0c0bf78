import Glibc
import Sensorium

/// This program again, in a process of its own that may crash or hang without harm.
///
/// The child runs the same command line with the variable `SENSORIUM_CHECK` set, which makes it do in
/// its own process what its parent would hand to a child.
enum ChildProgram {
    /// Tells a child that it is one.
    static let variable = "SENSORIUM_CHECK"

    /// How a child ended.
    enum End: Hashable, Sendable {
        /// By itself, with that status.
        case exit(Int32)
        /// By a signal of its own making.
        case crash(Int32)
        /// It was killed, since the time was up.
        case timedOut
        /// It could not be started, and why.
        case unstarted(String)
    }

    /// Runs this program with `arguments`, and gives what it wrote to both outputs.
    ///
    /// When the time is up, or the task is cancelled, the child is killed.
    static func run(
        _ arguments: [String], within limit: Duration, on clock: any SensorClock
    ) async -> (end: End, text: String) {
        var template = Array("/tmp/sensorium-check-XXXXXX".utf8CString)
        let output = mkstemp(&template)
        guard output >= 0 else { return (.unstarted("no file can be made in /tmp"), "") }
        unlink(template)
        defer { close(output) }
        let child: pid_t
        switch start(arguments, output) {
        case .success(let started): child = started
        case .failure(let fault): return (.unstarted(fault.words), "")
        }
        let deadline = clock.now.advanced(by: limit)
        var status: Int32 = 0
        while waitpid(child, &status, WNOHANG) == 0 {
            if clock.now >= deadline || Task.isCancelled {
                kill(child, SIGKILL)
                waitpid(child, &status, 0)
                return (.timedOut, text(output))
            }
            await clock.pause(for: .milliseconds(10))
        }
        let signal = status & 0x7f
        return (signal == 0 ? .exit((status >> 8) & 0xff) : .crash(signal), text(output))
    }

    private struct StartFault: Error {
        var words: String
    }

    private static func start(
        _ arguments: [String], _ output: Int32
    ) -> Result<pid_t, StartFault> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        let program = String(unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return max(0, readlink("/proc/self/exe", start, buffer.count))
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = [strdup("\(variable)=1")]
        var next = environ
        while let entry = next.pointee {
            variables.append(strdup(entry))
            next += 1
        }
        variables.append(nil)
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let fault = posix_spawn(&child, program, &actions, nil, &words, &variables)
        if fault == 0 { return .success(child) }
        return .failure(StartFault(words: "\(program): \(String(cString: strerror(fault)))"))
    }

    /// What was written to the file, a megabyte of it at most.
    private static func text(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// `SIGSEGV` and the like, or the number.
    static func name(of signal: Int32) -> String {
        let names: [Int32: String] = [
            SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGABRT: "SIGABRT", SIGILL: "SIGILL",
            SIGFPE: "SIGFPE", SIGTRAP: "SIGTRAP", SIGKILL: "SIGKILL", SIGSYS: "SIGSYS",
        ]
        return names[signal] ?? "signal \(signal)"
    }
}
