import Sensorium
import SensoriumPluginKit
import SensoriumTestKit
import V4L2Plugin

/// Stands in for the kernel: cameras from a script, at the ioctl seam, without threads or files.
///
/// Everything above the ioctls is the plugin's own: discovery, negotiation, buffers, inspection of
/// frames, clock mapping, retries. What the plugin asks is in `commands`.
///
/// ```swift
/// let clock = VirtualClock()
/// let spy = V4L2LinkSpy(clock: clock, cameras: [ScriptedCamera(feed: .steady)])
/// let plugin = spy.makePlugin()
/// ```
public final class V4L2LinkSpy: Sendable {
    /// What can be made to fail, or never to return.
    public enum Operation: String, Sendable {
        /// Opening a node.
        case open
        /// QUERYCAP.
        case capability
        /// S_FMT.
        case setFormat
        /// S_PARM.
        case setInterval
        /// REQBUFS.
        case requestBuffers
        /// QUERYBUF and mmap.
        case map
        /// QBUF.
        case queue
        /// DQBUF.
        case dequeue
        /// STREAMON.
        case start
    }

    /// How a camera behaves once it was pulled out.
    public enum Absence: Sendable {
        /// poll says POLLERR at once and for ever, and DQBUF gives ENODEV.
        case told
        /// poll hears nothing more.
        case silent
        /// poll says that a frame is there, and DQBUF never returns.
        case hanging
    }

    struct Failure {
        var operation: Operation
        var number: Int32
        var left: Int
    }

    struct State {
        var cameras: [String: CameraState] = [:]
        var failures: [Failure] = []
        var hung: Set<Operation> = []
        var hangers: [UnsafeContinuation<Void, Never>] = []
        var commands: [String] = []
        var keepsCommands = true
        var watchers: [Int: @Sendable () -> Void] = [:]
        var nextID = 0
        var openCount = 0
        var mappedCount = 0
        var isDenied = false
        var pulled: [ScriptedCamera] = []
    }

    /// The clock of the test.
    public let clock: any SensorClock
    /// Where it writes what it was told; shared with other spies, if the test says so.
    public let journal: SpyJournal
    let state: Guarded<State>

    /// Makes a spy with those cameras.
    ///
    /// - Parameters:
    ///   - clock: the clock that the plugin is to run on, too.
    ///   - cameras: what is plugged in at first.
    ///   - journal: where it writes what it was told; its own by default.
    public init(
        clock: any SensorClock, cameras: [ScriptedCamera] = [], journal: SpyJournal = SpyJournal()
    ) {
        self.clock = clock
        self.journal = journal
        var first = State()
        for camera in cameras { first.cameras[camera.node] = CameraState(camera) }
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
    ) -> V4L2 {
        plugin(for: PluginHost(clock: clock, configuration: { configuration[$0] }, log: log))
    }

    /// Makes the plugin over this spy, for a host of the test's.
    public func plugin(for host: PluginHost) -> V4L2 { V4L2(host: host, link: self) }

    // MARK: What was asked

    /// What the plugin asked, in order.
    ///
    /// `open /dev/video0`, `S_FMT YUYV 640x480`, `S_PARM 1000/30000`, `REQBUFS 8`, `STREAMON`,
    /// `STREAMOFF`, `close /dev/video0`. Buffers that come and go are not in it.
    public var commands: [String] { state.withLock { $0.commands } }

    /// How many nodes are open.
    public var openCount: Int { state.withLock { $0.openCount } }

    /// How many buffers are mapped.
    public var mappedCount: Int { state.withLock { $0.mappedCount } }

    /// How many buffers the camera has to fill.
    public func queuedCount(of node: String = "/dev/video0") -> Int {
        state.withLock { $0.cameras[node]?.queued.count ?? 0 }
    }

    /// Where the memory of the camera's buffers begins, in their order.
    public func bufferAddresses(of node: String = "/dev/video0") -> [UInt] {
        state.withLock { state in
            (state.cameras[node]?.memories ?? []).map { UInt(bitPattern: $0.bytes.baseAddress) }
        }
    }

    /// How many frames the camera had no buffer for.
    public func missedCount(of node: String = "/dev/video0") -> Int {
        state.withLock { $0.cameras[node]?.missed ?? 0 }
    }

    // MARK: What happens

    /// Lets the camera take frames: they wait until it streams, and then for nothing.
    public func push(_ frames: ScriptedFrame..., to node: String = "/dev/video0") {
        push(frames, to: node)
    }

    /// Lets the camera take frames: they wait until it streams, and then for nothing.
    public func push(_ frames: [ScriptedFrame], to node: String = "/dev/video0") {
        let clock = clock
        state.withLock { state in
            for frame in frames { state.cameras[node]?.take(frame, clock) }
        }
        wake(node)
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
            for node in state.cameras.keys where state.cameras[node]?.absence == .hanging {
                state.cameras[node]?.absence = .told
            }
            defer { state.hangers = [] }
            return state.hangers
        }
        for hanger in hangers { hanger.resume() }
    }

    /// Lets a camera take nothing more, without telling.
    public func stall(_ node: String = "/dev/video0") {
        state.withLock { $0.cameras[node]?.isStalled = true }
    }

    /// Lets a stalled camera go on.
    public func resume(_ node: String = "/dev/video0") {
        let now = clock.now
        state.withLock { $0.cameras[node]?.resume(at: now) }
        wake(node)
    }

    /// Lets another program have the camera; nil gives it back.
    public func occupy(_ node: String = "/dev/video0", by program: String?) {
        state.withLock { $0.cameras[node]?.occupant = program }
    }

    /// Takes away, or gives back, the right to open nodes.
    public func setDenied(_ isDenied: Bool) { state.withLock { $0.isDenied = isDenied } }

    /// Pulls a camera out.
    public func unplug(_ node: String = "/dev/video0", as absence: Absence = .told) {
        state.withLock { $0.cameras[node]?.absence = absence }
        wake(node)
        tellWatchers()
    }

    /// Plugs a camera in, one that was there before or a new one.
    ///
    /// Who still has a node of that name open has the old one.
    public func plug(_ camera: ScriptedCamera) {
        let old = state.withLock { state in
            defer { state.cameras[camera.node] = CameraState(camera) }
            return state.cameras[camera.node]
        }
        old?.signal.wake()
        tellWatchers()
    }

    /// Sets what a camera says against all reason.
    public func lie(_ node: String = "/dev/video0", _ lies: ScriptedCamera.Lies) {
        state.withLock { $0.cameras[node]?.camera.lies = lies }
    }

    /// Keeps no commands from now on, so that long runs do not fill the memory.
    public func keepNoCommands() { state.withLock { $0.keepsCommands = false } }

    // MARK: Inside

    func note(_ command: String) {
        let keeps = state.withLock { state in
            if state.keepsCommands { state.commands.append(command) }
            return state.keepsCommands
        }
        if keeps { journal.record(.said(command), by: "v4l2", at: clock.now) }
    }

    func noteUnexpected(_ what: String) {
        journal.record(.unexpected(what), by: "v4l2", at: clock.now)
    }

    /// Fails or hangs an operation, where the test has said so.
    func check(_ operation: Operation, _ what: @autoclosure () -> String) async throws(V4L2Fault) {
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
        if let number { throw V4L2Fault(errno: number, doing: what()) }
    }

    func wake(_ node: String) { state.withLock { $0.cameras[node]?.signal }?.wake() }

    private func tellWatchers() {
        for watcher in state.withLock({ Array($0.watchers.values) }) { watcher() }
    }
}

extension V4L2LinkSpy: V4L2Link {
    package func makeThread() -> SessionThread? { nil }

    package func nodes() -> [VideoNode] {
        state.withLock { state in
            state.cameras.values.filter { $0.absence == nil }.map(\.camera.asNode)
                .sorted { $0.path < $1.path }
        }
    }

    package func mayOpen(_ path: String) -> Bool { state.withLock { !$0.isDenied } }

    package func open(_ path: String) async throws(V4L2Fault) -> any V4L2Device {
        note("open \(path)")
        try await check(.open, "opening \(path)")
        let serial = state.withLock { state -> Int? in
            guard let camera = state.cameras[path], camera.absence == nil else { return nil }
            state.openCount += 1
            state.nextID += 1
            return state.nextID
        }
        guard let serial else { throw V4L2Fault(errno: 2, doing: "opening \(path)") }
        return SpyDevice(self, path, serial)
    }

    package func holders(of path: String) -> [String] {
        state.withLock { $0.cameras[path]?.occupant.map { [$0] } ?? [] }
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
