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
        var commands: [String] = []
        var connections = 0
        var isOver = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state: Guarded<State>
    private let listener: Int32
    private let wake: (read: Int32, write: Int32)
    /// The port that it listens on.
    public let port: UInt16

    /// Starts the server.
    ///
    /// - Throws: `SpyError` when no socket can be had.
    public init(_ script: GPSDStep...) throws {
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
        self.listener = listener
        wake = (ends[0], ends[1])
        port = UInt16(bigEndian: address.sin_port)
        state = Guarded(State(steps: script))
        startThread()
    }

    /// The value for `gpsd.address`.
    public var address: String { "127.0.0.1:\(port)" }

    /// Every command received, oldest first, without line ends.
    public var commands: [String] { state.withLock { $0.commands } }

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
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() } else { nudge(1) }
        }
    }

    private func nudge(_ code: UInt8 = 0) {
        state.withLock { state in
            if state.isOver { return }
            var code = code
            _ = write(wake.write, &code, 1)
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
        while true {
            var timeout: Int32 = -1
            if let until = pausedUntil {
                let left = clock.now.duration(to: until).wholeNanoseconds
                if left <= 0 { pausedUntil = nil } else { timeout = Int32(left / 1_000_000 + 1) }
            }
            if client >= 0, pausedUntil == nil {
                switch play(to: client) {
                case .goOn: continue
                case .wait: break
                case .pause(let time): pausedUntil = clock.now.advanced(by: time)
                case .hangUp:
                    close(client)
                    client = -1
                }
                if pausedUntil != nil { continue }
            }
            var descriptors = [
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
                pollfd(fd: client >= 0 ? client : listener, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&descriptors, 2, timeout) < 0, errno != EINTR { break }
            if descriptors[0].revents != 0 {
                var codes = [UInt8](repeating: 0, count: 64)
                let count = read(wake.read, &codes, codes.count)
                if codes[..<max(0, count)].contains(1) { break }
            }
            guard descriptors[1].revents != 0 else { continue }
            if client < 0 {
                client = accept(listener, nil, nil)
                if client >= 0 { greet(client) }
            } else if !hear(client) {
                close(client)
                client = -1
            }
        }
        if client >= 0 { close(client) }
        finish()
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
        let lines = String(decoding: buffer[..<count], as: UTF8.self)
            .split(whereSeparator: \.isNewline).map(String.init)
        state.withLock { $0.commands += lines }
        for line in lines where line.hasPrefix("?WATCH=") { transmit(GPSDLine.watch, to: client) }
        return true
    }

    private enum Act {
        case goOn
        case wait
        case pause(Duration)
        case hangUp
    }

    private func play(to client: Int32) -> Act {
        let step = state.withLock { state -> GPSDStep? in
            guard let first = state.steps.first, first != .stall, !state.commands.isEmpty else {
                return nil
            }
            if case .refuse = first { return .hangUp }
            return state.steps.removeFirst()
        }
        switch step {
        case .line(let text): transmit(text, to: client)
        case .bytes(let bytes): _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        case .pause(let time): return .pause(time)
        case .hangUp: return .hangUp
        case .refuse, .stall, nil: return .wait
        }
        return .goOn
    }

    private func transmit(_ line: String, to client: Int32) {
        let bytes = Array((line + "\r\n").utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
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
