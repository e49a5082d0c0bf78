import Glibc
import Sensorium

/// A thread that a task may block: a plugin's calls that wait in the kernel or in a library.
///
/// It is the executor of one device's task. The thread starts with the first job and ends when
/// `finish()` has been called and no job is left, so nothing has to join it. SIGPIPE is blocked on it,
/// since libraries write to sockets whose other end may be gone.
package final class SessionThread: TaskExecutor, @unchecked Sendable {  // `mutex` guards the rest
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isRunning = false
    private var isFinished = false

    /// Makes a thread, which starts with the first job.
    package init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(wake, nil)
    }

    deinit {
        pthread_cond_destroy(wake)
        wake.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Takes a job of the task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        jobs.append(job)
        let mustStart = !isRunning
        isRunning = true
        pthread_cond_signal(wake)
        pthread_mutex_unlock(mutex)
        if mustStart { start() }
    }

    /// Lets the thread end once nothing is left to run; a job that comes later starts it anew.
    package func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        pthread_cond_signal(wake)
        pthread_mutex_unlock(mutex)
    }

    private func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<SessionThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_attr_destroy(&attributes)
        if status != 0 {
            // The system has no thread left. A job that blocks the caller is better than one that never
            // runs, for which somebody would wait for ever.
            Unmanaged.passUnretained(self).release()
            drain()
        }
    }

    private func drain() {
        while let job = next(waiting: false) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func run() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while let job = next(waiting: true) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next(waiting: Bool) -> UnownedJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isFinished || !waiting {
                isRunning = false
                return nil
            }
            pthread_cond_wait(wake, mutex)
        }
        return jobs.removeFirst()
    }
}

extension SensorClock {
    /// Starts a task that may block: on `thread` if there is one, else on the clock's executor.
    @discardableResult
    package func spawn(
        _ name: String, on thread: SessionThread?,
        _ work: @escaping @Sendable @concurrent () async -> Void
    ) -> Task<Void, Never> {
        spawn(name) {
            // Only calling a concurrent function changes to the thread: any other would begin, and
            // might block, where this runs.
            guard let thread else { return await work() }
            await withTaskExecutorPreference(thread) { await work() }
            thread.finish()
        }
    }
}
