import CSensorium
import Sensorium

/// The host's clock, seen from inside a plugin.
///
/// All waiting of a loaded plugin goes through it, so that a host's virtual clock drives it.
final class HostClock: SensorClock {
    private let host: HostFunctions
    /// Runs the plugin's tasks where the host's own run; nil for this image's default pool.
    let executor: (any TaskExecutor)?

    init(_ host: HostFunctions) {
        self.host = host
        executor = host.hasExecutor ? HostExecutor(host) : nil
    }

    var now: SensorInstant { SensorInstant(nanoseconds: host.now()) }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sample(_ domain: ClockDomain) -> ClockSample? {
        guard let sample = host.sample(UInt32(domain.rawValue)) else { return nil }
        return ClockSample(
            boottime: SensorInstant(nanoseconds: sample.boottime_ns),
            time: ClockTime(nanoseconds: sample.time_ns, domain: domain),
            uncertainty: .nanoseconds(sample.uncertainty_ns))
    }

    func sleep(until deadline: SensorInstant, tolerance: Duration?) async throws {
        if deadline <= now { return try Task.checkCancellation() }
        let sleep = HostSleep(host)
        try await withTaskCancellationHandler {
            try await sleep.wait(until: deadline)
        } onCancel: {
            sleep.cancel()
        }
    }
}

/// One wait: resumed by the host's wake-up or by cancellation, whichever comes first.
private final class HostSleep: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private enum State {
        case new
        case waiting(Waiter, token: UInt64?)
        case over
    }

    private let host: HostFunctions
    private let state = Guarded(State.new)

    init(_ host: HostFunctions) { self.host = host }

    func wait(until deadline: SensorInstant) async throws {
        try await withCheckedThrowingContinuation { waiter in
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .waiting(waiter, token: nil)
                return false
            }
            if isOver { return waiter.resume(throwing: CancellationError()) }
            arm(deadline)
        }
    }

    private func arm(_ deadline: SensorInstant) {
        // The host's call owns one reference, which goes back when it fires or is called off.
        let argument = Unmanaged.passRetained(self)
        let token = host.wake(at: deadline.nanoseconds, argument.toOpaque()) { argument in
            guard let argument else { return }
            Unmanaged<HostSleep>.fromOpaque(argument).takeRetainedValue().fire()
        }
        let isOver = state.withLock { state in
            guard case .waiting(let waiter, _) = state else { return true }
            state = .waiting(waiter, token: token)
            return false
        }
        // Cancelled before there was a token; or fired already, and then this calls nothing off.
        if isOver { callOff(token) }
    }

    private func callOff(_ token: UInt64) {
        if host.cancelWake(token) { Unmanaged.passUnretained(self).release() }
    }

    private func end() -> (waiter: Waiter, token: UInt64?)? {
        state.withLock { state in
            defer { state = .over }
            guard case .waiting(let waiter, let token) = state else { return nil }
            return (waiter, token)
        }
    }

    private func fire() { end()?.waiter.resume() }

    func cancel() {
        guard let (waiter, token) = end() else { return }
        if let token { callOff(token) }
        waiter.resume(throwing: CancellationError())
    }
}

/// Runs this image's tasks on the host's executor.
private final class HostExecutor: TaskExecutor {
    private let host: HostFunctions

    init(_ host: HostFunctions) { self.host = host }

    private final class Work: Sendable {
        let job: UnownedJob
        let executor: HostExecutor

        init(job: UnownedJob, executor: HostExecutor) {
            self.job = job
            self.executor = executor
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let work = Unmanaged.passRetained(Work(job: UnownedJob(job), executor: self))
        host.run(work.toOpaque()) { argument in
            guard let argument else { return }
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            work.job.runSynchronously(on: work.executor.asUnownedTaskExecutor())
        }
    }
}
