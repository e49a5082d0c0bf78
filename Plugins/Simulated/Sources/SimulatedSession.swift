import Sensorium

/// Reads one sensor until it is closed: one task, asleep between readings.
final class SimulatedSession<Reading: SimulatedReading>: SensorSession {
    /// How far the ticker has come, which a reconfiguration does not change.
    private struct Progress {
        var lastTick: SensorInstant
        var lastMeasured: SensorInstant
        var reported: SensorStatus.State?
    }

    private struct State {
        var progress: Progress
        var rate = Reading.profile.defaultRate
        var ticker: Task<Void, Never>?
        /// No ticker starts any more.
        var isClosed = false
        /// The consumer was told the end.
        var isOver = false
        /// The link was told that nobody reads any more.
        var isReleased = false
    }

    private let id: SensorID
    private let link: any SimulatedLink
    private let clock: any SensorClock
    private let sink: ReadingSink<Reading>
    private let forget: @Sendable () -> Void
    private let state: Guarded<State>

    init(
        id: SensorID, link: any SimulatedLink, clock: any SensorClock, sink: ReadingSink<Reading>,
        forget: @escaping @Sendable () -> Void
    ) {
        self.id = id
        self.link = link
        self.clock = clock
        self.sink = sink
        self.forget = forget
        let now = clock.now
        state = Guarded(State(progress: Progress(lastTick: now, lastMeasured: now)))
    }

    var grantedRate: Double? { state.withLock { $0.rate } }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) { start(request) }

    /// Starts the ticker, in place of the one that runs.
    func start(_ request: SamplingRequest) {
        let profile = Reading.profile
        let rate = min(
            max(request.rate ?? profile.defaultRate, profile.rates.lowerBound),
            profile.rates.upperBound)
        let pace = Pace(origin: link.origin, rate: rate, maxLatency: request.maxLatency)
        state.withLock { state in
            if state.isClosed { return }
            state.rate = rate
            let previous = state.ticker
            previous?.cancel()
            state.ticker = clock.spawn("\(id) ticker") {
                // Two tickers must not deliver at once, nor one after the other has gone on.
                await previous?.value
                await self.tick(pace)
            }
        }
    }

    /// Ends within one delivery: the ticker is asleep, or in the middle of one.
    func close() async {
        let ticker = state.withLock { state in
            state.isClosed = true
            state.ticker?.cancel()
            return state.ticker
        }
        // A second caller waits too: after *its* return nothing may come either.
        await ticker?.value
        release()
    }

    /// Stops and tells the consumer why, unless it has closed or was told the end already.
    func end(_ error: SensorError) async {
        let ticker = state.withLock { state in
            if state.isClosed { return state.ticker }
            state.isClosed = true
            let previous = state.ticker
            previous?.cancel()
            // A task, so that a consumer that closes meanwhile waits for its last word.
            state.ticker = clock.spawn("\(id) end") {
                await previous?.value
                if !self.state.withLock({ $0.isOver }) { self.sink.finish(error) }
            }
            return state.ticker
        }
        await ticker?.value
        release()
    }

    private func release() {
        let isFirst = state.withLock { state in
            defer { state.isReleased = true }
            return !state.isReleased
        }
        if !isFirst { return }
        forget()
        link.disconnect(Reading.kind)
    }

    // MARK: The ticker

    private func tick(_ pace: Pace) async {
        var progress = state.withLock { $0.progress }
        while !Task.isCancelled {
            let first = pace.next(after: progress.lastTick)
            let due = pace.moment(pace.batch - 1, after: first)
            do { try await clock.sleep(until: due, tolerance: nil) } catch { return }
            if Task.isCancelled { return }
            let goesOn = deliver(pace, from: first, &progress)
            state.withLock { state in
                state.progress = progress
                state.isOver = !goesOn
            }
            if !goesOn { return }
        }
    }

    /// Delivers what is due; false when the sensor is gone.
    private func deliver(
        _ pace: Pace, from first: SensorInstant, _ progress: inout Progress
    ) -> Bool {
        let due = pace.count(from: first, upTo: clock.now)
        let lost = max(0, due - Pace.memory)
        sink.lose(Int(lost), .device)
        let offset = utcOffset
        var readings: [Reading] = []
        for count in lost..<due {
            let instant = pace.moment(count, after: first)
            progress.lastTick = instant
            let answer = link.read(Reading.kind, at: instant)
            if case .measured(let moment) = answer, moment.isPlausible {
                progress.lastMeasured = instant
                report(SensorStatus(.running), after: &readings, &progress)
                readings.append(Reading(moment, time: time(at: instant, offset)))
            } else if !tell(of: answer, at: instant, after: &readings, &progress) {
                return false
            }
        }
        if !readings.isEmpty { sink.deliver(readings.span) }
        return true
    }

    /// Tells the consumer why there is no reading; false when there will be none any more.
    private func tell(
        of answer: SimulatedAnswer, at instant: SensorInstant, after readings: inout [Reading],
        _ progress: inout Progress
    ) -> Bool {
        switch answer {
        case .measured:
            progress.lastMeasured = instant
            lose(.implausible, after: &readings)
            return true
        case .lost:
            lose(.device, after: &readings)
            return true
        case .nothingToMeasure:
            report(
                SensorStatus(
                    .searching, reason: "the receiver has no fix", hint: "wait, or go outside"),
                after: &readings, &progress)
            return true
        case .silence:
            if progress.lastMeasured.duration(to: instant) >= .seconds(2) {
                report(
                    SensorStatus(
                        .stale, reason: "the sensor has not answered for 2 s",
                        hint: "readings go on when it does"),
                    after: &readings, &progress)
            }
            return true
        case .unplugged:
            if !readings.isEmpty { sink.deliver(readings.span) }
            sink.finish(.disconnected(id, reason: "it was unplugged", hint: "plug it in again"))
            return false
        }
    }

    /// Counts a reading that there is not, in order with the readings before it.
    private func lose(_ reason: ReadingLoss.Reason, after readings: inout [Reading]) {
        if !readings.isEmpty { sink.deliver(readings.span) }
        readings.removeAll(keepingCapacity: true)
        sink.lose(1, reason)
    }

    /// Reports a change of state, in order with the readings before it.
    private func report(
        _ status: SensorStatus, after readings: inout [Reading], _ progress: inout Progress
    ) {
        if progress.reported == status.state { return }
        progress.reported = status.state
        if !readings.isEmpty { sink.deliver(readings.span) }
        readings.removeAll(keepingCapacity: true)
        sink.report(status)
    }

    // MARK: Time

    /// UTC less boot time, and how well that is known; nil for a device that does not know UTC.
    private var utcOffset: (nanoseconds: Int64, uncertainty: Duration)? {
        guard Reading.profile.tellsUTC, let sample = clock.sample(.realtime) else { return nil }
        return (sample.time.nanoseconds - sample.boottime.nanoseconds, sample.uncertainty)
    }

    /// The time of a reading taken at `instant`.
    ///
    /// This simulation knows the instant and makes up what the device would have said. A plugin for
    /// a real device goes the other way: `ClockMapping(clock: clock).map(original).time`.
    private func time(
        at instant: SensorInstant, _ utc: (nanoseconds: Int64, uncertainty: Duration)?
    ) -> ReadingTime {
        guard let utc else { return ReadingTime(instant, uncertainty: .zero) }
        let original = ClockTime(
            nanoseconds: instant.nanoseconds + utc.nanoseconds, domain: .realtime)
        return ReadingTime(instant, original: original, uncertainty: utc.uncertainty)
    }
}
