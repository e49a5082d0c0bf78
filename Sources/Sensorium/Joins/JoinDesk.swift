/// Where the readings of both sensors meet.
///
/// Both sensors deliver straight into it, on their own threads; pairs go on into the consumer's ring.
@usableFromInline
final class JoinDesk<First: SensorReading, Second: SensorReading>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var matcher: JoinMatcher<First, Second>
        @usableFromInline var ring: ReadingRing<Joined<First, Second>>?
        var wasStarted = false
        @usableFromInline var out: [Joined<First, Second>] = []
        @usableFromInline var firstEnded = false
        var statuses: [JoinSide: SensorStatus] = [:]
        var since = JoinStatistics()
        @usableFromInline var diagnosis: JoinDiagnosis?
    }

    let tally = LossTally()
    @usableFromInline let state: Guarded<State>
    private let policy: JoinPolicy<Second>
    private let names: [String]

    /// How long a join may be silent before it says why.
    private static var silenceLimit: Duration { .seconds(5) }

    @usableFromInline
    init(_ policy: JoinPolicy<Second>, capacity: Int, names: [String]) {
        self.policy = policy
        self.names = names
        state = Guarded(State(matcher: JoinMatcher(policy, capacity: capacity)))
    }

    var statistics: JoinStatistics {
        var now = state.withLock { $0.matcher.statistics }
        now.pairsDropped = tally.total[.slowConsumer] ?? 0
        return now
    }

    var diagnosis: JoinDiagnosis? { state.withLock { $0.diagnosis } }

    func start(_ ring: ReadingRing<Joined<First, Second>>) throws(SensorError) {
        let isFirst = state.withLock { state in
            defer { state.wasStarted = true }
            if !state.wasStarted { state.ring = ring }
            return !state.wasStarted
        }
        guard isFirst else {
            throw .busy(
                SensorID(names.joined(separator: "+")), reason: "this join has a loop already",
                hint: "call joined(_:with:matching:) once for each loop")
        }
    }

    func stop() { state.withLock { $0.ring = nil } }

    // Inlinable, so that the closures are made for the two reading types where these are known:
    // generic code of this module would run unspecialized, at twice the cost.
    @inlinable
    var firstSink: ReadingSink<First> {
        ReadingSink(
            deliver: { self.deliver(first: $0) }, report: { self.report(.first, $0) },
            lose: { self.lose(.first, $0) }, finish: { self.end(.first, $0) })
    }

    @inlinable
    var secondSink: ReadingSink<Second> {
        ReadingSink(
            deliver: { self.deliver(second: $0) }, report: { self.report(.second, $0) },
            lose: { self.lose(.second, $0) }, finish: { self.end(.second, $0) })
    }

    // MARK: From the sensors. The ring is filled with the lock held, which keeps the order.

    @inlinable
    func add(
        _ feed: (inout JoinMatcher<First, Second>, (Joined<First, Second>) -> Void) -> Void
    ) {
        state.withLock { state in
            var out = state.out
            state.out = []
            feed(&state.matcher) { out.append($0) }
            if !out.isEmpty {
                state.ring?.put(out.span)
                state.diagnosis = nil
                out.removeAll(keepingCapacity: true)
            }
            state.out = out
            if state.firstEnded, !state.matcher.hasPending { state.ring?.finish(nil) }
        }
    }

    @usableFromInline
    func report(_ side: JoinSide, _ status: SensorStatus) {
        state.withLock { state in
            state.statuses[side] = status
            state.ring?.put(event: .join(.status(side, status)))
        }
    }

    @usableFromInline
    func lose(_ side: JoinSide, _ loss: ReadingLoss) {
        state.withLock { $0.ring?.put(event: .join(.lost(side, loss))) }
    }

    @usableFromInline
    func end(_ side: JoinSide, _ error: SensorError?) {
        add { matcher, emit in if side == .second { matcher.endSecond(emit) } }
        state.withLock { state in
            if side == .first { state.firstEnded = true }
            // Readings of the first side may still wait for the second.
            if error != nil || side == .second || !state.matcher.hasPending {
                state.ring?.finish(error)
            }
        }
    }

    @inlinable
    func deliver(first readings: Span<First>) {
        add { matcher, emit in
            for index in readings.indices { matcher.add(first: readings[index], emit) }
        }
    }

    @inlinable
    func deliver(second readings: Span<Second>) {
        add { matcher, emit in
            for index in readings.indices { matcher.add(second: readings[index], emit) }
        }
    }

    // MARK: Saying why nothing comes

    /// Looks every 5 s whether there was a pair, until cancelled.
    func watchForSilence(on clock: any SensorClock) async {
        var silence = Duration.zero
        while await clock.pause(for: Self.silenceLimit) {
            state.withLock { state in
                let now = state.matcher.statistics
                defer { state.since = now }
                if now.pairs != state.since.pairs {
                    silence = .zero
                    return
                }
                silence += Self.silenceLimit
                let diagnosis = JoinDiagnosis(
                    silence: silence, cause: cause(now, state), statistics: now, names: names)
                state.diagnosis = diagnosis
                state.ring?.put(event: .join(.diagnosis(diagnosis)))
            }
        }
    }

    private func cause(_ now: JoinStatistics, _ state: State) -> JoinDiagnosis.Cause {
        let limit = Duration.nanoseconds(policy.limit)
        var silent: [JoinSide] = []
        if now.first.received == state.since.first.received { silent.append(.first) }
        if now.second.received == state.since.second.received { silent.append(.second) }
        if let side = silent.first { return .silent(silent, state.statuses[side]) }
        guard let first = state.matcher.newestFirst else { return .noTimes(.first) }
        guard let second = state.matcher.newestSecond else { return .noTimes(.second) }
        let gap = SensorInstant(nanoseconds: first)
            .duration(to: SensorInstant(nanoseconds: second))
        let allowed = limit + .seconds(1)
        if gap > allowed || gap < .zero - allowed { return .apart(gap: gap, limit: limit) }
        return .nothingNear(limit: limit)
    }
}
