import CSensorium
import Sensorium

/// The host's functions for arrivals and departures, copied.
struct Watcher: @unchecked Sendable {  // no lock: constants, and functions for any thread
    let context: UnsafeMutableRawPointer?
    let arrived:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<sensorium_descriptor>?
        ) -> Void
    let departed: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void

    /// Copies a watcher; nil where it lacks a function.
    init?(_ watcher: UnsafePointer<sensorium_watcher>?) {
        guard let watcher = watcher?.pointee, let arrived = watcher.arrived,
            let departed = watcher.departed
        else { return nil }
        context = watcher.context
        self.arrived = arrived
        self.departed = departed
    }
}

/// Calls a watcher from any thread, and lets it be closed so that nothing comes afterwards.
///
/// The watcher is never called under the lock: it is the host's code. Closing waits, without
/// blocking, for the calls that are under way.
final class WatcherOutlet: Sendable {
    private struct State {
        var watcher: Watcher?
        var calls = 0
        var whenIdle: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())

    func open(_ watcher: Watcher) { state.withLock { $0.watcher = watcher } }

    func tell(_ body: (Watcher) -> Void) {
        let watcher = state.withLock { state in
            if state.watcher != nil { state.calls += 1 }
            return state.watcher
        }
        guard let watcher else { return }
        body(watcher)
        let closed = state.withLock { state -> [@Sendable () -> Void] in
            state.calls -= 1
            guard state.calls == 0 else { return [] }
            defer { state.whenIdle = [] }
            return state.whenIdle
        }
        for call in closed { call() }
    }

    /// Calls `closed` once no call is under way: at once, or at the end of the last one.
    func close(_ closed: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            state.watcher = nil
            if state.calls > 0 { state.whenIdle.append(closed) }
            return state.calls == 0
        }
        if isIdle { closed() }
    }
}
