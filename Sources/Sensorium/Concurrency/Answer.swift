/// A value that is given once and may be waited for, also by a task that loses its patience.
package final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var nextID = 0
        var waiters: [Int: UnsafeContinuation<Value?, Never>] = [:]
    }

    private let state = Guarded(State())

    /// Makes one that was not given yet.
    package init() {}

    /// The value, once it was given.
    package var value: Value? { state.withLock { $0.value } }

    /// Gives the value; the first one counts.
    package func give(_ value: Value) {
        let waiters = state.withLock { state -> [UnsafeContinuation<Value?, Never>] in
            if state.value != nil { return [] }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value; nil when the task is cancelled first.
    package func wait() async -> Value? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: UnsafeContinuation<Value?, Never>) in
                let isOver = state.withLock { state -> Bool in
                    if state.value != nil || Task.isCancelled { return true }
                    state.waiters[id] = waiter
                    return false
                }
                if isOver { waiter.resume(returning: value) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }
}
