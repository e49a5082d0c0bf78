import Sensorium

/// One request of a service under way, and who wants it.
final class ReadingRun<Reading: SensorReading>: Sendable {
    /// Who wants the reading.
    struct Claims: Sendable {
        /// How many tasks wait for it.
        var waiting = 0
        /// Who is told.
        var listener: ReadingService<Reading>.Listener?

        var isEmpty: Bool { waiting == 0 && listener == nil }
    }

    private struct State {
        var claims = Claims()
        var isOpen = true
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    /// The reading, or why there is none, once the sensor is closed.
    let answer = Answer<Result<Reading, SensorError>>()
    /// Given when the listener has returned, too.
    let isOver = Answer<Bool>()
    private let state = Guarded(State())

    /// Adds a claim; false when the run has ended or was given up.
    func claim(_ change: (inout Claims) -> Void) -> Bool {
        state.withLock { state in
            if state.isOpen { change(&state.claims) }
            return state.isOpen
        }
    }

    /// Takes a claim back, and gives the run up after the last; true when this was the last.
    func release(_ change: (inout Claims) -> Void) -> Bool {
        let isLast = state.withLock { state in
            change(&state.claims)
            return state.isOpen && state.claims.isEmpty
        }
        if isLast { abandon() }
        return isLast
    }

    /// Gives the run up: nobody is told.
    func abandon() {
        let task = state.withLock { state in
            state.isOpen = false
            state.isAbandoned = true
            state.claims = Claims()
            return state.task
        }
        task?.cancel()
    }

    /// Lets nobody join any more; gives who is to be told.
    func end() -> ReadingService<Reading>.Listener? {
        state.withLock { state in
            state.isOpen = false
            return state.claims.listener
        }
    }

    /// The task that does the work; cancelled at once where the run was given up before it came.
    func attach(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Waits, also in a cancelled task, until the sensor is closed.
    func ended() async { await state.withLock { $0.task }?.value }
}
