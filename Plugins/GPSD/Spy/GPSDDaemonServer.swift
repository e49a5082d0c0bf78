import Glibc
import Sensorium
import SensoriumTestKit

/// Plays gpsd's part on a real socket, on 127.0.0.1 and a port of its own.
///
/// With it the plugin's own TCP link is under test, and programs of others. It has a thread and runs in
/// real time: for everything else use `GPSDDaemonSpy`, which has neither.
///
/// Every connection is greeted and gets the script from the step that the last one got to.
public final class GPSDDaemonServer: Sendable {
    private struct State {
        var steps: [GPSDStep]
        var connections = 0
        /// Whether the present client asked for reports.
        var isWatched = false
        var isStopping = false
        var isOver = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state: Guarded<State>
    private let listener: Int32
    private let wake: (read: Int32, write: Int32)
    /// Where it writes what it saw.
    public let journal: SpyJournal
    /// Its name in the journal.
    public let name: String
    /// The port that it listens on.
    public let port: UInt16

    /// Starts the server.
    ///
    /// - Throws: `SpyError` when no socket can be had.
    public init(
        _ script: GPSDStep..., journal: SpyJournal = SpyJournal(), name: String = "gpsd server"
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, generic, &size) == 0
            }
        }
        var ends: [Int32] = [-1, -1]
        guard listener >= 0, isListening, pipe(&ends) == 0 else {
            if listener >= 0 { close(listener) }
            throw SpyError("no server can be started on 127.0.0.1: error \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.listener = listener
        self.journal = journal
        self.name = name
        wake = (ends[0], ends[1])
        port = UInt16(bigEndian: address.sin_port)
        state = Guarded(State(steps: script))
        startThread()
    }

    /// The value for `gpsd.address`.
    public var address: String { "127.0.0.1:\(port)" }

    /// Every command received, oldest first, without line ends.
    public var commands: [String] {
        journal.events(of: name).compactMap { if case .said(let text) = $0 { text } else { nil } }
    }

    /// How many connections were accepted.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// Adds steps to the script.
    public func say(_ steps: GPSDStep...) {
        state.withLock { $0.steps += steps }
        nudge()
    }

    /// Ends the server and its connection.
    ///
    /// Its thread is gone when this returns.
    public func stop() async {
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
                state.isStopping = true
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() } else { nudge() }
        }
    }

    private func nudge() {
        state.withLock { state in
            if state.isOver { return }
            var any: UInt8 = 0
            _ = write(wake.write, &any, 1)
        }
    }

    // MARK: On the thread

    private func startThread() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<GPSDDaemonServer>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            return finish()
        }
        pthread_detach(thread)
    }

    private func run() {
        var client: Int32 = -1
        var pausedUntil: SensorInstant?
        let clock = SystemClock()
        while !state.withLock({ $0.isStopping }) {
            var timeout: Int32 = -1
            if let until = pausedUntil {
                let left = clock.now.duration(to: until).wholeNanoseconds
                if left <= 0 {
                    pausedUntil = nil
                } else {
                    timeout = Int32(clamping: left / 1_000_000 + 1)
                }
            }
            if client >= 0, pausedUntil == nil {
                switch play(to: client) {
                case .goOn: continue
                case .wait: break
                case .pause(let time): pausedUntil = clock.now.advanced(by: time)
                case .hangUp:
                    close(client)
                    client = -1
                    continue
                }
                if pausedUntil != nil { continue }
            }
            var descriptors = [
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: client >= 0 ? client : listener, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&descriptors, 2, timeout) < 0, errno != EINTR { break }
            if descriptors[0].revents != 0 { drainNudges() }
            guard descriptors[1].revents != 0 else { continue }
            if client < 0 {
                client = accept(listener, nil, nil)
                if client >= 0 {
                    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                    greet(client)
                }
            } else if !hear(client) {
                close(client)
                client = -1
            }
        }
        if client >= 0 { close(client) }
        finish()
    }

    /// Reads what woke the thread.
    private func drainNudges() {
        var any = [UInt8](repeating: 0, count: 64)
        _ = read(wake.read, &any, any.count)
    }

    private func greet(_ client: Int32) {
        let isRefused = state.withLock { state in
            if case .refuse(let count)? = state.steps.first {
                if count > 1 {
                    state.steps[0] = .refuse(count - 1)
                } else {
                    state.steps.removeFirst()
                }
                return true
            }
            state.connections += 1
            state.isWatched = false
            return false
        }
        if isRefused {
            shutdown(client, Int32(SHUT_RDWR))
        } else {
            transmit(GPSDLine.version, to: client)
        }
    }

    /// Reads commands; false at the end.
    private func hear(_ client: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &buffer, buffer.count, 0)
        if count <= 0 { return false }
        for line in GPSDCommand.lines(in: buffer[..<count]) {
            record(.said(String(line)))
            if let oddity = GPSDCommand.oddity(of: line) { record(.unexpected(oddity)) }
            guard GPSDCommand.startsReports(line) else { continue }
            state.withLock { $0.isWatched = true }
            if !transmit(GPSDLine.watch, to: client) { return false }
        }
        return true
    }

    private func record(_ event: SpyJournal.Event) {
        journal.record(event, by: name, at: SystemClock().now)
    }

    private enum Act {
        case goOn
        case wait
        case pause(Duration)
        case hangUp
    }

    private func play(to client: Int32) -> Act {
        let step = state.withLock { state -> GPSDStep? in
            guard let first = state.steps.first, first != .stall, state.isWatched else {
                return nil
            }
            if case .refuse = first { return .hangUp }
            return state.steps.removeFirst()
        }
        switch step {
        case .line(let text): return transmit(text, to: client) ? .goOn : .hangUp
        case .bytes(let bytes): return transmit(bytes, to: client) ? .goOn : .hangUp
        case .pause(let time): return .pause(time)
        case .hangUp: return .hangUp
        case .refuse, .stall, nil: return .wait
        }
    }

    @discardableResult
    private func transmit(_ line: String, to client: Int32) -> Bool {
        transmit(Array((line + "\r\n").utf8), to: client)
    }

    /// Sends bytes to a client that may read slowly; false when it is gone, or the server is to end.
    private func transmit(_ bytes: [UInt8], to client: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(
                    client, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
                continue
            }
            if errno == EINTR { continue }
            if errno != EAGAIN { return false }
            var descriptors = [
                pollfd(fd: client, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&descriptors, 2, -1)
            if descriptors[1].revents != 0 { drainNudges() }
            if state.withLock({ $0.isStopping }) { return false }
        }
        return true
    }

    private func finish() {
        let waiters = state.withLock { state in
            state.isOver = true
            for descriptor in [listener, wake.read, wake.write] { close(descriptor) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
