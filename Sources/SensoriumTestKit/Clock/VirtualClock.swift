import Dispatch
import Sensorium

/// A clock that moves when a test says so, and runs everything that waits on it.
///
/// Its executor runs one job at a time, on one thread, in the order of arrival: the test's body
/// (inside `run`), the streams, and every task that a sensor starts. `advance(by:)` fires one
/// deadline at a time, in order of time and then of registration, and lets all work come to rest
/// before the next, so that a test gives the same result on every machine.
///
/// ```swift
/// let clock = VirtualClock()
/// try await clock.run {
///     let app = App(sensor: LocationSensorSpy(clock: clock))
///     await clock.advance(by: .seconds(5))
/// }
/// ```
///
/// Waiting for what cannot come (no job left to run, nobody to advance the clock) ends with
/// `VirtualClockError` after `patience` of real time. That real time is spent only by a test that
/// would hang: it is there for tests that also wait for threads and sockets.
public final class VirtualClock: SensorClock {
    struct Sleeper {
        var id: Int
        var deadline: SensorInstant
        var wake: UnsafeContinuation<Bool, Never>
    }

    struct Wait {
        var id: Int
        var what: String
        var fail: @Sendable (VirtualClockError) -> Void
    }

    struct Advance {
        var target: SensorInstant
        var done: UnsafeContinuation<Void, Never>
    }

    struct State {
        var now: SensorInstant
        var offsets: [ClockDomain: Int64] = [:]
        var jobs: [UnownedJob] = []
        var nextJob = 0
        var isDraining = false
        var followsMainActor = false
        var mainActorLooks = 0
        var nextID = 0
        var sleepers: [Sleeper] = []
        var sleeperWatchers: [(count: Int, id: Int, wake: UnsafeContinuation<Bool, Never>)] = []
        var waits: [Wait] = []
        var advances: [Advance] = []
        var settlers: [UnsafeContinuation<Void, Never>] = []
        var restCount = 0
        var isWatched = false
    }

    let state: Guarded<State>
    private let patience: Duration
    private let inlineExecutor = InlineExecutor()

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - start: where it begins; not 0, since an instant of 0 stands for "unknown".
    ///   - utc: UTC at the start, in nanoseconds since 1970; the default is 2026-01-01T00:00:00Z.
    ///   - patience: real time after which a wait for what cannot come fails.
    ///   - followsMainActor: whether work counts as come to rest only when the main actor has done
    ///     its part, too. For apps on the main actor; costs some 50 us at each rest.
    public init(
        start: SensorInstant = SensorInstant(nanoseconds: 1_000_000_000_000),
        utc: Int64 = 1_767_225_600_000_000_000, patience: Duration = .seconds(5),
        followsMainActor: Bool = false
    ) {
        state = Guarded(
            State(
                now: start,
                offsets: [
                    .boottime: 0, .monotonic: 0, .realtime: utc - start.nanoseconds,
                    .tai: utc - start.nanoseconds + 37_000_000_000,
                ], followsMainActor: followsMainActor))
        self.patience = patience
        inlineExecutor.attach(self)
    }

    /// The present virtual time.
    public var now: SensorInstant { state.withLock { $0.now } }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The executor that this clock drives.
    public var executor: (any TaskExecutor)? { inlineExecutor }

    /// Reads `domain`; nil for a foreign clock.
    public func sample(_ domain: ClockDomain) -> ClockSample? {
        state.withLock { state in
            state.offsets[domain].map { offset in
                ClockSample(
                    boottime: state.now,
                    time: ClockTime(nanoseconds: state.now.nanoseconds &+ offset, domain: domain))
            }
        }
    }

    /// Sets a clock by `change`, as an administrator or NTP sets `CLOCK_REALTIME`.
    ///
    /// Boot time does not move.
    public func step(_ domain: ClockDomain, by change: Duration) {
        guard domain != .boottime else { return }
        state.withLock { $0.offsets[domain]? += change.wholeNanoseconds }
    }

    /// Passes `duration` as in a suspend: boot time and UTC go on, `CLOCK_MONOTONIC` does not.
    public func suspend(for duration: Duration) async {
        state.withLock { $0.offsets[.monotonic]? -= duration.wholeNanoseconds }
        await advance(by: duration)
    }

    // MARK: Moving

    /// Moves time on by `duration`, firing every deadline on the way in order.
    public func advance(by duration: Duration) async {
        await advance(to: now.advanced(by: duration))
    }

    /// Moves time on to `target`, firing every deadline on the way in order.
    ///
    /// An earlier target moves nothing.
    public func advance(to target: SensorInstant) async {
        await withUnsafeContinuation { done in
            state.withLock { $0.advances.append(Advance(target: target, done: done)) }
            drainIfIdle()
        }
    }

    /// Runs `work`, and moves time on from deadline to deadline until it is done.
    ///
    /// ```swift
    /// let fix = try await clock.advance { try await gps.latest(timeout: .seconds(30)) }
    /// ```
    ///
    /// - Parameter limit: how much time may pass.
    /// - Throws: what `work` throws; `VirtualClockError` when it is not done within `limit`, or waits
    ///   for what no deadline brings.
    public func advance<Value: Sendable>(
        atMost limit: Duration = .seconds(86_400),
        through work: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let results = Collected<Result<Value, any Error>>()
        let task = spawn("work that time passes for") {
            do {
                results.append(.success(try await work()))
            } catch {
                results.append(.failure(error))
            }
        }
        let end = now.advanced(by: limit)
        while true {
            await settle()
            if let result = results.all.first { return try result.get() }
            let next = state.withLock { $0.sleepers.map(\.deadline).min() }
            guard let next, next <= end else {
                task.cancel()
                throw VirtualClockError(waitedFor: "the end of what time passes for", summary)
            }
            await advance(to: next)
        }
    }

    /// Waits until all work has come to rest, without moving time.
    public func settle() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.settlers.append(continuation) }
            drainIfIdle()
        }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    ///
    /// - Throws: `VirtualClockError` when they do not come.
    public func sleepers(atLeast count: Int) async throws {
        let id = state.withLock { $0.makeID() }
        let came = await withTaskCancellationHandler {
            await withUnsafeContinuation { (wake: UnsafeContinuation<Bool, Never>) in
                let answer = state.withLock { state -> Bool? in
                    if state.sleepers.count >= count { return true }
                    if Task.isCancelled { return false }
                    state.sleeperWatchers.append((count, id, wake))
                    state.waits.append(
                        Wait(id: id, what: "\(count) sleepers") { [weak self] _ in
                            self?.endWatch(id)
                        })
                    return nil
                }
                if let answer { wake.resume(returning: answer) } else { drainIfIdle() }
            }
        } onCancel: {
            endWatch(id)
        }
        if !came { throw VirtualClockError(waitedFor: "\(count) sleepers", summary) }
    }

    private func endWatch(_ id: Int) {
        let wake = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            state.waits.removeAll { $0.id == id }
            guard let place = state.sleeperWatchers.firstIndex(where: { $0.id == id }) else {
                return nil
            }
            return state.sleeperWatchers.remove(at: place).wake
        }
        wake?.resume(returning: false)
    }

    /// How many tasks sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: SensorInstant, tolerance: Duration?) async throws {
        let id = state.withLock { $0.makeID() }
        let isDue = await withTaskCancellationHandler {
            await withUnsafeContinuation { (wake: UnsafeContinuation<Bool, Never>) in
                register(Sleeper(id: id, deadline: deadline, wake: wake))
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.sleepers.remove(at: place)
            }
            sleeper?.wake.resume(returning: false)
        }
        if !isDue { throw CancellationError() }
    }

    private func register(_ sleeper: Sleeper) {
        typealias Answer = (own: Bool?, watchers: [UnsafeContinuation<Bool, Never>])
        let answer = state.withLock { state -> Answer in
            if Task.isCancelled { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers.append(sleeper)
            return (nil, state.takeSatisfiedWatchers())
        }
        for watcher in answer.watchers { watcher.resume(returning: true) }
        if let own = answer.own { sleeper.wake.resume(returning: own) }
    }

    // MARK: Waiting for what may not come

    /// Waits for `subscribe` to be answered.
    ///
    /// Fails when nothing is left that could answer.
    ///
    /// Spies wait through this. `subscribe` takes a function to call, once, with the value.
    package func expect<Value: Sendable>(
        _ what: String,
        _ subscribe: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        let id = state.withLock { $0.makeID() }
        let answer = OneAnswer<Value>()
        defer { state.withLock { $0.waits.removeAll { $0.id == id } } }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation {
                (continuation: UnsafeContinuation<Value, any Error>) in
                answer.set(continuation)
                state.withLock { state in
                    state.waits.append(Wait(id: id, what: what) { answer.give(.failure($0)) })
                }
                subscribe { answer.give($0) }
                drainIfIdle()
            }
        } onCancel: {
            answer.give(.failure(CancellationError()))
        }
    }

    /// Runs a test's body on this clock, and fails it when it waits for what cannot come.
    ///
    /// Returns when all that follows from the body without time passing is done, too.
    ///
    /// - Throws: what `body` throws; `VirtualClockError` when it hangs.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable @concurrent () async throws -> Value
    ) async throws -> Value {
        let task = Task.detached(executorPreference: inlineExecutor, operation: body)
        defer { task.cancel() }
        let value: Value = try await expect("the end of the test's body") { answer in
            spawn("wait for the test's body") { answer(await task.result) }
        }
        await settle()
        return value
    }

    var summary: String {
        state.withLock { state in
            let next =
                state.sleepers.map(\.deadline).min().map { "; the next wakes at \($0)" } ?? ""
            return "now is \(state.now), \(state.sleepers.count) tasks sleep\(next)"
        }
    }

    // MARK: Draining

    func enqueue(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
        drainIfIdle()
    }

    private func drainIfIdle() {
        let mustStart = state.withLock { state in
            if state.isDraining { return false }
            state.isDraining = true
            return true
        }
        if mustStart { DispatchQueue.global().async { self.drain() } }
    }

    private func drain() {
        while true {
            switch state.withLock({ $0.nextStep() }) {
            case .job(let job): job.runSynchronously(on: inlineExecutor.asUnownedTaskExecutor())
            case .resume(let continuations): for one in continuations { one.resume() }
            case .wake(let wake): wake.resume(returning: true)
            case .lookAtMainActor:
                // Comes after what the main actor has to do now, and drains on from there.
                DispatchQueue.main.async { DispatchQueue.global().async { self.drain() } }
                return
            case .rest(let mustWatch):
                if mustWatch { watchRest() }
                return
            }
        }
    }

    /// Fails all waits if the clock is still at the same rest after `patience`.
    private func watchRest() {
        let rest = state.withLock { $0.restCount }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .nanoseconds(Int(clamping: patience.wholeNanoseconds))
        ) { [weak self] in
            self?.endPatience(rest)
        }
    }

    private func endPatience(_ rest: Int) {
        let (isSame, waits) = state.withLock { state in
            state.isWatched = false
            if state.restCount != rest || state.isDraining {
                let mustWatch = !state.isDraining && !state.waits.isEmpty
                state.isWatched = mustWatch
                return (!mustWatch, [Wait]())
            }
            return (true, state.waits)
        }
        if !isSame { return watchRest() }
        let left = summary
        // The innermost wait first: the test's body then ends by the error of what it waits for.
        if let wait = waits.last { wait.fail(VirtualClockError(waitedFor: wait.what, left)) }
        drainIfIdle()
    }
}

extension VirtualClock: ForwardClock {
    /// Moves on to `moment` at once, where a sleep until then would do nothing else.
    package func forward(to moment: SensorInstant) -> Bool {
        state.withLock { $0.forward(to: moment) }
    }
}
