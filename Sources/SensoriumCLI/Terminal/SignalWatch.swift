import Glibc
import Sensorium

/// Takes the signals that end or stop a program.
///
/// The first SIGINT, SIGTERM or SIGHUP asks for the end; if the program has not ended 900 ms later,
/// or a second one comes that is no echo of the first, it is ended at once. Ctrl-Z gives the terminal back first.
final class SignalWatch: Sendable {
    private struct State {
        var caught: Int32?
        var end: (@Sendable () -> Void)?
        var screen: TerminalScreen?
    }

    private let state = Guarded(State())
    private let waited: sigset_t

    private static let endings = [SIGINT, SIGTERM, SIGHUP]
    private static let others = [SIGTSTP, SIGCONT, SIGQUIT]
    /// timeout(1) signals the process and then its group, which is one request and not two.
    private static var echo: Int64 { 50_000_000 }
    private static let patience = timespec(tv_sec: 0, tv_nsec: 900_000_000)

    /// Blocks the signals in this thread, and so in all that it starts: call it first of all.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var set = Self.signals(Self.endings + Self.others)
        // nohup(1) asks that a terminal that goes away is not the end.
        var old = sigaction()
        sigaction(SIGHUP, nil, &old)
        if Self.isIgnored(old) { sigdelset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        waited = set
    }

    /// The signal that asked for the end; nil for none so far.
    var caught: Int32? { state.withLock { $0.caught } }

    /// Says what to do when the end is asked for; done at once if that has happened.
    func whenEnding(_ end: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.end = end
            return state.caught != nil
        }
        if isLate { end() }
    }

    /// Says which screen is to be given back.
    func guards(_ screen: TerminalScreen) { state.withLock { $0.screen = screen } }

    /// Takes signals on this thread, until the process ends.
    ///
    /// Made for the main thread: left to itself, libdispatch would take them there, with all of
    /// them unblocked.
    func run() -> Never {
        var waited = waited
        while true {
            var number: Int32 = 0
            guard sigwait(&waited, &number) == 0 else { continue }
            switch number {
            case SIGTSTP:
                state.withLock { $0.screen }?.lend()
                raiseStop()
                state.withLock { $0.screen }?.takeBack()
            case SIGCONT:
                state.withLock { $0.screen }?.takeBack()
            case SIGQUIT:
                // Somebody wants the core.
                state.withLock { $0.screen }?.lend()
                pthread_sigmask(SIG_UNBLOCK, &waited, nil)
                raise(SIGQUIT)
            default:
                ask(number)
                end(number, &waited)
            }
        }
    }

    private func ask(_ number: Int32) {
        let end = state.withLock { state in
            state.caught = number
            return state.end
        }
        end?()
    }

    private func end(_ number: Int32, _ waited: inout sigset_t) {
        let start = ThreadCondition.now
        var patience = Self.patience
        var next: Int32
        repeat {
            next = sigtimedwait(&waited, nil, &patience)
        } while Self.others.contains(next) || (next < 0 && errno == EINTR)
            || (next > 0 && ThreadCondition.now - start < Self.echo)
        state.withLock { $0.screen }?.lend()
        _exit(128 + (next > 0 ? next : number))
    }

    private func raiseStop() {
        // SIGTSTP itself is blocked here, and SIGSTOP stops the whole process.
        kill(getpid(), SIGSTOP)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func signals(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}
