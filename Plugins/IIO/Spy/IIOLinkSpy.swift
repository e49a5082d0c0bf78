import IIOPlugin
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit

/// Stands in for libiio: devices from a script, in virtual time, without threads or sockets.
///
/// Everything above the library is the plugin's own: discovery, attributes, rates, layout, decoding,
/// clock mapping, retries. What the plugin asks is in `commands`.
///
/// ```swift
/// let clock = VirtualClock()
/// let spy = IIOLinkSpy(clock: clock, devices: [.accelerometer()])
/// let plugin = spy.makePlugin()
/// ```
public final class IIOLinkSpy: Sendable {
    /// What can be made to fail.
    public enum Operation: String, Sendable {
        /// Connecting to a context.
        case connect
        /// Starting a capture.
        case open
        /// Waiting for scans.
        case refill
        /// Reading an attribute.
        case read
        /// Writing an attribute.
        case write
    }

    /// How a device behaves once it was pulled out.
    public enum Absence: Sendable {
        /// A capture hears nothing more: this is what libiio 0.24 shows of a real kernel.
        case silent
        /// A capture fails with ENODEV.
        case told
    }

    struct Failure {
        var operation: Operation
        var number: Int
        var left: Int
    }

    struct State {
        var devices: [String: ScriptedDevice] = [:]
        var order: [String] = []
        var triggers: [ScriptedDevice] = []
        var queues: [String: [RawScan]] = [:]
        var absences: [String: Absence] = [:]
        var stalled: Set<String> = []
        var failures: [Failure] = []
        var holds: [String: Duration] = [:]
        var connectionHolds: [String: Duration] = [:]
        var commands: [String] = []
        var buffers: [Int: SpyBuffer] = [:]
        var nextBuffer = 0
        var openContexts = 0
        var watchers: [Int: @Sendable () -> Void] = [:]
        var miscounts = false
        // What `suffer` has done.
        var torn = 0
        var spoiled = 0
        var pulled: [String] = []
        var isDenied = false
        var isAway = false
    }

    /// The clock of the test.
    public let clock: VirtualClock
    /// Where it writes what it was told; shared with other spies, if the test says so.
    public let journal: SpyJournal
    let isLocal: Bool
    let state: Guarded<State>

    /// Makes a spy with those devices.
    ///
    /// - Parameters:
    ///   - clock: the clock that the plugin is to run on, too.
    ///   - devices: what is plugged in at first.
    ///   - triggers: the names of the context's triggers; those that the devices name are added.
    ///   - isLocal: false for another machine's devices, whose clock is not this one's.
    ///   - journal: where it writes what it was told; its own by default.
    public init(
        clock: VirtualClock, devices: [ScriptedDevice] = [], triggers: [String] = [],
        isLocal: Bool = true, journal: SpyJournal = SpyJournal()
    ) {
        self.clock = clock
        self.isLocal = isLocal
        self.journal = journal
        let names = triggers + devices.compactMap(\.trigger).filter { !triggers.contains($0) }
        var first = State()
        first.order = devices.map(\.id)
        for device in devices { first.devices[device.id] = device }
        first.triggers = names.enumerated().map { index, name in
            ScriptedDevice(id: "trigger\(index)", name: name, channels: [], feed: .none)
        }
        state = Guarded(first)
    }

    /// Makes the plugin over this spy.
    ///
    /// - Parameters:
    ///   - configuration: values by key; `iio.uri` decides only what the devices are called.
    ///   - log: takes the plugin's diagnostics.
    public func makePlugin(
        configuration: [String: String] = [:],
        log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }
    ) -> IIO {
        plugin(for: PluginHost(clock: clock, configuration: { configuration[$0] }, log: log))
    }

    /// Makes the plugin over this spy, for a host of the test's.
    public func plugin(for host: PluginHost) -> IIO { IIO(host: host, link: self) }

    // MARK: What was asked

    /// What the plugin asked, in order: `connect local:`, `write iio:device0 sampling_frequency 100`,
    /// `open iio:device0 accel_x,accel_y,accel_z,timestamp 1`, `close iio:device0`.
    public var commands: [String] { state.withLock { $0.commands } }

    /// How many scans wait that nobody has taken.
    public func unread(of device: String = "iio:device0") -> Int {
        state.withLock { $0.queues[device]?.count ?? 0 }
    }

    /// How many captures are running.
    public var captureCount: Int { state.withLock { $0.buffers.count } }

    /// How many connections are open.
    public var connectionCount: Int { state.withLock { $0.openContexts } }

    /// The text of an attribute as it is now: `attribute("scale", of: "accel_x", in: "iio:device0")`.
    public func attribute(_ name: String, of channel: String? = nil, in device: String) -> String? {
        state.withLock { $0.devices[device]?.text(name, channel) }
    }

    // MARK: What happens

    /// Lets the device measure: the scans wait until a capture takes them.
    public func push(_ scans: [RawScan], to device: String = "iio:device0") {
        state.withLock { $0.queues[device, default: []] += scans }
        wake()
    }

    /// Sets an attribute from outside.
    public func set(_ name: String, of channel: String? = nil, in device: String, to text: String) {
        state.withLock { $0.devices[device]?.set(name, channel, text) }
    }

    /// Makes the next `times` operations of a kind fail with an error number of Linux.
    public func fail(_ operation: Operation, with number: Int, times: Int = 1) {
        state.withLock {
            $0.failures.append(Failure(operation: operation, number: number, left: times))
        }
        wake()
    }

    /// Makes each read of the attribute take that long; nil ends it.
    public func hold(_ attribute: String, for duration: Duration?) {
        state.withLock { $0.holds[attribute] = duration }
    }

    /// Makes each connection to that address take that long; nil ends it.
    public func hold(connectionTo uri: String, for duration: Duration?) {
        state.withLock { $0.connectionHolds[uri] = duration }
    }

    /// Lets a device measure nothing more, without telling.
    public func stall(_ device: String = "iio:device0") {
        _ = state.withLock { $0.stalled.insert(device) }
    }

    /// Lets a stalled device measure again.
    public func resume(_ device: String = "iio:device0") {
        _ = state.withLock { $0.stalled.remove(device) }
        wake()
    }

    /// Pulls a device out.
    public func unplug(_ device: String = "iio:device0", as absence: Absence = .silent) {
        state.withLock { state in
            state.absences[device] = absence
            state.order.removeAll { $0 == device }
            for buffer in state.buffers.values where buffer.device == device { buffer.orphan() }
        }
        wake()
        tellWatchers()
    }

    /// Plugs a device in, one that was there before or a new one.
    public func plug(_ device: ScriptedDevice) {
        state.withLock { state in
            state.absences[device.id] = nil
            state.order.removeAll { $0 == device.id }
            state.order.append(device.id)
            state.devices[device.id] = device
        }
        tellWatchers()
    }

    /// Lets the library count the bytes of a scan as libiio 0.24 does, without the padding at the end.
    public func miscountScans() { state.withLock { $0.miscounts = true } }

    // MARK: Inside

    func note(_ command: String) {
        state.withLock { $0.commands.append(command) }
        journal.record(.said(command), by: "iio", at: clock.now)
    }

    func noteUnexpected(_ command: String) {
        journal.record(.unexpected(command), by: "iio", at: clock.now)
    }

    func checkFailure(_ operation: Operation, _ what: String) throws(IIOFault) {
        let number = state.withLock { state -> Int? in
            if state.isAway { return operation == .connect ? 111 : 32 }
            if state.isDenied, operation == .open || operation == .read { return 13 }
            guard let place = state.failures.firstIndex(where: { $0.operation == operation }) else {
                return nil
            }
            state.failures[place].left -= 1
            let number = state.failures[place].number
            if state.failures[place].left <= 0 { state.failures.remove(at: place) }
            return number
        }
        if let number { throw IIOFault(errno: number, doing: what) }
    }

    func wake() {
        for buffer in state.withLock({ Array($0.buffers.values) }) { buffer.wake() }
    }

    private func tellWatchers() {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher() }
    }
}

extension IIOLinkSpy: IIOLink {
    package func makeThread() -> SessionThread? { nil }

    package func connect(
        to uri: String, timeout: Duration
    ) async throws(IIOFault) -> any IIOContext {
        note("connect \(uri)")
        if let hold = state.withLock({ $0.connectionHolds[uri] }) {
            // A real connection attempt cannot be cancelled either.
            let clock = clock
            await clock.spawn("hold \(uri)") { await clock.pause(for: hold) }.value
        }
        try checkFailure(.connect, "connecting to \(uri)")
        let content = state.withLock { state in
            state.openContexts += 1
            return IIOContextContent(
                isLocal: isLocal, devices: state.order.compactMap { state.devices[$0]?.asDevice },
                triggers: state.triggers.map(\.asDevice))
        }
        return SpyContext(self, content)
    }

    package func authorization(of device: String) -> AuthorizationStatus {
        state.withLock { $0.isDenied } ? .denied : .authorized
    }

    package func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? {
        let id = state.withLock { state in
            state.nextBuffer += 1
            state.watchers[state.nextBuffer] = changed
            return state.nextBuffer
        }
        return SpyWatch { [weak self] in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
    }
}

private struct SpyWatch: DeviceWatch {
    let stop: @Sendable () -> Void
    func end() { stop() }
}

extension ScriptedDevice {
    func text(_ name: String, _ channel: String?) -> String? {
        guard let channel else { return attributes[name] }
        return channels.first { $0.id == channel }?.attributes[name]
    }

    mutating func set(_ name: String, _ channel: String?, _ text: String) {
        guard let channel else {
            attributes[name] = text
            return
        }
        guard let place = channels.firstIndex(where: { $0.id == channel }) else { return }
        channels[place].attributes[name] = text
        // The kernel has one file for what a driver shares by type.
        for other in channels.indices
        where channels[other].attributes[name] != nil && name == "sampling_frequency" {
            if channels[other].id.prefix(while: { $0 != "_" })
                == channel.prefix(while: { $0 != "_" })
            {
                channels[other].attributes[name] = text
            }
        }
    }
}
