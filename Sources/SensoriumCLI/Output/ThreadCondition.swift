import Glibc

/// A lock that a thread can wait on for a change.
///
/// For threads that may block, never for tasks.
final class ThreadCondition: @unchecked Sendable {  // the mutex is the lock
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Wakes all that wait.
    ///
    /// Called with the lock held.
    func wakeAll() { pthread_cond_broadcast(condition) }

    /// Waits for a wake-up, which may come without a reason.
    ///
    /// Called with the lock held.
    ///
    /// - Parameter deadline: nanoseconds of `now`; nil for none.
    /// - Returns: false when the deadline passed.
    func wait(until deadline: Int64?) -> Bool {
        guard let deadline else { return pthread_cond_wait(condition, mutex) == 0 }
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return pthread_cond_timedwait(condition, mutex, &time) == 0
    }

    /// CLOCK_MONOTONIC in nanoseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Starts a detached thread.
    ///
    /// - Returns: whether the system gave one.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let retained = Unmanaged.passRetained(ThreadStart(body: body))
        var thread = pthread_t()
        let error = pthread_create(&thread, &attributes, ThreadStart.run, retained.toOpaque())
        if error != 0 { retained.release() }
        return error == 0
    }
}

/// What a new thread is handed.
private final class ThreadStart {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }

    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let argument = $0 else { return nil }
        Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
