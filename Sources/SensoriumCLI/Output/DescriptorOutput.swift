import Glibc

/// Writes to a file descriptor from a thread of its own, so that a reader that does not read (a
/// pager, a full pipe) blocks nothing but that thread.
///
/// Text is written at once where the last write was long enough ago, and at most `holdTime` later
/// in bursts. Too much of it makes `write` wait, so that sensors count what is lost instead of the
/// memory growing.
final class DescriptorOutput: TextOutput, @unchecked Sendable {  // `lock` guards every `var`
    /// Why nothing can be written any more.
    enum Failure: Hashable, Sendable {
        /// The reader is gone (EPIPE).
        case readerLeft
        /// Another error, by its `errno`.
        case error(Int32)
    }

    private let descriptor: Int32
    private let onFailure: @Sendable (Failure) -> Void
    private let lock = ThreadCondition()
    private var waiting: [UInt8] = []
    private var isWriting = false
    private var hasThread = false
    private var hasFinished = false
    private var reason: Failure?
    private var blocked: [UnsafeContinuation<Void, Never>] = []

    /// How long text may be held back to be written together with what follows, in nanoseconds.
    private static var holdTime: Int64 { 10_000_000 }
    /// So much is written without waiting for more.
    private static var goodSize: Int { 32 << 10 }
    /// So much may wait before `write` waits too.
    private static var limit: Int { 256 << 10 }

    /// Makes an output on `descriptor`, which stays the caller's.
    ///
    /// - Parameter onFailure: told once, on the writing thread.
    init(descriptor: Int32, onFailure: @escaping @Sendable (Failure) -> Void = { _ in }) {
        self.descriptor = descriptor
        self.onFailure = onFailure
    }

    /// Why nothing can be written any more; nil while it can.
    var failure: Failure? { lock.withLock { reason } }

    func write(_ bytes: [UInt8]) async {
        if add(bytes) { await untilRoom(Self.limit) }
    }

    func post(_ text: String) {
        let isFull = lock.withLock { waiting.count > 4 * Self.limit }
        if !isFull { _ = add(Array(text.utf8)) }
    }

    func drained() async { await untilRoom(0) }

    /// Writes what is left and ends the thread.
    ///
    /// - Parameter limit: how long to wait for that, in nanoseconds; nil for as long as it takes.
    func finish(within limit: Int64?) {
        let deadline = limit.map { ThreadCondition.now + $0 }
        lock.withLock {
            hasFinished = true
            lock.wakeAll()
            while isBusy {
                guard lock.wait(until: deadline) else { break }
            }
        }
    }

    // MARK: Inside

    private var isBusy: Bool { reason == nil && (isWriting || !waiting.isEmpty) }

    /// - Returns: whether too much is waiting.
    private func add(_ bytes: [UInt8]) -> Bool {
        lock.withLock {
            if reason != nil || hasFinished || bytes.isEmpty { return false }
            if !hasThread {
                hasThread = true
                startThread()
            }
            if waiting.isEmpty || waiting.count >= Self.goodSize { lock.wakeAll() }
            waiting += bytes
            return waiting.count > Self.limit
        }
    }

    private func untilRoom(_ size: Int) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let goesOn = lock.withLock {
                    if !isBusy || (size > 0 && waiting.count <= size) || Task.isCancelled {
                        return true
                    }
                    blocked.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    private func wake() {
        let all = lock.withLock {
            defer { blocked = [] }
            return blocked
        }
        for continuation in all { continuation.resume() }
    }

    private func startThread() {
        let started = ThreadCondition.startThread { self.work() }
        // Without a thread nothing would ever be written.
        if !started { reason = .error(EAGAIN) }
    }

    private func work() {
        var lastWrite: Int64 = 0
        while let text = takeText(after: lastWrite) {
            let error = Self.writeAll(text, to: descriptor)
            lastWrite = ThreadCondition.now
            let failure = error.map { $0 == EPIPE ? Failure.readerLeft : .error($0) }
            // Before those who wait for the end go on.
            if let failure { onFailure(failure) }
            lock.withLock {
                isWriting = false
                if let failure {
                    reason = failure
                    waiting = []
                }
                lock.wakeAll()
            }
            wake()
            if failure != nil { return }
        }
    }

    private func takeText(after lastWrite: Int64) -> [UInt8]? {
        lock.withLock {
            while waiting.isEmpty {
                if hasFinished { return nil }
                _ = lock.wait(until: nil)
            }
            while waiting.count < Self.goodSize, !hasFinished {
                guard lock.wait(until: lastWrite + Self.holdTime) else { break }
            }
            defer { waiting = [] }
            isWriting = true
            return waiting
        }
    }

    /// - Returns: the `errno` that ended it; nil when all is written.
    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count >= 0 {
                    done += count
                } else if errno == EAGAIN {
                    // Somebody made the descriptor non-blocking; it is not ours alone.
                    var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&one, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
