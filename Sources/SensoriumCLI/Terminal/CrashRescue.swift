import Glibc

/// Gives a terminal back when the process crashes, in a plugin for example: a shell on the alternate
/// screen without a cursor is of no use.
///
/// The signals go on to whatever handled them before.
enum CrashRescue {
    // All of it is written before the handlers are in place, and never freed: a crash may come at
    // any moment.
    nonisolated(unsafe) private static var sequence = UnsafeMutableBufferPointer<CChar>(
        start: nil, count: 0)
    nonisolated(unsafe) private static var terminal: Int32 = -1
    nonisolated(unsafe) private static let before =
        UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

    /// Writes `text` to `descriptor` when the process crashes from now on.
    static func arm(writing text: String, to descriptor: Int32) {
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8.map { CChar(bitPattern: $0) })
        sequence = bytes
        terminal = descriptor
        var action = sigaction()
        action.sa_flags = SA_NODEFER | SA_ONSTACK
        action.__sigaction_handler.sa_handler = { number in
            // Only what signal-safety(7) allows.
            let sequence = CrashRescue.sequence
            _ = write(CrashRescue.terminal, sequence.baseAddress, sequence.count)
            sigaction(number, CrashRescue.before + Int(number), nil)
            raise(number)
        }
        for number in crashes { sigaction(number, &action, before + Int(number)) }
    }

    /// Puts the handlers back that were there before.
    static func disarm() {
        for number in crashes { sigaction(number, before + Int(number), nil) }
    }
}
