import Sensorium

/// An open session, whatever it reads.
protocol DeviceSession: AnyObject, Sendable {
    var id: SensorID { get }
    /// Given once the device is read: nil, or the reason why it cannot be.
    var answer: Answer<EvdevFault?> { get }
    /// Whether it waits for its device while that is away.
    var waitsForDevice: Bool { get }
    /// Starts the task; `over` is called when it has ended.
    func start(over: @escaping @Sendable () -> Void)
    /// Ends it, within its time; nothing is delivered after that.
    func stop() async
    /// Ends it, and tells the consumer.
    func finish() async
}

/// Knows the open sessions; the kernel lets a device have many.
final class SessionDesk: Sendable {
    private struct State {
        var sessions: [ObjectIdentifier: any DeviceSession] = [:]
        var isStopped = false
        var onEnd: (@Sendable (SensorID) -> Void)?
    }

    let link: any EvdevLink
    let host: PluginHost
    private let state = Guarded(State())

    init(link: any EvdevLink, host: PluginHost) {
        self.link = link
        self.host = host
    }

    /// How many sessions are open.
    var count: Int { state.withLock { $0.sessions.count } }

    /// Whether a sensor has a session that waits for its device while that is away.
    func isAwaited(_ id: SensorID) -> Bool {
        state.withLock { Array($0.sessions.values) }.contains { $0.id == id && $0.waitsForDevice }
    }

    /// Calls `act` whenever a session has ended.
    func onEnd(_ act: (@Sendable (SensorID) -> Void)?) { state.withLock { $0.onEnd = act } }

    /// Starts a session.
    func admit(_ session: any DeviceSession) throws(SensorError) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.sessions[ObjectIdentifier(session)] = session }
            return state.isStopped
        }
        if isStopped {
            throw .unavailable(
                session.id, reason: "the evdev plugin was stopped",
                hint: "add it to the registry again")
        }
        session.start { [weak self, weak session] in
            guard let session else { return }
            self?.release(session)
        }
    }

    private func release(_ session: any DeviceSession) {
        let onEnd = state.withLock { state in
            state.sessions[ObjectIdentifier(session)] = nil
            return state.onEnd
        }
        onEnd?(session.id)
    }

    /// Ends every session.
    func stop() async {
        let sessions = state.withLock { state in
            state.isStopped = true
            state.onEnd = nil
            return Array(state.sessions.values)
        }
        for session in sessions { await session.finish() }
    }
}
