import Glibc
import Sensorium

/// Says to all that waits that the program is to end: tasks are cancelled, and reads that block
/// wake up.
final class Ending: Sendable {
    private struct State {
        var isDue = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())
    /// Becomes readable when the end is due: the reading end of a pipe.
    let descriptor: Int32
    private let otherEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without a pipe, reads that block do not wake up, and the second signal ends the program.
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        otherEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(otherEnd)
    }

    /// Asks for the end.
    ///
    /// The second time does nothing.
    func end() {
        let action = state.withLock { state in
            defer {
                state.isDue = true
                state.action = nil
            }
            return state.action
        }
        // Tasks first: who is woken then finds them cancelled.
        action?()
        var byte: UInt8 = 0
        _ = write(otherEnd, &byte, 1)
    }

    /// Says what to do when the end is asked for; done at once if that has happened.
    func whenEnding(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isDue { state.action = action }
            return state.isDue
        }
        if isLate { action() }
    }
}
