import Glibc
import Sensorium

/// One TCP connection.
///
/// Its thread connects and reads; tasks take what came.
///
/// The thread waits for the socket and for a pipe, so that `close` ends it at once. Only while a name is
/// being looked up it cannot be woken: then it is left to end by itself, which it does without
/// touching anything.
final class TCPChannel: GPSDChannel {
    fileprivate struct State {
        var isConnected = false
        var incoming: [[UInt8]] = []
        var incomingCount = 0
        var end: GPSDLinkError?
        var hasEnded = false
        var isClosing = false
        var isResolving = true
        var socket: Int32 = -1
        var wake: (read: Int32, write: Int32) = (-1, -1)
        var waiters: [(id: Int, continuation: UnsafeContinuation<Void, Never>)] = []
        var nextID = 0
    }

    private let state = Guarded(State())
    private let address: GPSDAddress
    private let peer: String

    /// More than this unread means that nobody reads any more.
    private static var incomingLimit: Int { 4 << 20 }

    /// Starts to connect.
    init(address: GPSDAddress, peer: String) {
        self.address = address
        self.peer = peer
        var ends: [Int32] = [-1, -1]
        if Glibc.pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let pipe = (ends[0], ends[1])
            state.withLock { $0.wake = pipe }
            startThread()
        } else {
            finish(
                GPSDLinkError(
                    reason: "no pipe can be made: \(Self.text(errno))", hint: "close other files"))
        }
    }

    // MARK: For tasks

    /// Waits until the connection stands, or cannot be made.
    func connected() async -> Result<Void, GPSDLinkError> {
        while true {
            let answer = state.withLock { state -> Result<Void, GPSDLinkError>? in
                if state.isConnected { return .success(()) }
                guard state.hasEnded || Task.isCancelled else { return nil }
                return .failure(
                    state.end ?? GPSDLinkError(reason: "the connection was given up", hint: ""))
            }
            if let answer { return answer }
            await somethingNew { $0.isConnected || $0.hasEnded }
        }
    }

    func send(_ bytes: [UInt8]) {
        let socket = state.withLock { $0.hasEnded ? -1 : $0.socket }
        if socket >= 0 { _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    func receive() async throws(GPSDLinkError) -> [UInt8]? {
        while true {
            if Task.isCancelled { return nil }
            let (bytes, hasEnded, error) = state.withLock { state in
                // Piece by piece: whoever decodes megabytes at once notices no cancellation.
                let bytes = state.incoming.isEmpty ? [] : state.incoming.removeFirst()
                state.incomingCount -= bytes.count
                return (bytes, state.hasEnded, state.end)
            }
            if !bytes.isEmpty { return bytes }
            if let error { throw error }
            if hasEnded { return nil }
            await somethingNew { !$0.incoming.isEmpty || $0.hasEnded }
        }
    }

    func close() async {
        let mustWait = state.withLock { state in
            state.isClosing = true
            if !state.hasEnded, state.wake.write >= 0 {
                var byte: UInt8 = 1
                _ = write(state.wake.write, &byte, 1)
            }
            return !state.isResolving
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
                Unmanaged<TCPChannel>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if status != 0 {
            context.release()
            finish(
                GPSDLinkError(
                    reason: "no thread can be started: \(Self.text(status))",
                    hint: "see the limits of this process (ulimit -u)"))
        }
    }

    private func run() {
        let endpoints = resolve()
        let mustGo = state.withLock { state in
            state.isResolving = false
            return state.isClosing
        }
        if mustGo { return finish(nil) }
        switch endpoints {
        case .failure(let error): finish(error)
        case .success(let list):
            defer { freeaddrinfo(list) }
            var problem = "it has no address"
            var next: UnsafeMutablePointer<addrinfo>? = list
            while let endpoint = next {
                switch connect(to: endpoint.pointee) {
                case .connected: return finish(read())
                case .closing: return finish(nil)
                case .failed(let code): problem = Self.text(code)
                }
                next = endpoint.pointee.ai_next
            }
            finish(GPSDLinkError(reason: "\(peer): \(problem)", hint: hint(problem)))
        }
    }

    private func hint(_ problem: String) -> String {
        problem == Self.text(ECONNREFUSED)
            ? "is it running? (systemctl start gpsd)" : "check gpsd.address and the network"
    }

    private func resolve() -> Result<UnsafeMutablePointer<addrinfo>, GPSDLinkError> {
        var wanted = addrinfo()
        wanted.ai_family = AF_UNSPEC
        wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
        wanted.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &wanted, &list)
        guard status == 0, let list else {
            return .failure(
                GPSDLinkError(
                    reason: "\(peer): \(String(cString: gai_strerror(status)))",
                    hint: "check gpsd.address"))
        }
        return .success(list)
    }

    private enum Attempt {
        case connected
        case closing
        case failed(Int32)
    }

    private func connect(to endpoint: addrinfo) -> Attempt {
        let descriptor = socket(
            endpoint.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if descriptor < 0 { return .failed(errno) }
        if Glibc.connect(descriptor, endpoint.ai_addr, endpoint.ai_addrlen) != 0 {
            var code = errno
            if code == EINPROGRESS {
                guard wait(for: descriptor, Int16(POLLOUT)) else {
                    Glibc.close(descriptor)
                    return .closing
                }
                var size = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            }
            if code != 0 {
                Glibc.close(descriptor)
                return .failed(code)
            }
        }
        let waiters = state.withLock { state in
            state.socket = descriptor
            state.isConnected = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
        return .connected
    }

    /// Waits for the socket; false when the channel is being closed.
    private func wait(for descriptor: Int32, _ events: Int16) -> Bool {
        let wake = state.withLock { $0.wake.read }
        var both = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&both, 2, -1) < 0, errno == EINTR {}
        return both[1].revents == 0
    }

    /// Reads until the end.
    private func read() -> GPSDLinkError? {
        let descriptor = state.withLock { $0.socket }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while wait(for: descriptor, Int16(POLLIN)) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 {
                return GPSDLinkError(
                    reason: "\(peer) closed the connection", hint: "was it stopped or restarted?")
            }
            if count < 0 {
                if errno == EAGAIN || errno == EINTR { continue }
                return GPSDLinkError(
                    reason: "\(peer): \(Self.text(errno))", hint: "check the network")
            }
            let (waiters, isFull) = state.withLock { state in
                state.append(buffer[..<count], atMost: buffer.count)
                return (state.takeWaiters(), state.incomingCount > Self.incomingLimit)
            }
            for waiter in waiters { waiter.resume() }
            if isFull {
                return GPSDLinkError(
                    reason: "\(peer) sends faster than this process reads", hint: "")
            }
        }
        return nil
    }

    /// Gives everything back, and tells whoever waits.
    private func finish(_ error: GPSDLinkError?) {
        let waiters = state.withLock { state in
            for descriptor in [state.socket, state.wake.read, state.wake.write]
            where descriptor >= 0 {
                Glibc.close(descriptor)
            }
            state.socket = -1
            state.wake = (-1, -1)
            state.isResolving = false
            state.hasEnded = true
            state.end = error
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    private static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        return buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: base)
        }
    }
}

extension TCPChannel.State {
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
