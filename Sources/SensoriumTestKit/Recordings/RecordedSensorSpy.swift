import Sensorium

/// A sensor of a recording that remembers what the app asked of it, and can suffer faults.
public final class RecordedSensorSpy<Reading: SensorReading>: Sensor {
    /// What was known of it when it was recorded.
    public var descriptor: SensorDescriptor { base.descriptor }
    /// The clock of the test.
    public var clock: any SensorClock { virtualClock }
    /// Where it writes what it saw.
    public let journal: SpyJournal

    let virtualClock: VirtualClock
    private let base: any Sensor<Reading>

    struct State {
        var authorization = AuthorizationStatus.authorized
        var affliction = Affliction<Reading>()
        var sinks: [Int: ReadingSink<Reading>] = [:]
        var nextSession = 0
        var delivered = 0
    }

    let state = Guarded(State())

    private typealias Interpose =
        @Sendable (
            RecordedSensorSpy, ReadingSink<Reading>, _ session: Int
        ) -> ReadingSink<Reading>
    private let interpose: Interpose

    // Inlined where the kind is known, so that what runs once a reading is specialised.
    @inline(__always)
    init(_ base: some Sensor<Reading>, _ clock: VirtualClock, _ journal: SpyJournal) {
        self.base = base
        virtualClock = clock
        self.journal = journal
        interpose = { spy, sink, number in spy.interposed(sink, number) }
    }

    /// Whether this process may read it.
    public var authorization: AuthorizationStatus { state.withLock { $0.authorization } }

    /// How many readings it has delivered to the app.
    public var deliveredCount: Int { state.withLock { $0.delivered } }

    /// Whether the app has it open.
    public var isOpen: Bool { state.withLock { !$0.sinks.isEmpty } }

    /// Remembers that the app asked, and answers as things are.
    public func requestAuthorization() async -> AuthorizationStatus {
        record(.askedForAuthorization)
        return authorization
    }

    func record(_ event: SpyJournal.Event) {
        journal.record(event, by: id, at: virtualClock.now)
    }

    /// Remembers that the app opened it.
    ///
    /// - Throws: `SensorError.denied` or `.unavailable` after such a fault.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        let (number, refusal) = state.withLock { state -> (Int, SensorError?) in
            if state.affliction.isUnplugged {
                return (
                    0, .unavailable(id, reason: "it was pulled out", hint: "plug it in again")
                )
            }
            if state.authorization != .authorized {
                return (
                    0,
                    .denied(id, reason: "the right was taken away", hint: "ask for it again")
                )
            }
            state.nextSession += 1
            state.sinks[state.nextSession] = sink
            return (state.nextSession, nil)
        }
        if let refusal {
            record(.refused(refusal))
            throw refusal
        }
        record(.opened(request))
        do throws(SensorError) {
            let session = try await base.open(request, delivering: interpose(self, sink, number))
            return Session(session, number, self)
        } catch {
            state.withLock { $0.sinks[number] = nil }
            record(.refused(error))
            throw error
        }
    }

    /// A sink that lets readings suffer before they reach `sink`.
    @inline(__always)
    private func interposed(
        _ sink: ReadingSink<Reading>, _ number: Int
    ) -> ReadingSink<Reading> {
        ReadingSink(
            deliver: { [self] readings in
                // With the lock held, so that nothing comes after an end or a close.
                state.withLock { state in
                    guard state.sinks[number] != nil else { return }
                    if state.affliction.isNone {
                        state.delivered += readings.count
                        return sink.deliver(readings)
                    }
                    let given = readings.indices.map { readings[$0] }
                    let outcome = state.affliction.suffer(given, at: virtualClock.now)
                    state.delivered += outcome.kept.count
                    sink.lose(outcome.dropped, .injected)
                    sink.lose(outcome.spoiled, .implausible)
                    if !outcome.kept.isEmpty { sink.deliver(outcome.kept.span) }
                }
            },
            report: { [self] status in
                if state.withLock({ $0.sinks[number] != nil }) { sink.report(status) }
            },
            lose: { [self] loss in
                if state.withLock({ $0.sinks[number] != nil }) {
                    sink.lose(loss.count, loss.reason)
                }
            },
            finish: { [self] error in
                if state.withLock({ $0.sinks.removeValue(forKey: number) != nil }) {
                    record(.finished(error))
                    sink.finish(error)
                }
            })
    }

    private final class Session: SensorSession {
        private let base: any SensorSession
        private let number: Int
        private let spy: RecordedSensorSpy
        private let isClosed = Guarded(false)

        init(_ base: any SensorSession, _ number: Int, _ spy: RecordedSensorSpy) {
            self.base = base
            self.number = number
            self.spy = spy
        }

        var grantedRate: Double? { base.grantedRate }

        func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
            spy.record(.reconfigured(request))
            try await base.reconfigure(request)
        }

        func close() async {
            let isFirst = isClosed.withLock { done in
                defer { done = true }
                return !done
            }
            spy.state.withLock { $0.sinks[number] = nil }
            await base.close()
            if isFirst { spy.record(.closed) }
        }
    }
}

extension RecordedSensorSpy: RecordedSpy {
    var sensor: any Sensor { self }
}
