import Sensorium

/// One sensor of a recording: what reads it, and what it said last.
final class Track<Reading: RecordableReading>: Sendable {
    let sensor: RecordedSensor

    fileprivate struct State {
        var sinks: [(id: Int, sink: ReadingSink<Reading>)] = []
        var nextID = 0
        var status: SensorStatus?
        var rate: Double?
        var contacts = Contacts()
    }

    private let state = Guarded(State())

    init(_ sensor: RecordedSensor) { self.sensor = sensor }

    /// The rate that the recorded sensor was granted; nil where it did not say.
    var rate: Double? { state.withLock { $0.rate } }

    // MARK: Sessions

    /// Adds a consumer, and tells it how the sensor does.
    func add(_ sink: ReadingSink<Reading>) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.sinks.append((state.nextID, sink))
            if let status = state.status { sink.report(status) }
            // Who comes in the middle of a touch hears of the next one.
            state.contacts.forget()
            return state.nextID
        }
    }

    /// Takes a consumer away; nothing is delivered to it after this returns.
    func remove(_ id: Int) { state.withLock { $0.sinks.removeAll { $0.id == id } } }

    // MARK: From the tape; sinks are called with the lock held, so that nothing comes after `remove`

    /// Plays an event.
    ///
    /// - Parameter isMissed: its time passed while nobody listened: a reading is gone then.
    func play(
        _ content: RecordedEvent.Content, _ times: PlaybackTimes, due: SensorInstant,
        isMissed: Bool
    ) {
        state.withLock { state in
            switch content {
            case .reading(let recorded):
                guard !isMissed else { return }
                guard recorded.isPlausible, var reading = Reading(recorded) else {
                    for entry in state.sinks { entry.sink.lose(1, .implausible) }
                    return
                }
                reading.time = times.time(of: reading.time, deliveredAt: due)
                if Reading.self == TouchEvent.self {
                    guard let kept = state.contacts.follow(reading) else { return }
                    reading = kept
                }
                withUnsafePointer(to: reading) { pointer in
                    let one = UnsafeBufferPointer(start: pointer, count: 1).span
                    for entry in state.sinks { entry.sink.deliver(one) }
                }
            case .status(let status):
                state.status = status
                for entry in state.sinks { entry.sink.report(status) }
            case .lost(let loss):
                if isMissed { return }
                for entry in state.sinks { entry.sink.lose(loss.count, loss.reason) }
            case .gap(let reason):
                state.status = SensorStatus(.stale, reason: reason)
                for entry in state.sinks { entry.sink.report(SensorStatus(.stale, reason: reason)) }
            case .opened(let rate):
                state.rate = rate
            case .ended(let error):
                if !isMissed { state.finish(error, at: due) }
            }
        }
    }

    /// The recording is over, for good or for this round.
    func endRound(at moment: SensorInstant) {
        state.withLock { state in
            state.deliver(state.contacts.cancelled(at: moment))
            state.contacts.startRound()
        }
    }

    /// Ends every consumer's readings.
    func finish(_ error: SensorError?, at moment: SensorInstant) {
        state.withLock { $0.finish(error, at: moment) }
    }
}

extension Track.State {
    fileprivate mutating func finish(_ error: SensorError?, at moment: SensorInstant) {
        deliver(contacts.cancelled(at: moment))
        contacts.startRound()
        for entry in sinks { entry.sink.finish(error) }
        sinks = []
    }

    fileprivate func deliver(_ touches: [TouchEvent]) {
        let readings = touches.compactMap { $0 as? Reading }
        if readings.isEmpty { return }
        for entry in sinks { entry.sink.deliver(readings.span) }
    }
}

/// The touches that are down, so that each begins before it moves and ends once.
struct Contacts: Sendable {
    private var down: [Int: TouchEvent] = [:]
    private var round = 0

    /// The event as a consumer sees it; nil where its beginning was missed.
    mutating func follow<Reading: SensorReading>(_ reading: Reading) -> Reading? {
        guard var touch = reading as? TouchEvent else { return reading }
        // The same recording again has other touches.
        touch.touch &+= round &* 1_000_000_000
        switch touch.phase {
        case .began: down[touch.touch] = touch
        case .moved:
            if down[touch.touch] == nil { return nil }
            down[touch.touch] = touch
        case .ended, .cancelled:
            if down.removeValue(forKey: touch.touch) == nil { return nil }
        }
        return touch as? Reading
    }

    /// The ends of all touches that are down.
    mutating func cancelled(at moment: SensorInstant) -> [TouchEvent] {
        defer { down = [:] }
        let touches = down.values.sorted { $0.touch < $1.touch }
        return touches.enumerated().map { index, last in
            var touch = last
            touch.phase = .cancelled
            touch.time = ReadingTime(moment, source: .arrival)
            touch.endsFrame = index == touches.count - 1
            return touch
        }
    }

    /// What began before is not followed any more.
    mutating func forget() { down = [:] }

    /// What comes from now on are other touches.
    mutating func startRound() { round &+= 1 }
}
