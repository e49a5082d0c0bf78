import Sensorium

/// The one connection to gpsd that all of its sensors share.
///
/// It stands while somebody listens. It is made again whenever it breaks, with growing pauses; and
/// when gpsd says nothing for too long, since a dead feeder gives no other sign.
final class GPSDConnection: Sendable {
    private struct State {
        var outlets: [Int: Outlet] = [:]
        var nextMember = 0
        var runner: Task<Void, Never>?
        /// How the connection does.
        var status: SensorStatus?
        /// How a kind of sensor does, where that is another thing.
        var statuses: [SensorKind: SensorStatus] = [:]
        var channel: (any GPSDChannel)?
        var isStopped = false

        func status(of kind: SensorKind) -> SensorStatus? { statuses[kind] ?? status }
    }

    let host: PluginHost
    private let link: any GPSDLink
    private let state = Guarded(State())
    /// How long without a report until readings count as stale.
    let staleAfter: Duration

    init(host: PluginHost, link: any GPSDLink) {
        self.host = host
        self.link = link
        let seconds = host.configuration("gpsd.stale-after").flatMap(Double.init)
        staleAfter = .seconds(seconds.flatMap { $0 >= 0.1 && $0 <= 86_400 ? $0 : nil } ?? 5)
        if host.configuration("gpsd.stale-after") != nil, staleAfter == .seconds(5), seconds != 5 {
            host.log(.warning, "gpsd.stale-after must be seconds, 0.1 to 86400; 5 is used")
        }
    }

    var clock: any SensorClock { host.clock }
    var peer: String { link.peer }

    // MARK: Sensors come and go

    /// Adds a consumer, and connects for the first one; nil when the plugin was stopped.
    func join(_ outlet: Outlet) -> Int? {
        state.withLock { state in
            if state.isStopped { return nil }
            state.nextMember += 1
            state.outlets[state.nextMember] = outlet
            if let status = state.status(of: outlet.kind) { outlet.report(status) }
            if state.outlets.count == 1 {
                let before = state.runner
                state.runner = clock.spawn("gpsd") { [self] in
                    await before?.value
                    var conversation = GPSDConversation(self, link)
                    await conversation.run()
                }
            }
            return state.nextMember
        }
    }

    /// Removes a consumer, and disconnects after the last one.
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

    /// Asks gpsd for the last reports of its receivers; does nothing while there is no connection.
    func poll() { state.withLock { $0.channel }?.send(GPSDConversation.poll) }

    /// Disconnects and ends every consumer.
    func stop() async {
        let (runner, outlets) = state.withLock { state in
            defer { state.outlets = [:] }
            state.isStopped = true
            return (state.runner, state.outlets.values)
        }
        for outlet in outlets {
            outlet.finish(
                .unavailable(outlet.id, reason: "the gpsd plugin was stopped", hint: "add it again")
            )
        }
        runner?.cancel()
        await runner?.value
    }

    // MARK: From the conversation. Sinks are called with the lock held, so that none comes after close.

    func deliver(_ fix: LocationFix) { each { $0.location?.deliver(fix) } }
    func deliver(_ satellites: Satellites) { each { $0.satellites?.deliver(satellites) } }
    func deliver(_ heading: Heading) { each { $0.heading?.deliver(heading) } }
    func deliver(_ attitude: Attitude) { each { $0.attitude?.deliver(attitude) } }

    /// Counts lines that could not be used.
    ///
    /// Nobody knows what was in them, so it is told to the location sensor, which is what most
    /// lines are for.
    func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        if count > 0 { each { if $0.kind == .location { $0.lose(count, reason) } } }
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

    /// Remembers where commands go.
    func use(_ channel: (any GPSDChannel)?) { state.withLock { $0.channel = channel } }

    private func each(_ body: (Outlet) -> Void) {
        state.withLock { state in for outlet in state.outlets.values { body(outlet) } }
    }
}
