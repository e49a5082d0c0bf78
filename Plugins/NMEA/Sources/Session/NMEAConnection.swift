import Sensorium

/// The one open line that all sensors of the receiver share.
///
/// It is open while somebody listens, and is opened again, with growing pauses, whenever it breaks, and
/// when nothing came for too long, since a dead line gives no other sign.
final class NMEAConnection: Sendable {
    private struct State {
        var outlets: [Int: Outlet] = [:]
        var nextMember = 0
        var runner: Task<Void, Never>?
        /// How the connection does.
        var status: SensorStatus?
        /// How a kind of sensor does, where that is another thing.
        var statuses: [SensorKind: SensorStatus] = [:]
        var isStopped = false

        func status(of kind: SensorKind) -> SensorStatus? { statuses[kind] ?? status }
    }

    let host: PluginHost
    let link: any NMEALink
    private let state = Guarded(State())
    /// How long without a sentence until readings count as stale.
    let staleAfter: Duration

    init(host: PluginHost, link: any NMEALink) {
        self.host = host
        self.link = link
        let text = host.configuration("nmea.stale-after")
        let seconds = text.flatMap(Double.init).flatMap { $0 >= 0.1 && $0 <= 86_400 ? $0 : nil }
        staleAfter = .seconds(seconds ?? 5)
        if text != nil, seconds == nil {
            host.log(.warning, "nmea.stale-after must be seconds, 0.1 to 86400; 5 is used")
        }
    }

    var clock: any SensorClock { host.clock }

    /// A decoder as it is configured.
    func makeDecoder() -> NMEADecoder {
        NMEADecoder(
            clock: clock,
            requiresChecksum: choice("nmea.checksum", "required", "optional"),
            correctsRollover: !choice("nmea.week-rollover", "report", "correct"))
    }

    /// Whether a key has its usual value.
    private func choice(_ key: String, _ usual: String, _ other: String) -> Bool {
        guard let text = host.configuration(key), text != usual else { return true }
        if text == other { return false }
        host.log(.warning, "\(key) must be \(usual) or \(other); \(usual) is used")
        return true
    }

    // MARK: Sensors come and go

    /// Adds a consumer, and opens the line for the first one; nil when the plugin was stopped.
    func join(_ outlet: Outlet) -> Int? {
        state.withLock { state in
            if state.isStopped { return nil }
            state.nextMember += 1
            state.outlets[state.nextMember] = outlet
            if let status = state.status(of: outlet.kind) { outlet.report(status) }
            if state.outlets.count == 1 {
                let before = state.runner
                state.runner = clock.spawn("nmea") { [self] in
                    await before?.value
                    var conversation = NMEAConversation(self)
                    await conversation.run()
                }
            }
            return state.nextMember
        }
    }

    /// Removes a consumer, and closes the line after the last one.
    func leave(_ member: Int) async {
        let runner = state.withLock { state -> Task<Void, Never>? in
            guard state.outlets.removeValue(forKey: member) != nil, state.outlets.isEmpty else {
                return nil
            }
            return state.runner
        }
        guard let runner else { return }
        runner.cancel()
        await runner.value
        // What the last one heard is no news for the next.
        state.withLock { state in
            guard state.outlets.isEmpty else { return }
            state.status = nil
            state.statuses = [:]
        }
    }

    /// Closes the line and ends every consumer.
    func stop() async {
        let (runner, outlets) = state.withLock { state in
            defer { state.outlets = [:] }
            state.isStopped = true
            return (state.runner, state.outlets.values)
        }
        for outlet in outlets {
            outlet.finish(
                .unavailable(outlet.id, reason: "the nmea plugin was stopped", hint: "add it again")
            )
        }
        runner?.cancel()
        await runner?.value
    }

    // MARK: From the conversation. Sinks are called with the lock held, so that none comes after close.

    func deliver(_ fix: LocationFix) { each { $0.location?.deliver(fix) } }
    func deliver(_ satellites: Satellites) { each { $0.satellites?.deliver(satellites) } }
    func deliver(_ heading: Heading) { each { $0.heading?.deliver(heading) } }

    /// Counts sentences that could not be used.
    ///
    /// Nobody knows what was in them, so it is told to the location sensor, which is what most
    /// sentences are for.
    func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        if count > 0 { each { if $0.kind == .location { $0.lose(count, reason) } } }
    }

    /// Ends every consumer without an error: a recorded log is over.
    func end() {
        let outlets = state.withLock { state in
            defer { state.outlets = [:] }
            state.status = nil
            state.statuses = [:]
            return state.outlets.values
        }
        for outlet in outlets { outlet.finish(nil) }
    }

    /// Reports how the connection does to every sensor, unless that is known.
    func report(_ status: SensorStatus) {
        state.withLock { state in
            for outlet in state.outlets.values where state.status(of: outlet.kind) != status {
                outlet.report(status)
            }
            state.status = status
            state.statuses = [:]
        }
    }

    /// Reports how the sensors of one kind do, unless that is known.
    func report(_ status: SensorStatus, to kind: SensorKind) {
        state.withLock { state in
            if state.status(of: kind) == status { return }
            state.statuses[kind] = status
            for outlet in state.outlets.values where outlet.kind == kind { outlet.report(status) }
        }
    }

    private func each(_ body: (Outlet) -> Void) {
        state.withLock { state in for outlet in state.outlets.values { body(outlet) } }
    }
}
