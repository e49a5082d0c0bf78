import Dispatch
import Sensorium

extension VirtualClock {
    /// What the drain does next.
    enum Step {
        case job(UnownedJob)
        case resume([UnsafeContinuation<Void, Never>])
        case wake(UnsafeContinuation<Bool, Never>)
        case lookAtMainActor
        case rest(mustWatch: Bool)
    }
}

extension VirtualClock.State {
    /// How often in a row nothing must have come from the main actor: a job there may queue another
    /// one there, behind the look, and that one another.
    private static var looksNeeded: Int { 4 }

    mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }

    /// Jobs first; then the main actor's, where it is followed; then whoever waits for rest; then one
    /// deadline of an advance; then its end.
    mutating func nextStep() -> VirtualClock.Step {
        if nextJob < jobs.count {
            let job = jobs[nextJob]
            nextJob += 1
            if nextJob == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                nextJob = 0
            }
            mainActorLooks = 0
            return .job(job)
        }
        if followsMainActor, !settlers.isEmpty || !advances.isEmpty {
            if mainActorLooks < Self.looksNeeded {
                mainActorLooks += 1
                return .lookAtMainActor
            }
            mainActorLooks = 0
        }
        if !settlers.isEmpty {
            defer { settlers = [] }
            return .resume(settlers)
        }
        // Several tasks may advance at once: the nearest target first.
        if let first = advances.indices.min(by: { advances[$0].target < advances[$1].target }) {
            let target = advances[first].target
            if let place = nextSleeper, sleepers[place].deadline <= target {
                let sleeper = sleepers.remove(at: place)
                now = max(now, sleeper.deadline)
                return .wake(sleeper.wake)
            }
            now = max(now, target)
            return .resume([advances.remove(at: first).done])
        }
        isDraining = false
        restCount += 1
        let mustWatch = !waits.isEmpty && !isWatched
        if mustWatch { isWatched = true }
        return .rest(mustWatch: mustWatch)
    }

    /// Moves on to `moment`, where a sleep until then would be woken next.
    mutating func forward(to moment: SensorInstant) -> Bool {
        guard isDraining, nextJob == jobs.count, settlers.isEmpty, sleeperWatchers.isEmpty,
            !followsMainActor, !advances.isEmpty, advances.allSatisfy({ $0.target >= moment }),
            sleepers.allSatisfy({ $0.deadline > moment })
        else { return false }
        now = max(now, moment)
        return true
    }

    private var nextSleeper: Int? {
        sleepers.indices.min {
            (sleepers[$0].deadline, sleepers[$0].id) < (sleepers[$1].deadline, sleepers[$1].id)
        }
    }

    mutating func takeSatisfiedWatchers() -> [UnsafeContinuation<Bool, Never>] {
        let count = sleepers.count
        let satisfied = sleeperWatchers.filter { $0.count <= count }
        if satisfied.isEmpty { return [] }
        sleeperWatchers.removeAll { $0.count <= count }
        let ids = satisfied.map(\.id)
        waits.removeAll { ids.contains($0.id) }
        return satisfied.map(\.wake)
    }
}

/// Runs the jobs of one virtual clock, one at a time.
final class InlineExecutor: TaskExecutor {
    private struct Link {
        weak var clock: VirtualClock?
    }

    private let link = Guarded(Link())

    func attach(_ clock: VirtualClock) { link.withLock { $0.clock = clock } }

    func enqueue(_ job: UnownedJob) {
        if let clock = link.withLock({ $0.clock }) { return clock.enqueue(job) }
        // The clock is gone: let the job come to its end on some thread.
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }
}

/// A continuation that takes the first answer and counts on no order between setting and answering.
final class OneAnswer<Value: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(UnsafeContinuation<Value, any Error>)
        case early(Result<Value, any Error>)
        case over
    }

    private let state = Guarded(State.new)

    func set(_ continuation: UnsafeContinuation<Value, any Error>) {
        let early = state.withLock { state -> Result<Value, any Error>? in
            if case .early(let result) = state {
                state = .over
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    func give(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> UnsafeContinuation<Value, any Error>? in
            switch state {
            case .new:
                state = .early(result)
                return nil
            case .waiting(let continuation):
                state = .over
                return continuation
            case .early, .over:
                return nil
            }
        }
        waiting?.resume(with: result)
    }
}

/// A test waited for what could not come.
public struct VirtualClockError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What it waited for.
    public var waitedFor: String
    /// How the clock stood.
    public var situation: String

    init(waitedFor: String, _ situation: String) {
        self.waitedFor = waitedFor
        self.situation = situation
    }

    /// A sentence fit for a test's report.
    public var description: String {
        "waited for \(waitedFor), which cannot come: nothing is left to run (\(situation)); "
            + "advance the clock, or deliver what the code under test waits for"
    }
}
