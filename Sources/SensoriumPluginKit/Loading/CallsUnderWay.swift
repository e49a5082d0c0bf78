import Sensorium

/// The calls that a plugin has been given and has not answered, so that it is not stopped under them.
final class CallsUnderWay: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var idle: PendingAnswer<Bool>?
    }

    /// One call.
    final class Ticket: Sendable {
        private let calls: CallsUnderWay
        private let isOver = Guarded(false)

        fileprivate init(_ calls: CallsUnderWay) { self.calls = calls }

        /// Ends the call: the plugin has answered, or is waited for no longer.
        ///
        /// Ending it again does nothing.
        func end() {
            let isFirst = isOver.withLock { over in
                defer { over = true }
                return !over
            }
            if isFirst { calls.endOne() }
        }
    }

    private let state = Guarded(State())

    /// Whether no more calls may be made.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Begins a call; nil when no more may be made.
    func begin() -> Ticket? {
        let isOpen = state.withLock { state in
            if state.isClosed { return false }
            state.count += 1
            return true
        }
        return isOpen ? Ticket(self) : nil
    }

    private func endOne() {
        let idle = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.idle : nil
        }
        idle?.give(true)
    }

    /// Lets no more calls begin; false when that was so before.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Waits until no call is under way, for `limit` at most.
    func waitUntilIdle(within limit: Duration, on clock: any SensorClock) async {
        let idle = PendingAnswer<Bool>()
        let isIdle = state.withLock { state in
            state.idle = idle
            return state.count == 0
        }
        if !isIdle {
            _ = await idle.value(within: limit, on: clock, late: false, cancelled: nil)
        }
    }
}
