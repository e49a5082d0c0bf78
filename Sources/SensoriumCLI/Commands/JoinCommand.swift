import Sensorium

/// `sensorium join`: two sensors on one time axis.
enum JoinCommand {
    private static let within = Option(
        "within", "MS", .notNegative,
        "How far apart in time, in milliseconds, two readings may be. By default 100 for nearest, "
            + "1000 for latest and interpolated.")
    private static let policy = Option<MatchRule>(
        "policy", "RULE", .oneOf,
        "Which reading of B belongs to one of A. nearest (the default): the nearest in time, "
            + "before or after. latest: the newest that is not newer than A's. interpolated: the "
            + "values at A's time, between the two readings around it, where these are no "
            + "farther apart than --within.")
    private static let count = StreamOptions.count("pairs")

    static let command = Command(
        name: "join",
        summary: "Reads two sensors together, on one time axis.",
        discussion: [
            "Each reading of A is printed at most once, with the reading of B that belongs to it. "
                + "Both times are on this machine's CLOCK_BOOTTIME. Readings that found no partner "
                + "are counted, and told with the reasons on standard error at the end; so is, every "
                + "5 s, why there is no pair at all.",
            "A JSON line has one object per side under its kind, as 'sensorium watch' prints it, and "
                + "'skew': how many seconds later B was measured than A (for interpolated, the "
                + "distance to the nearer of the two readings). Where both are of one kind, the "
                + "second is under its kind and a 2: 'acceleration' and 'acceleration2'.",
        ],
        arguments: [
            Argument(
                "A",
                "The sensor that drives the join: an id, or a kind, which stands for the best "
                    + "sensor of that kind (real before simulated).", completion: .sensor()),
            Argument("B", "The sensor that is looked up, likewise.", completion: .sensor()),
        ],
        options: [
            within.spec, policy.spec, count.spec, StreamOptions.duration.spec,
            StreamOptions.json.spec,
        ],
        examples: [
            .init(
                "sensorium join location acceleration --count 20",
                "Twenty positions, each with the acceleration nearest in time."),
            .init(
                "sensorium join acceleration pressure --policy interpolated --json",
                "Each acceleration with the pressure at exactly its time, as JSON lines."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            let first = try sensors.one(invocation.words[0])
            let second = try sensors.one(invocation.words[1])
            let rule = invocation[policy] ?? .nearest
            let milliseconds = invocation[within] ?? (rule == .nearest ? 100 : 1000)
            let join = JoinRun(
                sensors: sensors, surroundings: surroundings, first: first.id, second: second.id,
                rule: rule, limit: .seconds(milliseconds / 1000),
                isJSON: invocation[StreamOptions.json], quota: Quota(invocation[count]))
            return try await join.run(
                first.kind.readingType, second.kind.readingType,
                for: invocation[StreamOptions.duration].map { .seconds($0) })
        }
    }
}

/// One run of `join`.
private struct JoinRun: Sendable {
    let sensors: SensorSet
    let surroundings: Surroundings
    let first: SensorID
    let second: SensorID
    let rule: MatchRule
    let limit: Duration
    let isJSON: Bool
    let quota: Quota

    func run<First: PrintableReading, Second: PrintableReading>(
        _: First.Type, _: Second.Type, for duration: Duration?
    ) async throws(CommandFailure) -> ExitCode {
        guard let one = sensors.registry.sensor(first, of: First.self),
            let two = sensors.registry.sensor(second, of: Second.self)
        else {
            throw CommandFailure(
                .unavailable, "\(first) or \(second) left the machine", hint: "plug it in again")
        }
        guard let policy = Second.policy(rule, limit: limit) else {
            throw .misuse(
                "there is nothing between two readings of \(second), a \(Second.kind.words) sensor",
                hint: "use --policy nearest or latest")
        }
        let pairs = joined(one, with: two, matching: policy)
        let losses = LossLedger(notices: surroundings.notices, clock: surroundings.clock)
        let error = await surroundings.clock.within(duration) {
            await follow(pairs, losses)
        }
        // So that the sum stands below the pairs where both go to one place.
        await surroundings.output.drained()
        losses.settle()
        tell(pairs.statistics)
        guard let error else { return .success }
        throw CommandFailure(error)
    }

    private func follow<First: PrintableReading, Second: PrintableReading>(
        _ pairs: JoinedReadings<First, Second>, _ losses: LossLedger
    ) async -> SensorError? {
        let notices = surroundings.notices
        do throws(SensorError) {
            for try await update in pairs.updates {
                switch update {
                case .pair(let pair):
                    let (passes, isLast) = quota.take()
                    if passes { await print(pair) }
                    if isLast { return nil }
                case .status(let side, let status):
                    notices.post(status, of: name(side))
                case .lost(let side, let loss):
                    losses.add(loss, of: name(side))
                case .pairsLost(let loss):
                    losses.add(loss, of: SensorID("\(first) with \(second)"))
                case .diagnosis(let diagnosis):
                    notices.post("\(diagnosis)")
                }
            }
            return nil
        } catch {
            return error
        }
    }

    private func name(_ side: JoinSide) -> SensorID { side == .first ? first : second }

    private func print<First: PrintableReading, Second: PrintableReading>(
        _ pair: Joined<First, Second>
    ) async {
        let line =
            isJSON
            ? ReadingLine.json(pair, of: first, and: second)
            : ReadingLine.text(pair, of: first, and: second)
        await surroundings.output.write(line)
    }

    private func tell(_ statistics: JoinStatistics) {
        var text = "\(statistics.pairs) \(statistics.pairs == 1 ? "pair" : "pairs")"
        if statistics.pairsDropped > 0 { text += ", \(statistics.pairsDropped) of them lost" }
        text += "; \(first): \(statistics.first.words); \(second): \(statistics.second.words)"
        surroundings.notices.post(text)
    }
}

extension JoinStatistics.Side {
    /// `412 readings, 20 paired, 390 without a partner, 2 waiting`.
    fileprivate var words: String {
        var parts = ["\(received) \(received == 1 ? "reading" : "readings")", "\(paired) paired"]
        parts += reasons.map { "\($0.count) \($0.reason.words)" }
        if waiting > 0 { parts.append("\(waiting) waiting") }
        return parts.joined(separator: ", ")
    }
}

extension JoinStatistics.Reason {
    fileprivate var words: String {
        switch self {
        case .noPartner: "without a partner"
        case .gapTooWide: "in too wide a gap"
        case .timeStepped: "left when time stepped back"
        case .otherSideEnded: "after the other side's end"
        case .outOfOrder: "out of order"
        case .noTime: "without a time"
        case .noRoom: "too many"
        }
    }
}

extension SensorClock {
    /// Runs `work`, cancelled when it takes longer than `limit`, if there is one.
    ///
    /// - Returns: what it returned, also when it was cancelled.
    func within<Value: Sendable>(
        _ limit: Duration?, _ work: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        guard let limit else { return await work() }
        return await within(limit, work) ?? nil
    }
}
