import Sensorium

/// What a touch spy knows of the fingers on its surface.
struct SpyFingers: Sendable {
    /// The last touch's number.
    private(set) var lastTouch = 0
    /// Touches that the app was told of and not yet of their end, by their last event.
    private(set) var down: [Int: TouchEvent] = [:]
    /// Touches whose end a fault may have swallowed.
    private var lifted: Set<Int> = []
    private(set) var tally = TouchTally()

    /// A number that no touch has had.
    mutating func makeTouch() -> Int {
        lastTouch += 1
        return lastTouch
    }

    /// A finger was lifted, whether or not the app will hear of it.
    mutating func lift(_ touch: Int) { if down[touch] != nil { lifted.insert(touch) } }

    /// Remembers what the app is being told.
    mutating func note(_ events: [TouchEvent]) {
        for event in events {
            switch event.phase {
            case .began:
                lastTouch = max(lastTouch, event.touch)
                down[event.touch] = event
                tally.began += 1
            case .moved:
                if down[event.touch] != nil { down[event.touch] = event }
            case .ended:
                if forget(event.touch) { tally.ended += 1 }
            case .cancelled:
                if forget(event.touch) { tally.cancelled += 1 }
            }
        }
    }

    private mutating func forget(_ touch: Int) -> Bool {
        lifted.remove(touch)
        return down.removeValue(forKey: touch) != nil
    }

    /// The app stopped listening: it will not hear of the end of anything.
    mutating func forgetAll() {
        down = [:]
        lifted = []
    }

    /// The events that void the touches whose end was swallowed.
    func endsToMakeUp(at time: ReadingTime) -> [TouchEvent] {
        cancellations(of: down.filter { lifted.contains($0.key) }, at: time)
    }

    /// The events that void every touch.
    func cancellations(at time: ReadingTime) -> [TouchEvent] { cancellations(of: down, at: time) }

    private func cancellations(
        of touches: [Int: TouchEvent], at time: ReadingTime
    ) -> [TouchEvent] {
        touches.sorted { $0.key < $1.key }.map { _, last in
            var event = last
            event.time = time
            event.phase = .cancelled
            event.endsFrame = false
            return event
        }
    }
}

/// How many touches a spy told its app of, and how they ended.
public struct TouchTally: Sendable, Hashable {
    /// Touches that began.
    public var began = 0
    /// Touches that ended.
    public var ended = 0
    /// Touches that were cancelled.
    public var cancelled = 0

    /// Makes a tally.
    public init(began: Int = 0, ended: Int = 0, cancelled: Int = 0) {
        self.began = began
        self.ended = ended
        self.cancelled = cancelled
    }
}

extension SensorSpy {
    /// Remembers touches that are about to be delivered; other readings are none.
    func noteTouches(_ readings: [Reading]) {
        guard Reading.self == TouchEvent.self, let events = readings as? [TouchEvent] else {
            return
        }
        state.withLock { $0.fingers.note(events) }
    }

    /// Delivers the cancellation of every touch, as a touch sensor owes it before it ends.
    func cancelFingers(_ sinks: [ReadingSink<Reading>]) {
        guard Reading.self == TouchEvent.self else { return }
        let time = ReadingTime(virtualClock.now, uncertainty: .zero)
        var events = state.withLock { $0.fingers.cancellations(at: time) }
        guard !events.isEmpty else { return }
        events[events.count - 1].endsFrame = true
        state.withLock { $0.fingers.note(events) }
        guard let readings = events as? [Reading] else { return }
        record(.delivered(readings.count))
        for sink in sinks { sink.deliver(readings.span) }
    }
}
