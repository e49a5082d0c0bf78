import Sensorium

/// Stands in for a remote control, a headset or media keys.
public typealias RemoteControlSpy = SensorSpy<KeyEvent>

/// Keys take virtual time. A remote control that was pulled out, or that the app has closed while a
/// key is held, reports nothing.
extension SensorSpy where Reading == KeyEvent {
    /// Presses a key and lets it go.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func press(
        _ key: RemoteKey, for duration: Duration = .milliseconds(80)
    ) async throws {
        try await press(code: key.rawValue, for: duration)
    }

    /// Presses any key and lets it go; for keys that are none of a remote control.
    ///
    /// - Parameter code: see linux/input-event-codes.h.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func press(code: UInt16, for duration: Duration = .milliseconds(80)) async throws {
        let start = virtualClock.now
        try await report(code, .pressed)
        // The kernel repeats a key that is held for 250 ms, each 33 ms.
        var next = Duration.milliseconds(250)
        while next < duration {
            await virtualClock.advance(to: start.advanced(by: next))
            try await report(code, .repeated)
            next += .milliseconds(33)
        }
        await virtualClock.advance(to: start.advanced(by: duration))
        try await report(code, .released)
    }

    /// Holds a key, which repeats as the kernel makes it: after 250 ms, each 33 ms.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func hold(_ key: RemoteKey, for duration: Duration = .seconds(1)) async throws {
        try await press(key, for: duration)
    }

    private func report(_ code: UInt16, _ phase: KeyEvent.Phase) async throws {
        let isDeaf = state.withLock { state in
            state.ailments.isUnplugged || (state.sinks.isEmpty && phase != .pressed)
        }
        if isDeaf { return }
        let time = ReadingTime(virtualClock.now, uncertainty: .zero)
        try await deliver(KeyEvent(time: time, code: code, phase: phase))
    }
}
