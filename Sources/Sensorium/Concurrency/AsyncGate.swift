/// Lets one task in at a time, in the order of asking, across suspensions.
package final class AsyncGate: Sendable {
    private struct State {
        var isTaken = false
        var nextTicket = 0
        var queue: [(ticket: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
    }

    private let state = Guarded(State())

    package init() {}

    /// Waits for the gate, however long it takes.
    ///
    /// Pair it with `leave()`.
    package func enter() async {
        _ = await withUnsafeContinuation { queue($0, ticket: nil) }
    }

    /// Waits for the gate; false, without it, when the task is cancelled first.
    package func enterUnlessCancelled() async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { queue($0, ticket: ticket) }
        } onCancel: {
            let waiting = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
                guard let place = state.queue.firstIndex(where: { $0.ticket == ticket }) else {
                    return nil
                }
                return state.queue.remove(at: place).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    private func queue(_ continuation: UnsafeContinuation<Bool, Never>, ticket: Int?) {
        let answer = state.withLock { state -> Bool? in
            if ticket != nil, Task.isCancelled { return false }
            if !state.isTaken {
                state.isTaken = true
                return true
            }
            state.queue.append((ticket ?? 0, continuation))
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Lets the next task in.
    package func leave() {
        let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            if state.queue.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.queue.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
