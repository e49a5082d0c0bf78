import EvdevPlugin
import Sensorium
import SensoriumPluginKit
import SensoriumTestKit

/// Stands in for the kernel and libevdev: input devices from a script, without threads or files.
///
/// Everything above the events is the plugin's own: discovery, decoding, resynchronization, clock
/// mapping, retries. What the plugin asks is in `commands`.
///
/// ```swift
/// let clock = VirtualClock()
/// let spy = EvdevLinkSpy(clock: clock, inputs: [.screen()])
/// let plugin = spy.makePlugin()
/// // ... the app opens the screen ...
/// spy.put(finger: 0, at: .center)
/// spy.lift(finger: 0)
/// ```
public final class EvdevLinkSpy: Sendable {
    /// What can be made to fail, or never to return.
    public enum Operation: String, Sendable {
        /// Opening a node.
        case open
        /// Asking a device what it can do.
        case capabilities
        /// Asking a device for its state.
        case state
        /// Reading events.
        case read
    }

    fileprivate struct Failure {
        var operation: Operation
        var number: Int32
        var left: Int
    }

    struct State {
        var worlds: [String: InputWorld] = [:]
        fileprivate var failures: [Failure] = []
        fileprivate var hung: Set<Operation> = []
        fileprivate var hangers: [UnsafeContinuation<Void, Never>] = []
        fileprivate var commands: [String] = []
        fileprivate var keepsCommands = true
        fileprivate var watchers: [Int: @Sendable () -> Void] = [:]
        fileprivate var nextID = 0
        fileprivate var isDenied = false
        fileprivate var clockDomain = ClockDomain.boottime
        var openCount = 0
        var pulled: [ScriptedInput] = []
    }

    /// The clock of the test.
    public let clock: any SensorClock
    /// Where it writes what it was told; shared with other spies, if the test says so.
    public let journal: SpyJournal
    let state: Guarded<State>

    /// Makes a spy with those devices.
    ///
    /// - Parameters:
    ///   - clock: the clock that the plugin is to run on, too.
    ///   - inputs: what is plugged in at first.
    ///   - journal: where it writes what it was told; its own by default.
    public init(
        clock: any SensorClock, inputs: [ScriptedInput] = [], journal: SpyJournal = SpyJournal()
    ) {
        self.clock = clock
        self.journal = journal
        var first = State()
        for input in inputs { first.worlds[input.node] = InputWorld(input) }
        state = Guarded(first)
    }

    /// Makes the plugin over this spy.
    ///
    /// - Parameters:
    ///   - configuration: values by key.
    ///   - log: takes the plugin's diagnostics.
    public func makePlugin(
        configuration: [String: String] = [:],
        log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in }
    ) -> Evdev {
        plugin(for: PluginHost(clock: clock, configuration: { configuration[$0] }, log: log))
    }

    /// Makes the plugin over this spy, for a host of the test's.
    public func plugin(for host: PluginHost) -> Evdev { Evdev(host: host, link: self) }

    // MARK: What was asked

    /// What the plugin asked, in order: `open /dev/input/event0`, `state /dev/input/event0`,
    /// `close /dev/input/event0`.
    public var commands: [String] { state.withLock { $0.commands } }

    /// How many nodes are open.
    public var openCount: Int { state.withLock { $0.openCount } }

    /// Keeps no commands from now on, so that long runs do not fill the memory.
    public func keepNoCommands() { state.withLock { $0.keepsCommands = false } }

    // MARK: What happens

    /// Puts a finger somewhere, or moves it there.
    public func put(
        finger: Int = 0, at place: TouchPoint, on node: String = "/dev/input/event0"
    ) {
        act(on: node) { $0.finger(finger, at: place) }
    }

    /// Lifts a finger.
    public func lift(finger: Int = 0, from node: String = "/dev/input/event0") {
        act(on: node) { $0.finger(finger, at: nil) }
    }

    /// Presses a key; 1 is down, 0 up, 2 repeated.
    public func press(
        _ key: RemoteKey, value: Int32 = 1, on node: String = "/dev/input/event1"
    ) {
        send([InputEvent(InputCode.key, key.rawValue, value)], to: node)
    }

    /// Lets a device say anything, in one frame.
    package func send(_ events: [InputEvent], to node: String = "/dev/input/event0") {
        act(on: node) { _ in events }
    }

    private func act(on node: String, _ events: (inout InputWorld) -> [InputEvent]) {
        let now = clock.now
        state.withLock { state in
            guard var world = state.worlds[node] else { return }
            world.take(events(&world), at: now)
            state.worlds[node] = world
        }
    }

    /// Loses the next frames of a device, as the kernel does when nobody reads them in time.
    public func lose(_ count: Int, of node: String = "/dev/input/event0") {
        state.withLock { $0.worlds[node]?.toDrop += count }
    }

    /// Makes the next `times` operations of a kind fail with an error number of Linux.
    public func fail(_ operation: Operation, with number: Int32, times: Int = 1) {
        state.withLock {
            $0.failures.append(Failure(operation: operation, number: number, left: times))
        }
    }

    /// Lets operations of a kind never return, until `release`.
    public func hang(_ operation: Operation) {
        _ = state.withLock { $0.hung.insert(operation) }
    }

    /// Lets all operations return that hang.
    public func release() {
        let hangers = state.withLock { state in
            state.hung = []
            defer { state.hangers = [] }
            return state.hangers
        }
        for hanger in hangers { hanger.resume() }
    }

    /// Takes away, or gives back, the right to open nodes.
    public func setDenied(_ isDenied: Bool) { state.withLock { $0.isDenied = isDenied } }

    /// Lets the devices that are opened from now on stamp with another clock.
    public func stamp(with domain: ClockDomain) { state.withLock { $0.clockDomain = domain } }

    /// Pulls a device out.
    public func unplug(_ node: String = "/dev/input/event0") {
        let world = state.withLock { $0.worlds.removeValue(forKey: node) }
        for reader in world?.readers.values ?? [:].values { reader.signal.wake() }
        tellWatchers()
    }

    /// Plugs a device in, one that was there before or a new one.
    public func plug(_ input: ScriptedInput) {
        let old = state.withLock { state in
            state.worlds.updateValue(InputWorld(input), forKey: input.node)
        }
        for reader in old?.readers.values ?? [:].values { reader.signal.wake() }
        tellWatchers()
    }

    // MARK: Inside

    func note(_ command: String) {
        let keeps = state.withLock { state in
            if state.keepsCommands { state.commands.append(command) }
            return state.keepsCommands
        }
        if keeps { journal.record(.said(command), by: "evdev", at: clock.now) }
    }

    /// Fails or hangs an operation, where the test has said so.
    func check(_ operation: Operation, _ what: @autoclosure () -> String) async throws(EvdevFault) {
        await withUnsafeContinuation { (hanger: UnsafeContinuation<Void, Never>) in
            let hangs = state.withLock { state in
                guard state.hung.contains(operation) else { return false }
                state.hangers.append(hanger)
                return true
            }
            if !hangs { hanger.resume() }
        }
        let number = state.withLock { state -> Int32? in
            if operation == .open, state.isDenied { return 13 }
            guard let place = state.failures.firstIndex(where: { $0.operation == operation }) else {
                return nil
            }
            state.failures[place].left -= 1
            let number = state.failures[place].number
            if state.failures[place].left <= 0 { state.failures.remove(at: place) }
            return number
        }
        if let number { throw EvdevFault(errno: number, doing: what()) }
    }

    private func tellWatchers() {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher() }
    }
}

extension EvdevLinkSpy: EvdevLink {
    package func makeThread() -> SessionThread? { nil }

    package func nodes() -> [InputNode] {
        state.withLock { $0.worlds.values.map(\.input.about).sorted { $0.path < $1.path } }
    }

    package func mayOpen(_ path: String) -> Bool { state.withLock { !$0.isDenied } }

    package func open(_ path: String) async throws(EvdevFault) -> any EvdevDevice {
        note("open \(path)")
        try await check(.open, "opening \(path)")
        let signal = SpySignal()
        let opened = state.withLock { state -> (Int, ClockDomain)? in
            guard state.worlds[path] != nil else { return nil }
            state.nextID += 1
            state.openCount += 1
            state.worlds[path]?.readers[state.nextID] = InputWorld.Reader(signal: signal)
            return (state.nextID, state.clockDomain)
        }
        guard let (handle, domain) = opened else {
            throw EvdevFault(errno: 2, doing: "opening \(path)")
        }
        return SpyInput(self, path, handle, signal, domain)
    }

    package func watch(_ changed: @escaping @Sendable () -> Void) -> (any DeviceWatch)? {
        let id = state.withLock { state in
            state.nextID += 1
            state.watchers[state.nextID] = changed
            return state.nextID
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
