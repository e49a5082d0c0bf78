import Sensorium

/// `sensorium probe`: does a sensor give readings, and if not, why.
enum ProbeCommand {
    private static let patience = Option(
        "for", "SECONDS", .positive, "How long to wait for the first reading; 5 by default.")

    static let command = Command(
        name: "probe",
        summary: "Opens sensors and says whether they give readings, and if not, what to do.",
        discussion: [
            "Each sensor is opened, and closed after its first reading or when the time is up. The "
                + "exit status is 0 when all of them gave one. Where no sensor is named, one that "
                + "searches in vain does not count as long as another of its plugin works: not every "
                + "receiver has a compass.",
            "A JSON line has 'sensor', 'kind', 'works', and where known 'rate' (Hz), 'state', "
                + "'reason', 'hint' (what to do) and 'authorization'.",
        ],
        arguments: [
            Argument(
                "SENSOR|KIND",
                "A sensor's id, or a kind, which stands for all sensors of it; "
                    + "all sensors where there is none.",
                .anyNumber, completion: .sensor())
        ],
        options: [patience.spec, StreamOptions.json.spec],
        examples: [
            .init("sensorium probe", "All sensors at once."),
            .init("sensorium probe gpsd/location --for 60", "A receiver that needs a minute."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        try await invocation.withSensors(surroundings) { sensors throws(CommandFailure) in
            let chosen =
                invocation.words.isEmpty
                ? sensors.registry.descriptors : try sensors.all(invocation.words)
            if chosen.isEmpty { _ = try sensors.all([]) }
            let limit = Duration.seconds(invocation[patience] ?? 5)
            let probe = Probe(
                sensors: sensors, surroundings: surroundings, limit: limit,
                isNamed: !invocation.words.isEmpty, isJSON: invocation[StreamOptions.json])
            return await probe.run(chosen)
        }
    }
}

/// One run of `probe`.
private struct Probe: Sendable {
    let sensors: SensorSet
    let surroundings: Surroundings
    let limit: Duration
    /// Whether the user named sensors or kinds.
    let isNamed: Bool
    let isJSON: Bool

    func run(_ chosen: [SensorDescriptor]) async -> ExitCode {
        await withTaskGroup(of: (Int, ProbeResult).self) { group in
            for (place, sensor) in chosen.enumerated() {
                group.addTask {
                    (place, await probe(sensor.kind.readingType, sensor.id))
                }
            }
            // In the order of the sensors, each as soon as those before it are known.
            var results: [Int: ProbeResult] = [:]
            var next = 0
            for await (place, result) in group {
                results[place] = result
                while let result = results[next] {
                    if isJSON {
                        await surroundings.output.write(result.json(chosen[next]))
                    } else {
                        let lines = result.lines(chosen[next])
                        await surroundings.output.write(lines.map { $0.printable + "\n" }.joined())
                    }
                    next += 1
                }
            }
            return code(
                of: chosen.enumerated().compactMap { place, sensor in
                    results[place].map { (sensor, $0) }
                })
        }
    }

    /// The code of the first one that does not work, and should.
    private func code(of results: [(sensor: SensorDescriptor, result: ProbeResult)]) -> ExitCode {
        func plugin(_ sensor: SensorDescriptor) -> Substring {
            sensor.id.rawValue.prefix { $0 != "/" }
        }
        let working = Set(results.filter { $0.result.code == .success }.map { plugin($0.sensor) })
        for (sensor, result) in results where result.code != .success {
            if isNamed || !result.searches || !working.contains(plugin(sensor)) {
                return result.code
            }
        }
        return .success
    }

    private func probe<Reading: PrintableReading>(
        _: Reading.Type, _ id: SensorID
    ) async -> ProbeResult {
        guard let sensor = sensors.registry.sensor(id, of: Reading.self) else {
            return ProbeResult(
                outcome: .failed(
                    .disconnected(id, reason: "it left the machine", hint: "plug it in again")))
        }
        var right = sensor.authorization
        if right == .notDetermined { right = await sensor.requestAuthorization() }
        let seen = LastStatus()
        let outcome = await surroundings.clock.within(limit) { () -> ProbeResult.Outcome in
            do throws(SensorError) {
                let request = SamplingRequest(buffering: .newest(16))
                for try await update in sensor.readings(request).updates {
                    switch update {
                    case .reading(let reading):
                        let line = ReadingLine.text(reading, of: id)
                        return .reads(
                            String(decoding: line.dropLast(), as: UTF8.self), sensor.grantedRate)
                    case .status(let status): seen.set(status)
                    case .lost: break
                    }
                }
                return .failed(
                    .disconnected(
                        id, reason: "it ended before a reading came", hint: "open it again"))
            } catch {
                return .failed(error)
            }
        }
        // A screen that nobody touches is none the worse for it.
        let isOfEvents = Reading.kind == .touch || Reading.kind == .key
        let isQuiet = isOfEvents && seen.status?.state == .running
        return ProbeResult(
            outcome: outcome ?? (isQuiet ? .quiet(limit) : .silent(limit, seen.status)),
            authorization: right)
    }
}

/// What a sensor said last, for the one who stops waiting for it.
private final class LastStatus: Sendable {
    private let last = Guarded<SensorStatus?>(nil)

    var status: SensorStatus? { last.withLock { $0 } }

    func set(_ status: SensorStatus) { last.withLock { $0 = status } }
}

/// What became of probing one sensor.
struct ProbeResult: Sendable {
    enum Outcome: Sendable {
        /// It gave a reading, at a rate in hertz where that is known.
        case reads(String, Double?)
        /// It was opened, and gave none within that time.
        case silent(Duration, SensorStatus?)
        /// It runs, and nobody did anything within that time.
        case quiet(Duration)
        case failed(SensorError)
    }

    var outcome: Outcome
    var authorization = AuthorizationStatus.authorized

    /// What it means for the shell.
    var code: ExitCode {
        switch outcome {
        case .reads, .quiet: .success
        case .silent: .unavailable
        case .failed(let error): ExitCode(error)
        }
    }

    /// Whether it is connected, and finds nothing to measure.
    var searches: Bool {
        if case .silent(_, let status) = outcome { status?.state == .searching } else { false }
    }

    /// What there is to say, the sensor first and the details below.
    func lines(_ sensor: SensorDescriptor) -> [String] {
        let title = "\(sensor.id) (\(sensor.name)): "
        var lines: [String]
        switch outcome {
        case .reads(let line, let rate):
            lines = [title + "works", "  \(line)"]
            if let rate { lines.append("  runs at \(rate.fixed(rate < 10 ? 2 : 0)) Hz") }
        case .silent(let limit, let status):
            lines = [title + "gave no reading within \(limit.secondsText(1)) s"]
            if let status, !status.reason.isEmpty || status.state != .running {
                lines.append("  \(status.state): \(status.reason)")
            } else {
                lines.append("  it was opened, and says nothing of why")
            }
            lines.append("  what to do: \(Self.advice(status, sensor))")
        case .quiet(let limit):
            lines = [
                title + "works",
                "  it was opened, and nobody used it within \(limit.secondsText(1)) s",
            ]
        case .failed(let error):
            lines = [title + "does not work", "  \(error.reason)"]
            if !error.hint.isEmpty { lines.append("  what to do: \(error.hint)") }
        }
        if authorization != .authorized {
            lines.append("  this process's right to read it: \(authorization)")
        }
        return lines
    }

    /// The same as a JSON line.
    func json(_ sensor: SensorDescriptor) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("sensor", sensor.id.rawValue)
            json.member("kind", sensor.kind.name)
            json.member("works", code == .success)
            switch outcome {
            case .reads(_, let rate): json.member("rate", rate)
            case .silent(let limit, let status):
                if let status { json.member("state", "\(status.state)") }
                let reason = status?.reason ?? ""
                json.member(
                    "reason",
                    reason.isEmpty ? "no reading within \(limit.secondsText(1)) s" : reason)
                json.member("hint", Self.advice(status, sensor))
            case .quiet(let limit):
                json.member("state", "\(SensorStatus.State.running)")
                json.member("reason", "nobody used it within \(limit.secondsText(1)) s")
            case .failed(let error):
                json.member("reason", error.reason)
                if !error.hint.isEmpty { json.member("hint", error.hint) }
            }
            json.member("authorization", "\(authorization)")
        }
        json.newLine()
        return json.bytes
    }

    private static func advice(_ status: SensorStatus?, _ sensor: SensorDescriptor) -> String {
        if let hint = status?.hint, !hint.isEmpty { return hint }
        if status?.state == .searching {
            return "give the receiver a clear view of the sky, and wait longer (--for 60)"
        }
        if let needs = sensor.needs { return "look at \(needs), or wait longer (--for 60)" }
        return "wait longer (--for 60)"
    }
}
