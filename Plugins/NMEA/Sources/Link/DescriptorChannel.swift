import Glibc
import Sensorium

/// A descriptor that is opened and read on a thread of its own.
///
/// The thread waits for the descriptor and for a pipe, so that `close` ends it at once. Only while a name
/// is being looked up it cannot be woken: then it is left to end by itself, which it does without
/// touching anything.
final class DescriptorChannel: NMEAChannel {
    /// What the thread opens, and how it reads.
    struct Origin: Sendable {
        /// Opens the descriptor, waiting only with what it is given.
        var open: @Sendable (_ opening: Opening) -> Result<Int32, NMEALinkError>
        /// What it means that there is nothing more to read; nil for a plain end.
        var end: NMEALinkError?
        /// Why reading failed, by error number.
        var failure: @Sendable (Int32) -> NMEALinkError
        /// Whether each read gives a whole message, which ends a line.
        var hasMessages = false
        /// Whether reads wait for room: a file is longer than the memory that is for it.
        var isBounded = false
        /// Speeds to guess from, one after the other.
        var rates: RateGuess?
    }

    /// What opening may wait with.
    struct Opening {
        fileprivate let channel: DescriptorChannel

        /// Waits for `descriptor`; false when the channel is being closed.
        func wait(for descriptor: Int32, _ events: Int16) -> Bool {
            channel.wait(for: descriptor, events)
        }

        /// Whether the channel is being closed.
        var isOver: Bool { channel.state.withLock { $0.isClosing } }

        /// Does what cannot be woken; closing does not wait for it.
        func uninterruptibly<Value>(_ work: () -> Value) -> Value {
            channel.state.withLock { $0.isUninterruptible = true }
            defer { channel.state.withLock { $0.isUninterruptible = false } }
            return work()
        }
    }

    fileprivate struct State {
        var isOpen = false
        var incoming: [[UInt8]] = []
        var incomingCount = 0
        var end: NMEALinkError?
        var hasEnded = false
        var isClosing = false
        var isUninterruptible = false
        var descriptor: Int32 = -1
        var wake: (read: Int32, write: Int32) = (-1, -1)
        var waiters: [(id: Int, continuation: UnsafeContinuation<Void, Never>)] = []
        var nextID = 0
    }

    private let state = Guarded(State())
    private let origin: Origin
    private let peer: String

    /// More than this unread means that nobody reads any more.
    private static var incomingLimit: Int { 1 << 20 }

    /// Starts to open.
    init(_ origin: Origin, peer: String) {
        self.origin = origin
        self.peer = peer
        var ends: [Int32] = [-1, -1]
        if Glibc.pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            let pipe = (ends[0], ends[1])
            state.withLock { $0.wake = pipe }
            startThread()
        } else {
            let reason = SystemText.of(errno)
            finish(
                NMEALinkError(
                    reason: "no pipe can be made: \(reason)", hint: "close other files"))
        }
    }

    // MARK: For tasks

    /// Waits until it is open, or cannot be.
    func opened() async -> Result<Void, NMEALinkError> {
        while true {
            let answer = state.withLock { state -> Result<Void, NMEALinkError>? in
                if state.isOpen { return .success(()) }
                guard state.hasEnded || Task.isCancelled else { return nil }
                return .failure(
                    state.end ?? NMEALinkError(reason: "opening was given up", hint: ""))
            }
            if let answer { return answer }
            await somethingNew { $0.isOpen || $0.hasEnded }
        }
    }

    func receive() async throws(NMEALinkError) -> [UInt8]? {
        while true {
            if Task.isCancelled { return nil }
            let (bytes, hasEnded, error) = state.withLock { state in
                let bytes = state.incoming.isEmpty ? [] : state.incoming.removeFirst()
                state.incomingCount -= bytes.count
                if !bytes.isEmpty, origin.isBounded { state.wakeThread() }
                return (bytes, state.hasEnded, state.end)
            }
            if !bytes.isEmpty { return bytes }
            if let error { throw error }
            if hasEnded { return nil }
            await somethingNew { !$0.incoming.isEmpty || $0.hasEnded }
        }
    }

    var guessedRate: Int? { origin.rates?.current }

    func guessNextRate() {
        guard let rates = origin.rates else { return }
        rates.advance()
        state.withLock { state in
            // What came at the other speed is rubbish.
            state.incoming = []
            state.incomingCount = 0
            if state.descriptor >= 0 { SerialPort.set(rates.current, of: state.descriptor) }
        }
    }

    func close() async {
        let mustWait = state.withLock { state in
            state.isClosing = true
            if !state.hasEnded { state.wakeThread() }
            return !state.isUninterruptible
        }
        while mustWait, !state.withLock({ $0.hasEnded }) {
            await withUnsafeContinuation { continuation in
                let hasEnded = state.withLock { state in
                    if !state.hasEnded { state.waiters.append((0, continuation)) }
                    return state.hasEnded
                }
                if hasEnded { continuation.resume() }
            }
        }
    }

    /// Waits until `isReady`, or the task is cancelled.
    private func somethingNew(_ isReady: @escaping @Sendable (borrowing State) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isNow = state.withLock { state in
                    if isReady(state) || Task.isCancelled { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if isNow { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: place).continuation
            }
            waiter?.resume()
        }
    }

    // MARK: On the thread

    private func startThread() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<DescriptorChannel>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if status != 0 {
            context.release()
            finish(
                NMEALinkError(
                    reason: "no thread can be started: \(SystemText.of(status))",
                    hint: "see the limits of this process (ulimit -u)"))
        }
    }

    private func run() {
        let result = origin.open(Opening(channel: self))
        let mustGo = state.withLock { state in
            if case .success(let descriptor) = result { state.descriptor = descriptor }
            state.isOpen = state.descriptor >= 0 && !state.isClosing
            return state.isClosing
        }
        if mustGo { return finish(nil) }
        switch result {
        case .failure(let error): finish(error)
        case .success(let descriptor):
            for waiter in state.withLock({ $0.takeWaiters() }) { waiter.resume() }
            finish(read(descriptor))
        }
    }

    /// Waits for the descriptor; false when the channel is being closed.
    private func wait(for descriptor: Int32, _ events: Int16) -> Bool {
        let wake = state.withLock { $0.wake.read }
        var both = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            while poll(&both, 2, -1) < 0, errno == EINTR {}
            if both[1].revents == 0 { return true }
            var drained = [UInt8](repeating: 0, count: 16)
            _ = Glibc.read(wake, &drained, drained.count)
            if state.withLock({ $0.isClosing }) { return false }
            if both[0].revents != 0 { return true }
        }
    }

    /// Waits until there is room for more; false when the channel is being closed.
    private func waitForRoom() -> Bool {
        while true {
            let (isClosing, isFull, wake) = state.withLock { state in
                (state.isClosing, state.incomingCount >= Self.incomingLimit / 4, state.wake.read)
            }
            if isClosing { return false }
            if !isFull { return true }
            var one = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
            while poll(&one, 1, -1) < 0, errno == EINTR {}
            var drained = [UInt8](repeating: 0, count: 16)
            _ = Glibc.read(wake, &drained, drained.count)
        }
    }

    /// Reads until the end.
    private func read(_ descriptor: Int32) -> NMEALinkError? {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while wait(for: descriptor, Int16(POLLIN)) {
            if origin.isBounded, !waitForRoom() { return nil }
            let count = Glibc.read(descriptor, &buffer, buffer.count - 1)
            if count == 0 {
                // A datagram may be empty.
                if origin.hasMessages { continue }
                return origin.end
            }
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                return origin.failure(errno)
            }
            var length = count
            if origin.hasMessages, buffer[count - 1] != 0x0a {
                buffer[count] = 0x0a
                length += 1
            }
            let (waiters, isFull) = state.withLock { state in
                state.append(buffer[..<length], atMost: buffer.count)
                return (state.takeWaiters(), state.incomingCount > Self.incomingLimit)
            }
            for waiter in waiters { waiter.resume() }
            if isFull {
                return NMEALinkError(
                    reason: "\(peer) sends faster than this process reads", hint: "")
            }
        }
        return nil
    }

    /// Gives everything back, and tells whoever waits.
    private func finish(_ error: NMEALinkError?) {
        let waiters = state.withLock { state in
            for descriptor in [state.descriptor, state.wake.read, state.wake.write]
            where descriptor >= 0 {
                Glibc.close(descriptor)
            }
            state.descriptor = -1
            state.wake = (-1, -1)
            state.hasEnded = true
            state.end = error
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension DescriptorChannel.State {
    /// Lets the thread look again.
    fileprivate func wakeThread() {
        guard wake.write >= 0 else { return }
        var byte: UInt8 = 1
        _ = write(wake.write, &byte, 1)
    }

    /// Adds bytes to the last piece, while that stays small, so that there are few pieces.
    fileprivate mutating func append(_ bytes: ArraySlice<UInt8>, atMost limit: Int) {
        let last = incoming.count - 1
        if last >= 0, incoming[last].count + bytes.count <= limit {
            incoming[last] += bytes
        } else {
            incoming.append(Array(bytes))
        }
        incomingCount += bytes.count
    }

    /// Everybody who waits; they look for themselves whether it was for this.
    fileprivate mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters.map(\.continuation)
    }
}
