import Sensorium

/// One run of the checks: the clock, the findings, and ways to wait that always end.
final class ConformanceRun: Sendable {
    let conformance: SensorConformance
    private let subject: Guarded<String>
    private let findings = Guarded<[ConformanceReport.Finding]>([])

    init(_ conformance: SensorConformance, subject: String = "the plugin") {
        self.conformance = conformance
        self.subject = Guarded(subject)
    }

    var clock: any SensorClock { conformance.clock }
    var limits: SensorConformance.Limits { conformance.limits }
    var world: SensorConformance.World { conformance.world }
    var virtualClock: VirtualClock? { conformance.clock as? VirtualClock }

    // MARK: Findings

    var report: ConformanceReport {
        ConformanceReport(
            subject: subject.withLock { $0 }, findings: findings.withLock { $0 })
    }

    func name(_ text: String) { subject.withLock { $0 = text } }

    func note(
        _ check: ConformanceCheck, of sensor: SensorID? = nil,
        _ outcome: ConformanceReport.Outcome
    ) {
        findings.withLock { $0.append(.init(check, of: sensor, outcome)) }
    }

    /// Notes that a check passed, or failed for `reason`.
    func note(_ check: ConformanceCheck, of sensor: SensorID? = nil, failing reason: String?) {
        note(check, of: sensor, reason.map { .failed($0) } ?? .passed)
    }

    /// Puts the findings of sensors that were examined side by side into the order of `ids`.
    func sort(by ids: [SensorID]) {
        findings.withLock { all in
            let plugin = all.filter { $0.sensor == nil }
            all = plugin + ids.flatMap { id in all.filter { $0.sensor == id } }
        }
    }

    // MARK: Waiting

    /// Does `work` on the clock; a virtual one moves from deadline to deadline meanwhile.
    func whileTimeFlows(
        _ work: @escaping @Sendable @concurrent () async -> Void
    ) async {
        let flow = virtualClock.map { clock in
            clock.spawn("flow of time") {
                while !Task.isCancelled {
                    if let deadline = clock.nextDeadline {
                        await clock.advance(to: deadline)
                    } else {
                        try? await clock.sleepers(atLeast: 1)
                    }
                }
            }
        }
        let body = clock.spawn("conformance", work)
        await withTaskCancellationHandler {
            await body.value
        } onCancel: {
            body.cancel()
        }
        flow?.cancel()
        await flow?.value
    }

    /// Does `work`, and leaves it behind after `limit`, even when it does not heed cancellation.
    ///
    /// - Returns: its value; nil when the time was up first.
    func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable @concurrent () async -> Value
    ) async -> Value? {
        let answer = OneAnswer<Value?>()
        let task = clock.spawn("check") { answer.give(.success(await work())) }
        let timer = clock.spawn("limit of a check") { [self] in
            if await patience(limit) { answer.give(.success(nil)) }
        }
        let value = try? await withUnsafeThrowingContinuation { answer.set($0) }
        timer.cancel()
        task.cancel()
        return value ?? nil
    }

    /// Waits for `limit`, in real time in small steps of which each counts as no longer than it was to
    /// be: time that a busy machine did not give to this process is no fault of the plugin's.
    ///
    /// - Returns: false when the task was cancelled.
    private func patience(_ limit: Duration) async -> Bool {
        guard virtualClock == nil else { return await clock.pause(for: limit) }
        let step = Duration.milliseconds(50)
        var left = limit
        while left > .zero {
            if await !clock.pause(for: min(step, left)) { return false }
            left -= step
        }
        return true
    }

    /// Does `work` within `limit`; a reason where it does not end.
    func ends(
        _ what: String, within limit: Duration,
        _ work: @escaping @Sendable @concurrent () async -> Void
    ) async -> String? {
        let isDone = await within(limit) {
            await work()
            return true
        }
        return isDone == true ? nil : "\(what) did not return within \(limit.secondsText(1)) s"
    }

    /// Does `work` while the world makes readings of a sensor come.
    func whileReadingsCome<Value: Sendable>(
        of descriptor: SensorDescriptor, _ work: () async -> Value
    ) async -> Value {
        guard let makeReadings = world.makeReadings else { return await work() }
        let (clock, interval) = (clock, world.interval)
        let pump = clock.spawn("world of \(descriptor.id)") {
            while !Task.isCancelled {
                // A world that cannot go on shows as readings that do not come.
                do { try await makeReadings(descriptor) } catch { return }
                await clock.pause(for: interval)
            }
        }
        let value = await work()
        pump.cancel()
        _ = await within(limits.closing) { await pump.value }
        return value
    }

    // MARK: Sensors

    /// Examines a sensor; nil for a sensor by itself.
    func examine(_ sensor: some Sensor, of manifest: PluginManifest?) async {
        await SensorExamination(sensor, run: self).examine(of: manifest)
    }
}

extension VirtualClock {
    /// When the next sleeper wakes; nil where nobody sleeps.
    var nextDeadline: SensorInstant? { state.withLock { $0.sleepers.map(\.deadline).min() } }
}
