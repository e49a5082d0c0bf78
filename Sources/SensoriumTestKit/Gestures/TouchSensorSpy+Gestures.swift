import Sensorium

/// Gestures take virtual time, and report the fingers as a screen does that looks at them 100 times a
/// second: one frame for all fingers, and nothing of a finger that stays where it is.
///
/// A screen that was pulled out, or that the app has closed in mid-gesture, reports nothing; the
/// gesture goes on to its end all the same.
extension SensorSpy where Reading == TouchEvent {
    /// How many touches the app was told of, and how they ended.
    public var touchTally: TouchTally { state.withLock { $0.fingers.tally } }

    /// Taps.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func tap(
        at point: TouchPoint, fingers: Int = 1, for duration: Duration = .milliseconds(60)
    ) async throws {
        try await perform(.tap(at: point, fingers: fingers, for: duration))
    }

    /// Taps twice at one place, as fast as a double click.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func doubleTap(at point: TouchPoint, fingers: Int = 1) async throws {
        let tap = TouchGesture.tap(at: point, fingers: fingers)
        try await perform(tap.with(tap.after(.milliseconds(180))))
    }

    /// Puts a finger down, and lifts it only after `duration`.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func longPress(
        at point: TouchPoint, for duration: Duration = .milliseconds(800)
    ) async throws {
        try await perform(.tap(at: point, for: duration))
    }

    /// Swipes straight and evenly.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func swipe(
        from: TouchPoint, to: TouchPoint, over duration: Duration = .milliseconds(250),
        fingers: Int = 1
    ) async throws {
        try await perform(.swipe(from: from, to: to, over: duration, fingers: fingers))
    }

    /// Pinches, or spreads where `to` is more than `from`.
    ///
    /// - Parameters:
    ///   - from: the fingers' distance at the beginning, as a share of the surface's width.
    ///   - to: their distance at the end.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func pinch(
        at center: TouchPoint = .center, from: Double, to: Double,
        over duration: Duration = .milliseconds(400)
    ) async throws {
        try await perform(.pinch(at: center, from: from, to: to, over: duration))
    }

    /// Turns two fingers around the point between them.
    ///
    /// - Parameter degrees: clockwise as the user sees it.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func rotate(
        around center: TouchPoint = .center, by degrees: Double, radius: Double = 0.2,
        over duration: Duration = .milliseconds(600)
    ) async throws {
        try await perform(.rotate(around: center, by: degrees, radius: radius, over: duration))
    }

    /// Rests a palm on the screen, which the screen takes for a finger at first.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func restPalm(
        at point: TouchPoint, for duration: Duration = .milliseconds(120)
    ) async throws {
        try await perform(.palm(at: point, for: duration))
    }

    /// Does what the gesture says.
    ///
    /// - Parameter rate: frames a second.
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func perform(_ gesture: TouchGesture, rate: Double = 100) async throws {
        let period = Duration.nanoseconds(Int64(1e9 / max(rate, 1)))
        let start = virtualClock.now
        var hands = gesture.fingers.map { HandFinger(way: $0) }
        var tick = 0
        while true {
            let time = period * tick
            let now = ReadingTime(virtualClock.now, uncertainty: .zero)
            let frame = hands.indices.compactMap { index in
                hands[index].event(time, now) { state.withLock { $0.fingers.makeTouch() } }
            }
            try await report(frame)
            if hands.allSatisfy(\.isGone) { return }
            tick += 1
            await virtualClock.advance(to: start.advanced(by: period * tick))
        }
    }

    /// Puts a finger down, for a test that goes step by step.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func press(at point: TouchPoint) async throws -> SpyFinger {
        let touch = state.withLock { $0.fingers.makeTouch() }
        let finger = SpyFinger(spy: self, touch: touch, point: point)
        try await report([finger.event(.began)])
        return finger
    }

    /// Reports one frame, less what the sensor's contract forbids after a fault.
    func report(_ frame: [TouchEvent]) async throws {
        let now = ReadingTime(virtualClock.now, uncertainty: .zero)
        let begins = frame.contains { $0.phase == .began }
        var due = state.withLock { state -> [TouchEvent] in
            for event in frame where event.phase == .ended || event.phase == .cancelled {
                state.fingers.lift(event.touch)
            }
            if state.ailments.isUnplugged || (state.sinks.isEmpty && !begins) { return [] }
            let known = frame.filter { event in
                event.phase == .began || state.fingers.down[event.touch] != nil
            }
            let inFrame = Set(known.map(\.touch))
            // A screen tells late, and by a cancellation, of an end that nobody could hear.
            return state.fingers.endsToMakeUp(at: now).filter { !inFrame.contains($0.touch) }
                + known
        }
        if due.isEmpty { return }
        for place in due.indices { due[place].endsFrame = place == due.count - 1 }
        try await deliver(due)
    }
}

/// A finger while its gesture is performed.
private struct HandFinger {
    let way: TouchGesture.Finger
    private(set) var isGone = false
    private var touch: Int?
    private var last = TouchPoint.center

    init(way: TouchGesture.Finger) { self.way = way }

    /// What the screen sees of it after `time` of the gesture; nil where nothing is new.
    mutating func event(
        _ time: Duration, _ now: ReadingTime, makeTouch: () -> Int
    ) -> TouchEvent? {
        guard !isGone, let point = way.point(after: time) else { return nil }
        let number = touch ?? makeTouch()
        let phase: TouchEvent.Phase
        if touch == nil {
            touch = number
            phase = .began
        } else if time >= way.end {
            isGone = true
            phase = way.ending
        } else if point != last {
            phase = .moved
        } else {
            return nil
        }
        last = point
        return TouchEvent(time: now, phase: phase, touch: number, x: point.x, y: point.y)
    }
}
