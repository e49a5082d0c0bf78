import Sensorium

/// Knows the open sessions.
final class ReaderDesk: Sendable {
    private struct State {
        var readers: [ObjectIdentifier: FrameReader] = [:]
        var isStopped = false
    }

    private let state = Guarded(State())

    /// How many sessions are open.
    var count: Int { state.withLock { $0.readers.count } }

    /// Starts a session; false when the plugin was stopped.
    func admit(_ reader: FrameReader) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isStopped { state.readers[ObjectIdentifier(reader)] = reader }
            return !state.isStopped
        }
        if isOpen { reader.start { [weak self] in self?.release(reader) } }
        return isOpen
    }

    private func release(_ reader: FrameReader) {
        state.withLock { $0.readers[ObjectIdentifier(reader)] = nil }
    }

    /// Ends every session.
    func stop() async {
        let readers = state.withLock { state in
            state.isStopped = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish(nil) }
        for reader in readers { await reader.stop() }
    }
}
