import Glibc

/// A value behind a lock that threads can wait on: a mutex with a condition.
///
/// The fake daemon's threads wait in it for scans, for their end, and for the test.
final class Monitor<State>: @unchecked Sendable {  // `mutex` guards `state`
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held, and lets every waiting thread look again.
    func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { pthread_cond_broadcast(changed) }
        return try body(&state)
    }

    /// Waits until `body` gives a value; nil when the deadline passes first.
    ///
    /// The deadline is in nanoseconds of CLOCK_MONOTONIC. `body` may bring the next look forward by
    /// lowering its second argument.
    func wait<Result>(
        until deadline: Int64, _ body: (inout State, inout Int64) -> Result?
    ) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            var next = deadline
            if let result = body(&state, &next) { return result }
            if MonotonicTime.now >= deadline { return nil }
            next = min(next, deadline)
            var time = timespec(
                tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
            pthread_cond_timedwait(changed, mutex, &time)
        }
    }
}

/// CLOCK_MONOTONIC, and the clocks that stamps are of.
enum MonotonicTime {
    static var now: Int64 { read(CLOCK_MONOTONIC) }

    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
