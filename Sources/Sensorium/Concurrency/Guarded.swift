#if TSAN
import Glibc
#else
import Synchronization
#endif

/// A value behind a lock; all shared state of this package is in one.
///
/// A `Mutex`, except under ThreadSanitizer (`-DTSAN`), which does not know Linux's `Mutex` and
/// would report every use of it: there it is a pthread mutex.
@frozen
public struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    #if TSAN
    @usableFromInline let storage: GuardedStorage<Value>

    /// Guards `value`.
    public init(_ value: consuming sending Value) {
        storage = GuardedStorage(value)
    }

    /// Runs `body` with the lock held.
    ///
    /// Never call out to foreign code from it.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(storage.mutex)
        defer { pthread_mutex_unlock(storage.mutex) }
        return try body(&storage.value)
    }
    #else
    @usableFromInline let mutex: Mutex<Value>

    /// Guards `value`.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the lock held.
    ///
    /// Never call out to foreign code from it.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
    #endif
}

#if TSAN
@usableFromInline
final class GuardedStorage<Value: ~Copyable>: @unchecked Sendable {  // `mutex` guards `value`
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    var value: Value

    init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }
}
#endif
