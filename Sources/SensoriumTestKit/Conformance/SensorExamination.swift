import Sensorium

/// The checks of one sensor.
struct SensorExamination<S: Sensor>: Sendable {
    typealias Reading = S.Reading

    /// What came of an attempt to open the sensor.
    enum Opening {
        case open(any SensorSession)
        case failed(SensorError)
        case late

        /// Why there is no session.
        var failure: String? {
            switch self {
            case .open: nil
            case .failed(let error): "open() threw: \(error)"
            case .late: "open() did not return"
            }
        }
    }

    let sensor: S
    let descriptor: SensorDescriptor
    let run: ConformanceRun
    let statuses = Collected<SensorStatus>()
    let errors = Collected<SensorError>()

    init(_ sensor: S, run: ConformanceRun) {
        self.sensor = sensor
        self.run = run
        descriptor = sensor.descriptor
    }

    /// The checks that need a sensor that opens, delivers and closes.
    static var sessionChecks: [ConformanceCheck] {
        [.cancelledOpening, .cancelledWaiting, .sharing, .losses, .interruption, .reopening]
    }

    func examine(of manifest: PluginManifest?) async {
        note(.descriptor, failing: descriptorFault)
        note(.kind, failing: kindFault(manifest))
        note(.authorization, failing: await authorizationFault())
        if await examineFirstSession() {
            note(.cancelledOpening, failing: await cancelledOpeningFault())
            note(.cancelledWaiting, failing: await cancelledWaitingFault())
            note(.sharing, failing: await sharingFault())
            await examineLosses()
            await examineInterruption()
            note(.reopening, failing: await reopeningFault())
        }
        note(.statuses, failing: statuses.all.lazy.compactMap(statusFault).first)
        note(.errors, failing: errors.all.lazy.compactMap(errorFault).first)
    }

    // MARK: What the other files of this type use

    func note(_ check: ConformanceCheck, failing reason: String?) {
        run.note(check, of: descriptor.id, failing: reason)
    }

    func skip(_ checks: [ConformanceCheck], _ reason: String) {
        for check in checks { run.note(check, of: descriptor.id, .skipped(reason)) }
    }

    func makeProbe() -> Probe<Reading> {
        Probe(clock: run.clock) { [descriptor] in offence(in: $0, of: descriptor) }
    }

    /// Opens a session that delivers to `probe`, within the limit.
    func open(_ probe: Probe<Reading>, _ request: SamplingRequest? = nil) async -> Opening {
        let (sensor, sink, request) = (sensor, probe.sink(), request ?? self.request)
        let result = await run.within(run.limits.opening) {
            () -> Result<any SensorSession, SensorError> in
            do throws(SensorError) {
                return .success(try await sensor.open(request, delivering: sink))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let session): return .open(session)
        case .failure(let error):
            errors.append(error)
            return .failed(error)
        case nil: return .late
        }
    }

    /// Closes a session within the limit; a reason where it does not.
    func close(_ session: any SensorSession) async -> String? {
        await run.ends("close()", within: run.limits.closing) { await session.close() }
    }

    /// Waits until `probe` has heard `count` readings, or `limit` has passed.
    ///
    /// - Returns: whether they came.
    func gather(_ probe: Probe<Reading>, _ count: Int, within limit: Duration) async -> Bool {
        await run.whileReadingsCome(of: descriptor) {
            _ = await run.within(limit) { await probe.readings(atLeast: count) }
            return probe.count >= count
        }
    }

    /// Waits for one more reading than there are; a reason where none comes.
    func goesOn(_ probe: Probe<Reading>, _ when: String) async -> String? {
        if await gather(probe, probe.count + 1, within: run.limits.delivery) { return nil }
        let heard = probe.heard
        let end = heard.isFinished ? "; it ended" + (heard.error.map { ": \($0)" } ?? "") : ""
        return "no reading came within \(run.limits.delivery.secondsText(1)) s \(when)\(end)"
    }

    /// Keeps what a session said, for the checks at the end.
    func remember(_ probe: Probe<Reading>) {
        let heard = probe.heard
        statuses.append(contentsOf: heard.statuses)
        if let error = heard.error { errors.append(error) }
    }

    /// A fast rate that the sensor says it has, so that the checks do not take long.
    var request: SamplingRequest {
        switch descriptor.rates {
        case .unknown: SamplingRequest()
        case .listed(let rates): SamplingRequest(rate: rates.last { $0 <= 100 } ?? rates.first)
        case .range(let range):
            SamplingRequest(rate: max(range.lowerBound, min(range.upperBound, 100)))
        }
    }

    /// Another rate that the sensor says it has.
    var otherRequest: SamplingRequest {
        switch descriptor.rates {
        case .unknown: SamplingRequest(maxLatency: .milliseconds(1))
        case .listed(let rates):
            SamplingRequest(rate: rates.last { $0 < request.rate ?? 0 } ?? rates.last)
        case .range(let range):
            SamplingRequest(rate: max(range.lowerBound, (request.rate ?? range.upperBound) / 2))
        }
    }
}

// MARK: - Without a session

extension SensorExamination {
    private var descriptorFault: String? {
        let id = descriptor.id.rawValue
        if id.isEmpty || id.contains(where: \.isWhitespace) { return "the id is \"\(id)\"" }
        if descriptor.name.isEmpty { return "it has no name for people" }
        if descriptor.vendor == "" { return "the vendor is empty; unknown is nil" }
        if descriptor.needs == "" { return "what it needs is empty; nothing is nil" }
        for (name, value) in [("range", descriptor.range), ("resolution", descriptor.resolution)] {
            if let value, !(value > 0 && value.isFinite) { return "the \(name) is \(value)" }
        }
        switch descriptor.rates {
        case .unknown: return nil
        case .listed(let rates):
            let isAscending = zip(rates, rates.dropFirst()).allSatisfy { $0 < $1 }
            let isSane = rates.allSatisfy { $0 > 0 && $0.isFinite } && !rates.isEmpty
            return isAscending && isSane ? nil : "the rates \(rates) are not positive and ascending"
        case .range(let range):
            let isSane = range.lowerBound > 0 && range.upperBound.isFinite
            return isSane ? nil : "the rates \(range) are not positive"
        }
    }

    private func kindFault(_ manifest: PluginManifest?) -> String? {
        if descriptor.kind != Reading.kind {
            return "the descriptor says \(descriptor.kind.name), its readings are of "
                + Reading.kind.name
        }
        guard let manifest, !manifest.kinds.contains(descriptor.kind) else { return nil }
        return "the manifest does not list \(descriptor.kind.name)"
    }

    private func authorizationFault() async -> String? {
        let sensor = sensor
        let answer = await run.within(run.limits.opening) { await sensor.requestAuthorization() }
        guard let answer else { return "requestAuthorization() did not return" }
        let now = sensor.authorization
        if answer != now {
            return "requestAuthorization() answered \(answer), but authorization is \(now)"
        }
        return answer == .notDetermined ? "it is not determined even after asking" : nil
    }

    private func statusFault(_ status: SensorStatus) -> String? {
        let needsReason = status.state != .running
        let needsHint = status.state == .waiting || status.state == .reconnecting
        if needsReason, status.reason.isEmpty { return "\(status.state) gives no reason" }
        if needsHint, status.hint.isEmpty { return "\"\(status)\" does not say what to do" }
        return stop(in: [status.reason, status.hint])
    }

    private func errorFault(_ error: SensorError) -> String? {
        if error.sensor != descriptor.id { return "\"\(error)\" names another sensor" }
        if error.reason.isEmpty { return "\"\(error)\" gives no reason" }
        if case .cancelled = error { return nil }
        if error.hint.isEmpty { return "\"\(error)\" does not say what to do" }
        return stop(in: [error.reason, error.hint])
    }

    /// Reasons and hints are clauses, which are put together into one sentence.
    private func stop(in clauses: [String]) -> String? {
        clauses.first { $0.hasSuffix(".") }.map { "\"\($0)\" ends with a full stop" }
    }
}
