import CSensorium
import Sensorium

/// A sensor of a loaded plugin, as one of this app's own types.
final class LoadedSensor<Reading: BoundaryReading>: Sensor {
    let descriptor: SensorDescriptor
    private let plugin: LoadedPlugin

    init(_ plugin: LoadedPlugin, _ descriptor: SensorDescriptor) {
        self.plugin = plugin
        self.descriptor = descriptor
    }

    var clock: any SensorClock { plugin.host.clock }

    var authorization: AuthorizationStatus {
        guard let ticket = plugin.calls.begin() else { return .notDetermined }
        defer { ticket.end() }
        return descriptor.id.rawValue.withCString {
            AuthorizationStatus(
                boundaryCode: plugin.table.authorization(plugin.instance, $0))
        }
    }

    func requestAuthorization() async -> AuthorizationStatus {
        guard let ticket = plugin.calls.begin() else { return .notDetermined }
        let question = PluginAnswers.Question(ticket: ticket)
        let token = PluginAnswers.answered.insert(question)
        descriptor.id.rawValue.withCString {
            plugin.table.requestAuthorization(
                plugin.instance, $0, PluginAnswers.onAnswered, token)
        }
        // A person may take long to answer, so that only cancelling ends the wait.
        return await question.answer.value(cancelled: .notDetermined)
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        guard let ticket = plugin.calls.begin() else { throw plugin.stoppedError(descriptor.id) }
        let inlet = ReadingInlet(sink, id: descriptor.id, log: plugin.host.log)
        return try await LoadedSession.open(plugin, descriptor.id, request, inlet, ticket)
    }
}

/// Takes what a session of a loaded plugin delivers.
///
/// Not generic, since a C function cannot be: what depends on the reading is in `ReadingInlet`.
protocol SessionInlet: AnyObject, Sendable {
    func deliver(_ batch: UnsafePointer<sensorium_batch>?)
    func report(_ status: SensorStatus)
    func lose(_ loss: ReadingLoss)
    func finish(_ error: SensorError?)
    var id: SensorID { get }
}

/// The inlet of readings of one type.
final class ReadingInlet<Reading: BoundaryReading>: SessionInlet {
    let id: SensorID
    private let sink: ReadingSink<Reading>
    private let log: @Sendable (LogLevel, String) -> Void
    private let hasComplained = Guarded(false)

    init(
        _ sink: ReadingSink<Reading>, id: SensorID,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.sink = sink
        self.id = id
        self.log = log
    }

    func deliver(_ batch: UnsafePointer<sensorium_batch>?) {
        do throws(LentBatch.Fault) {
            try Reading.accept(batch, into: sink)
        } catch {
            sink.lose(Int(min(batch?.pointee.count ?? 1, SENSORIUM_BATCH_LIMIT)), .malformed)
            complain(error)
        }
    }

    /// Tells people of the first bad batch of a session; the rest is only counted.
    private func complain(_ fault: LentBatch.Fault) {
        let isFirst = hasComplained.withLock { done in
            defer { done = true }
            return !done
        }
        guard isFirst else { return }
        switch fault {
        case .malformed:
            log(.error, "the plugin of \(id) delivers malformed batches, which are dropped")
        case .kind(let kind):
            log(
                .error,
                "the plugin of \(id) delivers readings of kind \(kind), which are dropped: they "
                    + "should be of kind \(Reading.kind.rawValue)")
        }
    }

    func report(_ status: SensorStatus) { sink.report(status) }

    func lose(_ loss: ReadingLoss) { sink.lose(loss.count, loss.reason) }

    func finish(_ error: SensorError?) { sink.finish(error) }
}
