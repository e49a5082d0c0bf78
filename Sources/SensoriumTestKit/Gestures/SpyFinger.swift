import Sensorium

/// A finger that a test put down with `press(at:)`, until it is lifted.
public final class SpyFinger: Sendable {
    /// Its number in the events.
    public let touch: Int
    private let spy: SensorSpy<TouchEvent>
    private let place: Guarded<TouchPoint>

    init(spy: SensorSpy<TouchEvent>, touch: Int, point: TouchPoint) {
        self.spy = spy
        self.touch = touch
        place = Guarded(point)
    }

    /// Where it is.
    public var point: TouchPoint { place.withLock { $0 } }

    /// Moves it, at once or evenly over a time.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func move(to target: TouchPoint, over duration: Duration = .zero) async throws {
        let start = spy.virtualClock.now
        let way = TouchGesture.Finger(duration: duration, from: point, to: target)
        var time = Duration.zero
        while time < duration {
            time = min(time + .milliseconds(10), duration)
            await spy.virtualClock.advance(to: start.advanced(by: time))
            if let next = way.point(after: time) { try await go(to: next) }
        }
        try await go(to: target)
    }

    private func go(to target: TouchPoint) async throws {
        let isNew = place.withLock { place in
            defer { place = target }
            return place != target
        }
        if isNew { try await spy.report([event(.moved)]) }
    }

    /// Lifts it.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func lift() async throws { try await spy.report([event(.ended)]) }

    /// Makes the screen find out that it was none.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func cancel() async throws { try await spy.report([event(.cancelled)]) }

    func event(_ phase: TouchEvent.Phase) -> TouchEvent {
        let point = point
        return TouchEvent(
            time: ReadingTime(spy.virtualClock.now, uncertainty: .zero), phase: phase,
            touch: touch, x: point.x, y: point.y)
    }
}
