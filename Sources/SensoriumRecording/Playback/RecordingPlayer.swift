public import Sensorium
import SensoriumPluginKit

/// Plays a recording as sensors, on a clock.
///
/// ```swift
/// let player = try RecordingPlayer(path: "walk.mcap", clock: SystemClock())
/// for sensor in player.sensors { registry.add(sensor) }
/// ```
///
/// The recording begins, after `options.lead`, with the first sensor that is opened, and goes on by the
/// clock from then: a sensor that is opened later begins where the recording is then, and what passed
/// while nobody listened is gone. While no sensor is open, nothing runs.
///
/// On a virtual clock every event comes exactly at its moment, as fast as the machine can.
public final class RecordingPlayer: Sendable {
    /// What it is called in errors: the file.
    public let name: String
    /// The clock that it is played on.
    public let clock: any SensorClock
    /// How it is played.
    public let options: PlaybackOptions
    /// What the file says of itself.
    public let metadata: RecordingMetadata
    /// The sensors, as they were recorded.
    public let recordedSensors: [RecordedSensor]

    private let tracks: [AnyTrack]
    private let deck: Deck
    private let gate = AsyncGate()

    private struct State {
        var openCount = 0
        var task: Task<Void, Never>?
        var timeline: Timeline?
        var listensFrom = SensorInstant(nanoseconds: .min)
        var isOver = false
        var isStopped = false
        var damage = RecordingDamage()
    }

    private let state: Guarded<State>

    /// Plays a file.
    ///
    /// - Throws: `RecordingError` when the file cannot be read, or none of its events has a time and
    ///   `options.rate` is not given.
    public convenience init(
        path: String, clock: any SensorClock, options: PlaybackOptions = PlaybackOptions()
    ) throws(RecordingError) {
        try self.init(RecordingFormat.open(path), name: path, clock: clock, options: options)
    }

    /// Plays what a reader reads, which nobody else may use from now on.
    ///
    /// - Throws: `RecordingError` when it cannot be read, or none of its events has a time and
    ///   `options.rate` is not given.
    public init(
        _ reader: sending any RecordingReader, name: String, clock: any SensorClock,
        options: PlaybackOptions = PlaybackOptions()
    ) throws(RecordingError) {
        self.name = name
        self.clock = clock
        self.options = options
        metadata = reader.metadata
        recordedSensors = reader.sensors
        tracks = recordedSensors.map { AnyTrack($0) }
        deck = Deck(try Tape(reader, name: name, options))
        state = Guarded(State(damage: deck.tape.damage))
    }

    /// The sensors.
    public var sensors: [any Sensor] {
        tracks.map { $0.makeSensor(self) }
    }

    /// UTC in nanoseconds since 1970 when the recording began; nil where it does not know.
    public var utcStart: Int64? {
        deck.hasTimes ? deck.start.flatMap { metadata.clock.utcNanoseconds(at: $0) } : nil
    }

    /// What was wrong with the file so far.
    public var damage: RecordingDamage { state.withLock { $0.damage } }

    /// How much of the recording has passed; nil before it began.
    public var position: Duration? {
        let timeline = state.withLock { $0.timeline }
        guard let timeline, let start = deck.start else { return nil }
        return start.duration(to: timeline.instant(at: clock.now))
    }

    /// Whether somebody reads, and the end was not reached.
    public var isPlaying: Bool {
        state.withLock { $0.openCount > 0 && !$0.isOver && !$0.isStopped }
    }

    /// Whether the end of the recording was reached.
    public var isOver: Bool { state.withLock { $0.isOver } }

    /// Goes on at `offset` from the start of the recording.
    ///
    /// Instants of readings go on; what was down on a touch surface is cancelled.
    public func seek(to offset: Duration) async {
        await gate.enter()
        defer { gate.leave() }
        await halt()
        let now = clock.now
        for track in tracks { track.endRound(now) }
        deck.mustSeek = max(.zero, offset)
        let isWanted = state.withLock { state in
            state.timeline = deck.start.map { start in
                Timeline(
                    recorded: start.advanced(by: max(.zero, offset)).nanoseconds, played: now,
                    speed: options.speed)
            }
            state.isOver = false
            state.listensFrom = now
            return state.openCount > 0 && !state.isStopped
        }
        if isWanted { run() }
    }

    /// Ends all readings; sensors cannot be opened any more.
    public func stop() async {
        await gate.enter()
        defer { gate.leave() }
        state.withLock { $0.isStopped = true }
        await halt()
        finish(nil)
    }

    // MARK: Sessions

    /// Counts one more session; false when the player was stopped.
    func start() async -> Bool {
        await gate.enter()
        defer { gate.leave() }
        let (isAllowed, isFirst, isOver) = state.withLock { state in
            if state.isStopped { return (false, false, false) }
            state.openCount += 1
            return (true, state.openCount == 1 || state.task == nil, state.isOver)
        }
        if !isAllowed { return false }
        if isOver {
            finish(nil)
        } else if isFirst {
            state.withLock { $0.listensFrom = clock.now }
            run()
        }
        return true
    }

    /// Counts one session less; the last one ends the task.
    func leave() async {
        await gate.enter()
        defer { gate.leave() }
        let isLast = state.withLock { state in
            state.openCount -= 1
            return state.openCount == 0
        }
        if isLast { await halt() }
    }

    private func halt() async {
        let task = state.withLock { $0.task.take() }
        task?.cancel()
        await task?.value
    }

    private func run() {
        // Reading a file blocks; a virtual clock runs everything itself.
        let thread = clock.executor == nil ? SessionThread() : nil
        let task = clock.spawn("play \(name)", on: thread) { await self.play() }
        state.withLock { $0.task = task }
    }

    private func finish(_ error: SensorError?) {
        let now = clock.now
        for track in tracks { track.finish(error, now) }
    }

    // MARK: Playing

    private func play() async {
        let (known, from) = state.withLock { ($0.timeline, $0.listensFrom) }
        let timeline = known ?? begin()
        do throws(RecordingError) {
            try await play(along: timeline, from: from)
        } catch {
            state.withLock { $0.isOver = true }
            for track in tracks {
                let id = SensorID(options.idPrefix + track.id.rawValue)
                track.finish(
                    .malformed(id, reason: "\(error)", hint: "see `sensorium info \(name)`"),
                    clock.now)
            }
        }
        state.withLock { $0.damage = deck.tape.damage }
    }

    private func begin() -> Timeline {
        let start = deck.start ?? SensorInstant(nanoseconds: 0)
        let timeline = Timeline(
            recorded: start.advanced(by: options.start).nanoseconds,
            played: clock.now.advanced(by: options.lead), speed: options.speed)
        deck.mustSeek = options.start
        state.withLock { $0.timeline = timeline }
        return timeline
    }

    private func play(
        along timeline: Timeline, from: SensorInstant
    ) async throws(RecordingError) {
        var times = PlaybackTimes(timeline: timeline, clock: metadata.clock)
        try deck.wind()
        var lastDue = timeline.played
        // What passed while nobody listened; time that goes back later is no reason to skip anything.
        var isCatchingUp = true
        let forwardClock = clock as? any ForwardClock
        var now = clock.now
        while true {
            while let (event, moment) = try deck.next() {
                let due = times.timeline.moment(of: moment)
                if due > now, forwardClock?.forward(to: due) != true {
                    now = clock.now
                    if due > now {
                        do { try await clock.sleep(until: due, tolerance: nil) } catch {
                            return deck.putBack(event, moment)
                        }
                    }
                }
                now = max(now, due)
                if Task.isCancelled { return deck.putBack(event, moment) }
                lastDue = max(lastDue, due)
                if due >= from { isCatchingUp = false }
                track(of: event.sensor)?.play(event.content, times, due, isCatchingUp)
            }
            if !options.loops || !deck.hasPlayed { break }
            try await rewind(&times, after: lastDue)
            if Task.isCancelled { return }
        }
        state.withLock { $0.isOver = true }
        finish(nil)
    }

    /// A recording has few sensors, and its ids are short: looking is faster than hashing.
    private func track(of sensor: SensorID) -> AnyTrack? { tracks.first { $0.id == sensor } }

    /// Goes to the start of the next round.
    private func rewind(
        _ times: inout PlaybackTimes, after end: SensorInstant
    ) async throws(RecordingError) {
        for track in tracks { track.endRound(end) }
        let pause = deck.tape.pause.wholeNanoseconds
        times.timeline.recorded = (deck.start ?? SensorInstant(nanoseconds: 0)).nanoseconds
        times.timeline.played = end.advanced(by: .nanoseconds(pause) / options.speed)
        let timeline = times.timeline
        state.withLock { $0.timeline = timeline }
        deck.mustSeek = .zero
        try deck.wind()
    }

    /// What the task that plays has to itself.
    private final class Deck: @unchecked Sendable {  // no lock: tasks that play wait for each other
        var tape: Tape
        let start: SensorInstant?
        let hasTimes: Bool
        /// An event that was read, but its moment did not come.
        private var pending: (RecordedEvent, SensorInstant)?
        /// Where to go before the next event.
        var mustSeek: Duration?
        /// Whether any event was played since the last start: an empty recording is not played for ever.
        private(set) var hasPlayed = false

        init(_ tape: consuming Tape) {
            start = tape.start
            hasTimes = tape.hasTimes
            self.tape = tape
        }

        /// Goes where it must.
        func wind() throws(RecordingError) {
            guard let offset = mustSeek.take() else { return }
            pending = nil
            hasPlayed = false
            try tape.seek(to: offset)
        }

        /// The next event, and its moment.
        func next() throws(RecordingError) -> (RecordedEvent, SensorInstant)? {
            if let event = pending.take() { return event }
            guard let event = try tape.next() else { return nil }
            hasPlayed = true
            return event
        }

        /// Makes an event the next one again.
        func putBack(_ event: RecordedEvent, _ moment: SensorInstant) { pending = (event, moment) }
    }
}
