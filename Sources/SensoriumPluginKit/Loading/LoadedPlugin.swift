import CSensorium
public import Sensorium

/// A plugin that was loaded at run time and is at work.
///
/// Add it to a `SensorRegistry` like one that is linked in. Its sensors are this app's own types;
/// nothing of the plugin's Swift, if it is written in Swift, is seen here.
public final class LoadedPlugin: PluginInstance {
    /// What the plugin is.
    public let manifest: PluginManifest
    /// The file that it was loaded from.
    public let path: String

    let table: PluginTable
    private let owned: PluginTable.Owned
    let host: PluginHost
    let limits: CallLimits
    let firstCalls: FirstCalls
    let calls = CallsUnderWay()
    private let hostTable: HostTable
    private let state = Guarded(State())

    private struct State {
        var watcher: UInt?
        var sessions: [ObjectIdentifier: LoadedSession] = [:]
        /// The openings that were cancelled; each answer is given when its session is closed.
        var abandoned: [SensorID: [Answer<Bool>]] = [:]
    }

    private init(_ start: Start, owned: PluginTable.Owned, hostTable: HostTable) {
        let note = start.file.note
        manifest = PluginManifest(id: note.id, version: note.version, kinds: note.kinds)
        path = start.file.path
        table = start.table
        self.owned = owned
        host = start.host
        limits = start.limits
        firstCalls = start.firstCalls
        self.hostTable = hostTable
    }

    /// All that it takes to start a plugin.
    struct Start {
        var file: PluginFile
        var table: PluginTable
        var host: PluginHost
        var limits: CallLimits
        var firstCalls: FirstCalls
    }

    /// Sets a plugin to work.
    static func start(_ start: Start) async throws(LoadRefusal) -> LoadedPlugin {
        let (table, limit) = (start.table, start.limits.start)
        let (pointer, owner) = HostTable.make(start.host)
        let answer = PendingAnswer<Result<PluginTable.Owned, LoadRefusal>>()
        let token = PluginAnswers.started.insert(answer)
        start.firstCalls.guarding {
            table.start(table.context, pointer, PluginAnswers.onStarted, token)
        }
        let late = LoadRefusal(
            "did not start within \(limit.secondsText(0)) s", hint: "report it to its author")
        let result = await answer.value(
            within: limit, on: start.host.clock, late: .failure(late), cancelled: nil)
        PluginAnswers.started.remove(token)
        return LoadedPlugin(start, owned: try result.get(), hostTable: owner)
    }

    var instance: PluginTable.Instance { owned.pointer }

    // MARK: Watching

    /// Tells of sensors that come and go, until `stop`.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        guard let ticket = calls.begin() else { return }
        defer { ticket.end() }
        let token = WatcherInlet.all.insert(WatcherInlet(self, tell))
        let isNew = state.withLock { state in
            guard state.watcher == nil else { return false }
            state.watcher = UInt(bitPattern: token)
            return true
        }
        guard isNew else {
            WatcherInlet.all.remove(token)
            return host.log(.error, "\(manifest.id) is watched already")
        }
        let error = await finish("watching", within: limits.discover) { answer in
            var watcher = WatcherInlet.boundaryForm(token)
            firstCalls.guarding { table.watch(instance, &watcher, PluginAnswers.onDone, answer) }
        }
        if let error {
            host.log(.warning, "\(path): sensors that come and go are not noticed: \(error)")
        }
    }

    /// Makes a call that ends by a `sensorium_done`, and waits for that.
    private func finish(
        _ what: String, within limit: Duration, _ call: (UnsafeMutableRawPointer?) -> Void
    ) async -> SensorError? {
        let owed = PluginAnswers.Owed<SensorError?>(id: SensorID(manifest.id))
        let token = PluginAnswers.done.insert(owed)
        call(token)
        let error = await owed.answer.value(
            within: limit, on: host.clock,
            late: .timedOut(owed.id, after: limit, hint: "the plugin did not finish \(what)"),
            cancelled: nil)
        PluginAnswers.done.remove(token)
        return error
    }

    // MARK: Stopping

    /// Whether `stop` was called.
    public var isStopped: Bool { calls.isClosed }

    /// Closes what is open, ends watching, and stops the plugin.
    ///
    /// The library stays in memory: one that has Swift in it cannot be unloaded. Ends within 30 s,
    /// and 10 s more for each open session, also when the plugin hangs.
    public func stop() async {
        guard calls.close() else { return }
        // What is being opened becomes a session, or is closed again, before its plugin goes.
        await calls.waitUntilIdle(within: limits.close, on: host.clock)
        let (watcher, sessions) = state.withLock { state in
            defer { state.watcher = nil }
            return (state.watcher, Array(state.sessions.values))
        }
        for session in sessions {
            session.end(with: stoppedError(session.id))
            await session.close()
        }
        if let watcher {
            _ = await finish("unwatching", within: limits.close) { answer in
                table.unwatch(instance, PluginAnswers.onDone, answer)
            }
            WatcherInlet.all.remove(UnsafeMutableRawPointer(bitPattern: watcher))
        }
        let answer = PendingAnswer<Bool>()
        let token = PluginAnswers.closed.insert(answer)
        table.stop(instance, PluginAnswers.onClosed, token)
        let isInTime = await answer.value(
            within: limits.close, on: host.clock, late: false, cancelled: nil)
        PluginAnswers.closed.remove(token)
        firstCalls.end()
        hostTable.end()
        if !isInTime {
            host.log(.error, "\(path) did not stop within \(limits.close.secondsText(0)) s")
        }
    }

    func stoppedError(_ id: SensorID) -> SensorError {
        .unavailable(id, reason: "its plugin was stopped", hint: "load the plugin again")
    }

    /// Remembers an open session, for `stop`; false when the plugin was stopped meanwhile.
    func add(_ session: LoadedSession) -> Bool {
        if isStopped { return false }
        state.withLock { $0.sessions[ObjectIdentifier(session)] = session }
        return true
    }

    func remove(_ session: LoadedSession) {
        _ = state.withLock { $0.sessions.removeValue(forKey: ObjectIdentifier(session)) }
    }

    // MARK: Openings that were cancelled

    /// Remembers an opening that nobody waits for any more, and that the plugin still answers.
    func noteAbandoned(_ isOver: Answer<Bool>, of id: SensorID) {
        state.withLock { $0.abandoned[id, default: []].append(isOver) }
    }

    /// Waits until what cancelled openings of that sensor have opened is closed again, for as long as
    /// a plugin may take to close; or until the task is cancelled.
    func waitForAbandonedOpenings(of id: SensorID) async {
        let abandoned = state.withLock { state in
            let left = state.abandoned[id]?.filter { $0.value == nil } ?? []
            state.abandoned[id] = left.isEmpty ? nil : left
            return left
        }
        if abandoned.isEmpty { return }
        _ = await host.clock.within(limits.close) {
            for isOver in abandoned { _ = await isOver.wait() }
        }
    }
}

/// Takes arrivals and departures from a plugin.
private final class WatcherInlet: Sendable {
    static let all = TokenTable<WatcherInlet>()

    private let plugin: LoadedPlugin
    private let tell: @Sendable (SensorChange) -> Void

    init(_ plugin: LoadedPlugin, _ tell: @escaping @Sendable (SensorChange) -> Void) {
        self.plugin = plugin
        self.tell = tell
    }

    static func boundaryForm(_ token: UnsafeMutableRawPointer?) -> sensorium_watcher {
        sensorium_watcher(
            size: UInt32(MemoryLayout<sensorium_watcher>.size), reserved: 0, context: token,
            arrived: { token, descriptor in
                guard let inlet = WatcherInlet.all.value(token),
                    let found = inlet.plugin.describe(descriptor)
                else { return }
                inlet.tell(.arrived(inlet.plugin.sensor(found)))
            },
            departed: { token, id in
                guard let inlet = WatcherInlet.all.value(token),
                    let id = LentText.copyUnlessEmpty(id)
                else { return }
                inlet.tell(.departed(SensorID(id)))
            })
    }
}
