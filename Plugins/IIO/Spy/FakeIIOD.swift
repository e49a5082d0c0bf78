import Glibc
import SensoriumTestKit

/// Plays `iiod` on 127.0.0.1, for the real libiio to talk to.
///
/// It speaks the text protocol of libiio 0.x from a script of devices and faults, with a thread for
/// each connection, in real time. Its record is `commands`. `stop()` ends it and joins all threads.
///
/// ```swift
/// let daemon = try FakeIIOD(devices: [.accelerometer()])
/// defer { daemon.stop() }
/// let plugin = IIO(host: PluginHost(configuration: ["iio.uri": daemon.uri]...))
/// daemon.push([["accel_z": 1000]])
/// ```
public final class FakeIIOD: Sendable {
    /// What can go wrong with a device, or with the connection to it.
    public enum Fault: Sendable, Hashable {
        /// Captures cannot be started: `OPEN` gives this error number.
        case refuseOpen(Int)
        /// Attributes cannot be read: `READ` gives this error number.
        case refuseRead(Int)
        /// Waiting for scans fails with this error number.
        case failCapture(Int)
        /// Nothing is answered to a wait for scans.
        case stall
        /// The connection is closed instead of giving scans.
        case drop
        /// So many bytes fewer than asked for are given.
        case shorten(Int)
        /// Scans hold these channels beside the ones asked for, as with a second client.
        case capture([String])
    }

    struct Ailment {
        var fault: Fault
        var device: String
        /// How many captures go well before it strikes.
        var after: Int
        /// How often it strikes; nil for always.
        var left: Int?
    }

    struct State {
        var devices: [String: ScriptedDevice] = [:]
        var order: [String] = []
        var triggers: [String] = []
        var queues: [String: [RawScan]] = [:]
        var owners: [String: Int] = [:]
        var ailments: [Ailment] = []
        var commands: [String] = []
        var connections: [Int: Int32] = [:]
        var threads: [pthread_t] = []
        var nextConnection = 0
        var listener: Int32 = -1
        var isStopped = false
    }

    let state: Monitor<State>
    private let port: UInt16
    private let journal: SpyJournal

    /// Starts the daemon on a free port.
    ///
    /// - Parameters:
    ///   - devices: what it serves.
    ///   - triggers: the names of triggers beside those that the devices have.
    ///   - journal: takes the commands too; its own by default.
    /// - Throws: `SpyError` when no port can be had.
    public init(
        devices: [ScriptedDevice], triggers: [String] = [], journal: SpyJournal = SpyJournal()
    ) throws {
        var first = State()
        first.order = devices.map(\.id)
        for device in devices { first.devices[device.id] = device }
        first.triggers = triggers + devices.compactMap(\.trigger).filter { !triggers.contains($0) }
        let (listener, port) = try Self.listen(on: 0)
        first.listener = listener
        self.port = port
        self.journal = journal
        state = Monitor(first)
        startAccepting(listener)
    }

    deinit { stop() }

    /// The address for `iio.uri`.
    public var uri: String { "ip:127.0.0.1:\(port)" }

    // MARK: What was asked

    /// Every command received, oldest first.
    ///
    /// `OPEN iio:device0 1 0000000f`; what a `WRITE` wrote stands behind it:
    /// `WRITE iio:device0 sampling_frequency 4 = 100`.
    public var commands: [String] { state.change { $0.commands } }

    /// How many connections are open.
    public var connectionCount: Int { state.change { $0.connections.count } }

    /// Waits, in real time, until a command that begins with `prefix` has come.
    ///
    /// A thread waits, not the caller's: the client that is waited for may need that one.
    ///
    /// - Returns: whether it came within `patience`.
    @discardableResult
    public func heard(
        _ prefix: String, times: Int = 1, within patience: Duration = .seconds(5)
    ) async -> Bool {
        let (seconds, attoseconds) = patience.components
        let time = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        return await withUnsafeContinuation { continuation in
            let started = startThread { [state] in
                let came: Bool? = state.wait(until: MonotonicTime.now + time) { state, _ in
                    state.commands.count { $0.hasPrefix(prefix) } >= times ? true : nil
                }
                continuation.resume(returning: came ?? false)
            }
            if !started { continuation.resume(returning: false) }
        }
    }

    // MARK: What happens

    /// Lets the device measure.
    public func push(_ scans: [RawScan], to device: String = "iio:device0") {
        state.change { $0.queues[device, default: []] += scans }
    }

    /// Sets an attribute from outside.
    public func set(_ name: String, of channel: String? = nil, in device: String, to text: String) {
        state.change { $0.devices[device]?.set(name, channel, text) }
    }

    /// The text of an attribute as it is now.
    public func attribute(_ name: String, of channel: String? = nil, in device: String) -> String? {
        state.change { $0.devices[device]?.text(name, channel) }
    }

    /// Makes a fault strike.
    ///
    /// - Parameters:
    ///   - device: whose captures or attributes fail.
    ///   - after: how many captures of scans go well before.
    ///   - times: how often it strikes; nil for always, until `heal`.
    public func inject(
        _ fault: Fault, on device: String = "iio:device0", after: Int = 0, times: Int? = nil
    ) {
        state.change {
            $0.ailments.append(Ailment(fault: fault, device: device, after: after, left: times))
        }
    }

    /// Ends all faults.
    public func heal() { state.change { $0.ailments = [] } }

    /// Takes a device away: the daemon's next clients do not see it, and captures fail with ENODEV.
    public func unplug(_ device: String = "iio:device0") {
        state.change { state in
            state.order.removeAll { $0 == device }
            state.ailments.append(
                Ailment(fault: .failCapture(19), device: device, after: 0, left: nil))
        }
    }

    /// Brings a device, one that was there before or a new one.
    public func plug(_ device: ScriptedDevice) {
        state.change { state in
            state.ailments.removeAll { $0.device == device.id }
            state.order.removeAll { $0 == device.id }
            state.order.append(device.id)
            state.devices[device.id] = device
        }
    }

    /// Ends the service: every connection breaks, and no new one can be made until `resumeService`.
    public func suspendService() {
        let (listener, connections) = state.change { state in
            defer { state.listener = -1 }
            return (state.listener, Array(state.connections.values))
        }
        if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Starts the service again, on the same port.
    ///
    /// - Throws: `SpyError` when the port is taken meanwhile.
    public func resumeService() throws {
        let (listener, _) = try Self.listen(on: port)
        state.change { $0.listener = listener }
        startAccepting(listener)
    }

    /// Ends the daemon and waits for all of its threads.
    public func stop() {
        state.change { $0.isStopped = true }
        suspendService()
        while let thread = state.change({ $0.threads.popLast() }) { pthread_join(thread, nil) }
    }

    // MARK: Threads

    private static func listen(on port: UInt16) throws -> (socket: Int32, port: UInt16) {
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && Glibc.listen(socket, 16) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard status else {
            close(socket)
            throw SpyError("the fake iiod cannot listen on 127.0.0.1:\(port): error \(errno)")
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private func startAccepting(_ listener: Int32) {
        startThread { [weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    break
                }
                guard let self else {
                    close(socket)
                    break
                }
                self.serve(socket)
            }
            close(listener)
        }
    }

    private func serve(_ socket: Int32) {
        var yes: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let id = state.change { state -> Int? in
            if state.isStopped || state.listener < 0 { return nil }
            state.nextConnection += 1
            state.connections[state.nextConnection] = socket
            return state.nextConnection
        }
        guard let id else {
            close(socket)
            return
        }
        let started = startThread { [state, journal] in
            let session = FakeIIODSession(
                id: id, socket: socket, state: state, journal: journal)
            session.run()
            state.change { state in
                state.connections[id] = nil
                for (device, owner) in state.owners where owner == id { state.owners[device] = nil }
            }
            close(socket)
        }
        if !started {
            state.change { $0.connections[id] = nil }
            close(socket)
        }
    }

    @discardableResult
    private func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let job = Unmanaged.passRetained(ThreadJob(work))
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadJob>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, job.toOpaque())
        guard status == 0 else {
            job.release()
            return false
        }
        state.change { $0.threads.append(thread) }
        return true
    }
}

private final class ThreadJob: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
