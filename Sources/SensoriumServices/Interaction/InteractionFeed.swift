import Sensorium

/// What a sensor of a run said.
enum InteractionInput: Sendable {
    case touch(TouchEvent)
    case key(KeyEvent)
    case acceleration(Acceleration)
    case status(SensorKind, SensorStatus)
    case lost(SensorKind, ReadingLoss)
    case ended(SensorError?)
}

/// The queue between the sensors of a run and the isolation in which it works.
///
/// One queue for all of them keeps their order, and one task waits for it: a responder's isolation
/// is not left and entered for each sensor. It is bounded; what does not fit is counted as lost.
final class InteractionFeed: Sendable {
    private struct State {
        var inputs: [InteractionInput] = []
        var overflow: [SensorKind: Int] = [:]
        var waiter: UnsafeContinuation<Void, Never>?
        var isOver = false
    }

    private let state = Guarded(State())
    private static var capacity: Int { 4096 }

    /// The sink of one sensor.
    func sink<Reading: SensorReading>(
        _ input: @escaping @Sendable (Reading) -> InteractionInput
    ) -> ReadingSink<Reading> {
        let kind = Reading.kind
        return ReadingSink(
            deliver: { readings in
                self.put { state in
                    for index in readings.indices {
                        if state.inputs.count < Self.capacity {
                            state.inputs.append(input(readings[index]))
                        } else {
                            state.overflow[kind, default: 0] += 1
                        }
                    }
                }
            },
            report: { status in self.put { $0.inputs.append(.status(kind, status)) } },
            lose: { loss in self.put { $0.inputs.append(.lost(kind, loss)) } },
            finish: { error in self.put { $0.inputs.append(.ended(error)) } })
    }

    private func put(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            if !state.isOver { change(&state) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// What has come since the last call, waiting for the first; nil when the task is cancelled.
    func next() async -> [InteractionInput]? {
        while !Task.isCancelled {
            let inputs = state.withLock { state in
                defer {
                    state.inputs = []
                    state.overflow = [:]
                }
                return state.inputs
                    + state.overflow.map { kind, count in
                        .lost(kind, ReadingLoss(count: count, reason: .slowConsumer))
                    }
            }
            if !inputs.isEmpty { return inputs }
            await wait()
        }
        return nil
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.inputs.isEmpty || state.isOver { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            put { $0.isOver = true }
        }
    }
}
