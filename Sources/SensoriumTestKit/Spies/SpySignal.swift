import Sensorium

/// Wakes a task that waits on a clock.
package final class SpySignal: Sendable {
    private struct State {
        var isRung = false
        var sleep: Task<Void, Never>?
    }

    private let state = Guarded(State())

    /// Makes one that nobody has rung.
    package init() {}

    /// Waits until `instant`, or until somebody rings; one that rang before counts.
    ///
    /// - Parameter instant: nil to wait for somebody alone.
    package func wait(until instant: SensorInstant?, on clock: any SensorClock) async {
        if state.withLock({ $0.isRung.take() }) { return }
        let sleep = clock.spawn("wait for a frame") {
            if let instant {
                await clock.pause(for: clock.now.duration(to: instant))
            } else {
                _ = await Answer<Bool>().wait()
            }
        }
        let isRung = state.withLock { state in
            state.sleep = sleep
            return state.isRung.take()
        }
        if isRung { sleep.cancel() }
        await sleep.value
        state.withLock { state in
            state.sleep = nil
            state.isRung = false
        }
    }

    /// Wakes who waits, or who waits next.
    package func wake() {
        state.withLock { state in
            state.isRung = true
            return state.sleep
        }?.cancel()
    }
}

extension Bool {
    /// The value, which becomes false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
