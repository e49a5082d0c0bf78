import CSensorium
import Sensorium

/// An open sensor of a loaded plugin.
final class LoadedSession: SensorSession {
    let id: SensorID
    private let plugin: LoadedPlugin
    private let owned: PluginTable.Owned
    private let inlet: any SessionInlet
    private let inletToken: UInt
    private let rate: Guarded<Double?>
    private let isClosed = Guarded(false)
    /// One call at a time: a plugin need not expect to be closed while it is reconfigured.
    private let gate = AsyncGate()

    fileprivate init(_ opening: Opening, _ owned: PluginTable.Owned, rate: Double?) {
        id = opening.inlet.id
        plugin = opening.plugin
        self.owned = owned
        inlet = opening.inlet
        inletToken = opening.inletToken
        self.rate = Guarded(rate)
    }

    var grantedRate: Double? { rate.withLock { $0 } }

    // MARK: Opening

    static let inlets = TokenTable<any SessionInlet>()
    private static let openings = TokenTable<Opening>()

    fileprivate final class Opening: Sendable {
        let plugin: LoadedPlugin
        let inlet: any SessionInlet
        let inletToken: UInt
        let ticket: CallsUnderWay.Ticket
        let answer = PendingAnswer<Result<LoadedSession, SensorError>>()
        /// Given when it was refused, or somebody has the session, or it is closed again.
        let isOver = Answer<Bool>()

        init(
            _ plugin: LoadedPlugin, _ inlet: any SessionInlet, token: UnsafeMutableRawPointer?,
            _ ticket: CallsUnderWay.Ticket
        ) {
            self.plugin = plugin
            self.inlet = inlet
            self.ticket = ticket
            inletToken = UInt(bitPattern: token)
        }

        func end(
            _ session: PluginTable.Session?, _ rate: Double,
            _ failure: UnsafePointer<sensorium_failure>?
        ) {
            guard let session else {
                LoadedSession.removeInlet(inletToken)
                let error =
                    SensorError(failure, about: inlet.id)
                    ?? .pluginFault(
                        inlet.id, reason: "it was neither opened nor refused",
                        hint: "report it to the plugin's author")
                answer.give(.failure(error))
                isOver.give(true)
                ticket.end()
                return
            }
            let opened = LoadedSession(
                self, PluginTable.Owned(pointer: session), rate: LentNumber.rate(rate))
            if plugin.add(opened) && answer.give(.success(opened)) {
                isOver.give(true)
                return ticket.end()
            }
            // Whoever asked has gone, or the plugin is being stopped. Not from inside its callback:
            answer.give(.failure(plugin.stoppedError(inlet.id)))
            plugin.host.clock.spawn("close what nobody wants") { [isOver, ticket] in
                await opened.close()
                isOver.give(true)
                ticket.end()
            }
        }
    }

    static func open(
        _ plugin: LoadedPlugin, _ id: SensorID, _ request: SamplingRequest,
        _ inlet: any SessionInlet, _ ticket: CallsUnderWay.Ticket
    ) async throws(SensorError) -> LoadedSession {
        // A sensor for one session only would be busy until that is closed.
        await plugin.waitForAbandonedOpenings(of: id)
        if Task.isCancelled {
            ticket.end()
            throw .cancelled(id)
        }
        let inletToken = inlets.insert(inlet)
        let opening = Opening(plugin, inlet, token: inletToken, ticket)
        let token = openings.insert(opening)
        var receiver = Self.receiver(inletToken)
        var request = request.boundaryForm
        id.rawValue.withCString {
            plugin.table.open(
                plugin.instance, $0, &request, &receiver,
                { token, session, rate, failure in
                    LoadedSession.openings.remove(token)?.end(session, rate, failure)
                }, token)
        }
        let limit = plugin.limits.open
        // The token stays when the wait ends early: a session that comes late must be closed.
        let result = await opening.answer.value(
            within: limit, on: plugin.host.clock,
            late: .failure(
                .timedOut(id, after: limit, hint: "its plugin neither opened nor refused it")),
            cancelled: .failure(.cancelled(id)))
        // What the plugin delivers until it is closed again is nobody's.
        if case .failure = result { removeInlet(opening.inletToken) }
        if case .failure(.cancelled) = result { plugin.noteAbandoned(opening.isOver, of: id) }
        if case .failure(.timedOut) = result { ticket.end() }
        return try result.get()
    }

    private static func receiver(_ token: UnsafeMutableRawPointer?) -> sensorium_receiver {
        sensorium_receiver(
            size: UInt32(MemoryLayout<sensorium_receiver>.size), reserved: 0, context: token,
            deliver: { LoadedSession.inlets.value($0)?.deliver($1) },
            status: { token, status in
                guard let status = SensorStatus(status) else { return }
                LoadedSession.inlets.value(token)?.report(status)
            },
            losses: { token, losses in
                guard let loss = ReadingLoss(losses) else { return }
                LoadedSession.inlets.value(token)?.lose(loss)
            },
            finish: { token, failure in
                guard let inlet = LoadedSession.inlets.value(token) else { return }
                inlet.finish(SensorError(failure, about: inlet.id))
            })
    }

    fileprivate static func removeInlet(_ token: UInt) {
        inlets.remove(UnsafeMutableRawPointer(bitPattern: token))
    }

    // MARK: Changing and closing

    private typealias Change = PluginAnswers.Owed<Result<Double?, SensorError>>
    private static let changes = TokenTable<Change>()
    private static let closings = TokenTable<Closing>()

    private struct Closing {
        let inletToken: UInt
        let answer = PendingAnswer<Bool>()
    }

    func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
        await gate.enter()
        defer { gate.leave() }
        guard !isClosed.withLock({ $0 }), let ticket = plugin.calls.begin() else {
            throw .unavailable(id, reason: "it is closed", hint: "open it again")
        }
        defer { ticket.end() }
        let change = Change(id: id)
        let token = Self.changes.insert(change)
        var request = request.boundaryForm
        plugin.table.reconfigure(
            owned.pointer, &request,
            { token, rate, failure in
                guard let change = LoadedSession.changes.remove(token) else { return }
                if let error = SensorError(failure, about: change.id) {
                    change.answer.give(.failure(error))
                } else {
                    change.answer.give(.success(LentNumber.rate(rate)))
                }
            }, token)
        let limit = plugin.limits.open
        let result = await change.answer.value(
            within: limit, on: plugin.host.clock,
            late: .failure(
                .timedOut(id, after: limit, hint: "its plugin did not answer a new request")),
            cancelled: nil)
        Self.changes.remove(token)
        let granted = try result.get()
        rate.withLock { $0 = granted }
    }

    /// Stops, within 10 s also when the plugin hangs.
    ///
    /// Nothing is delivered after it returns: what a plugin says later finds no inlet.
    func close() async {
        await gate.enter()
        defer { gate.leave() }
        let isFirst = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        let closing = Closing(inletToken: inletToken)
        let token = Self.closings.insert(closing)
        plugin.table.close(
            owned.pointer,
            { token in
                guard let closing = LoadedSession.closings.remove(token) else { return }
                // At once: a plugin that goes on talking is not heard any more.
                LoadedSession.removeInlet(closing.inletToken)
                closing.answer.give(true)
            }, token)
        let limit = plugin.limits.close
        let isInTime = await closing.answer.value(
            within: limit, on: plugin.host.clock, late: false, cancelled: nil)
        Self.closings.remove(token)
        Self.removeInlet(inletToken)
        plugin.remove(self)
        if !isInTime {
            plugin.host.log(
                .error, "the plugin of \(id) did not close it within \(limit.secondsText(0)) s")
        }
    }

    /// Ends its readings with `error`, as when the plugin is stopped under it.
    func end(with error: SensorError) { inlet.finish(error) }
}
