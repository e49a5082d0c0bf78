import Sensorium

/// An answer that a plugin owes: the first one counts, whether it comes, or the wait is over before.
final class PendingAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(UnsafeContinuation<Value, Never>)
        case answered(Value)
        case over
    }

    private let state = Guarded(State.open)

    /// Answers; false when somebody has done that already.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let (waiter, isFirst) = state.withLock {
            state -> (UnsafeContinuation<Value, Never>?, Bool) in
            switch state {
            case .open:
                state = .answered(value)
                return (nil, true)
            case .awaited(let waiter):
                state = .over
                return (waiter, true)
            case .answered, .over:
                return (nil, false)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// Waits for the answer.
    ///
    /// Asked for once.
    private func value() async -> Value {
        await withUnsafeContinuation { continuation in
            let answer = state.withLock { state -> Value? in
                if case .answered(let value) = state {
                    state = .over
                    return value
                }
                state = .awaited(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Waits for the answer, for `limit` at most.
    ///
    /// - Parameters:
    ///   - late: the answer when the time is up.
    ///   - cancelled: the answer when the task is cancelled; nil to wait on all the same.
    func value(
        within limit: Duration, on clock: any SensorClock, late: Value, cancelled: Value?
    ) async -> Value {
        let isThere = state.withLock { state in
            if case .answered = state { return true }
            return false
        }
        if isThere { return await value() }
        let alarm = clock.spawn("time limit of a plugin's call") {
            if await clock.pause(for: limit) { self.give(late) }
        }
        defer { alarm.cancel() }
        guard let cancelled else { return await value() }
        return await value(cancelled: cancelled)
    }

    /// Waits for the answer, however long it takes.
    ///
    /// - Parameter cancelled: the answer when the task is cancelled.
    func value(cancelled: Value) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            give(cancelled)
        }
    }
}
