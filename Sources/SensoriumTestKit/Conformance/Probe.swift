import Sensorium

/// A sink that remembers what came, and lets the checks wait for it.
final class Probe<Reading: SensorReading>: Sendable {
    /// What is kept of a reading: readings themselves may lend memory.
    struct Fact: Sendable {
        var time: ReadingTime
        var isSimulated: Bool
        var arrival: SensorInstant
        /// What is wrong with its values; nil where nothing is.
        var offence: String?
    }

    /// All that a session said so far.
    struct Heard: Sendable {
        var facts: [Fact] = []
        var statuses: [SensorStatus] = []
        var losses: [ReadingLoss] = []
        var error: SensorError?
        var isFinished = false
        /// What came after `seal()`.
        var late: [String] = []
    }

    private struct Waiter {
        var id: Int
        var isMet: @Sendable (Heard) -> Bool
        var wake: UnsafeContinuation<Void, Never>
    }

    private struct State {
        var heard = Heard()
        var isSealed = false
        var waiters: [Waiter] = []
        var nextWaiter = 0
    }

    private let state = Guarded(State())
    private let clock: any SensorClock
    private let judge: @Sendable (Reading) -> String?

    /// Makes a probe.
    ///
    /// - Parameter judge: says what is wrong with the values of a reading.
    init(clock: any SensorClock, judge: @escaping @Sendable (Reading) -> String?) {
        self.clock = clock
        self.judge = judge
    }

    var heard: Heard { state.withLock { $0.heard } }
    var count: Int { state.withLock { $0.heard.facts.count } }

    /// From now on nothing may come.
    func seal() { state.withLock { $0.isSealed = true } }

    // MARK: Hearing

    /// A sink to give to a sensor.
    ///
    /// - Parameters:
    ///   - onward: where everything goes on to; nil for nowhere.
    ///   - limit: how many readings go on.
    func sink(to onward: ReadingSink<Reading>? = nil, limit: Int = .max) -> ReadingSink<Reading> {
        ReadingSink(
            deliver: { self.deliver($0, to: onward, limit) },
            report: { status in
                self.hear("the status \(status)") { $0.statuses.append(status) }
                onward?.report(status)
            },
            lose: { loss in
                self.hear("a loss of \(loss.count)") { $0.losses.append(loss) }
                onward?.lose(loss.count, loss.reason)
            },
            finish: { error in
                self.hear("the end") { heard in
                    heard.error = error
                    heard.isFinished = true
                }
                onward?.finish(error)
            })
    }

    private func deliver(
        _ readings: Span<Reading>, to onward: ReadingSink<Reading>?, _ limit: Int
    ) {
        let now = clock.now
        var (facts, copies): ([Fact], [Reading]) = ([], [])
        let room = onward == nil ? 0 : max(0, limit - count)
        for index in readings.indices {
            let reading = readings[index]
            facts.append(
                Fact(
                    time: reading.time, isSimulated: reading.isSimulated, arrival: now,
                    offence: judge(reading)))
            if index < room { copies.append(reading) }
        }
        // First on, then counted: who waits for the count finds them there.
        if !copies.isEmpty { onward?.deliver(copies.span) }
        hear("\(facts.count == 1 ? "a reading" : "\(facts.count) readings")") { $0.facts += facts }
    }

    private func hear(_ what: String, _ change: (inout Heard) -> Void) {
        let waiters = state.withLock { state in
            if state.isSealed { state.heard.late.append(what) }
            change(&state.heard)
            let heard = state.heard
            let met = state.waiters.filter { $0.isMet(heard) }
            state.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } }
            return met
        }
        for waiter in waiters { waiter.wake.resume() }
    }

    // MARK: Waiting

    /// Waits until `count` readings have come, the session has ended, or the task is cancelled.
    func readings(atLeast count: Int) async {
        await wait { $0.facts.count >= count || $0.isFinished }
    }

    /// Waits until `isMet`, or until the task is cancelled.
    func wait(until isMet: @escaping @Sendable (Heard) -> Bool) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (wake: UnsafeContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    if isMet(state.heard) || Task.isCancelled { return true }
                    state.waiters.append(Waiter(id: id, isMet: isMet, wake: wake))
                    return false
                }
                if isReady { wake.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: place)
            }
            waiter?.wake.resume()
        }
    }
}
