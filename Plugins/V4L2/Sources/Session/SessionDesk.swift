import Sensorium

/// Knows the open sessions: one for each camera.
final class SessionDesk: Sendable {
    private struct State {
        var readers: [SensorID: CameraReader] = [:]
        var isStopped = false
        var onEnd: (@Sendable (SensorID) -> Void)?
    }

    /// How long a new session waits for the last one to end: a cancelled open, and a loop that
    /// was left, close in the background.
    private static let patience = Duration.seconds(1)

    let link: any V4L2Link
    let host: PluginHost
    private let state = Guarded(State())

    init(link: any V4L2Link, host: PluginHost) {
        self.link = link
        self.host = host
    }

    /// How many cameras are open.
    var count: Int { state.withLock { $0.readers.count } }

    /// Whether a camera has a session that waits for it while it is away.
    func isAwaited(_ id: SensorID) -> Bool {
        guard let reader = state.withLock({ $0.readers[id] }) else { return false }
        return !((try? reader.settings.endsOnUnplug()) ?? false)
    }

    /// Calls `act` whenever a session has ended.
    func onEnd(_ act: (@Sendable (SensorID) -> Void)?) { state.withLock { $0.onEnd = act } }

    /// Starts a session, where its camera has none, or only one that ends soon.
    func admit(_ reader: CameraReader) async throws(SensorError) {
        let id = reader.id
        func enter() -> (isStopped: Bool, other: CameraReader?) {
            state.withLock { state in
                if state.isStopped { return (true, nil) }
                let other = state.readers[id]
                if other == nil { state.readers[id] = reader }
                return (false, other)
            }
        }
        var (isStopped, other) = enter()
        if let old = other, await old.hasEnded(within: Self.patience) {
            (isStopped, other) = enter()
        }
        if isStopped {
            throw .unavailable(
                id, reason: "the v4l2 plugin was stopped", hint: "add it to the registry again")
        }
        if let other {
            throw .busy(
                id,
                reason: other.isStopping
                    ? "a call of its last session still blocks in the driver"
                    : "this program reads it already",
                hint: other.isStopping
                    ? "try again later, or plug the camera in again"
                    : "share it through a registry, or SharedSensor")
        }
        reader.start { [weak self] in self?.release(reader) }
    }

    private func release(_ reader: CameraReader) {
        let onEnd = state.withLock { state in
            if state.readers[reader.id] === reader { state.readers[reader.id] = nil }
            return state.onEnd
        }
        onEnd?(reader.id)
    }

    /// Ends every session.
    func stop() async {
        let readers = state.withLock { state in
            state.isStopped = true
            state.onEnd = nil
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish(nil) }
        for reader in readers { await reader.stop() }
    }
}
