import Sensorium

/// Reads one zone until it is closed: one task, which alone talks to the consumer.
///
/// `close` ends within one reading of the zone.
final class ThermalSession: SensorSession {
    private struct State {
        var ticker: Task<Void, Never>?
        /// The consumer's last word, when the session ends without it having closed.
        var ending: SensorError?
    }

    private static let period = Duration.seconds(1)
    /// Celsius, from absolute zero to where no board holds together.
    private static let plausible = -273.15...1000.0

    private let id: SensorID
    private let zone: ThermalZone
    private let link: any ThermalLink
    private let clock: any SensorClock
    private let sink: ReadingSink<Temperature>
    private let state = Guarded(State())

    init(
        id: SensorID, zone: ThermalZone, link: any ThermalLink, clock: any SensorClock,
        sink: ReadingSink<Temperature>
    ) {
        self.id = id
        self.zone = zone
        self.link = link
        self.clock = clock
        self.sink = sink
    }

    var grantedRate: Double? { 1 }

    func start(atEnd forget: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.ticker = clock.spawn("\(id) ticker") {
                await self.run()
                forget()
            }
        }
    }

    func close() async { await cancel(saying: nil) }

    /// Stops, and tells the consumer why.
    func end(_ error: SensorError) async { await cancel(saying: error) }

    private func cancel(saying error: SensorError?) async {
        let ticker = state.withLock { state in
            state.ending = state.ending ?? error
            state.ticker?.cancel()
            return state.ticker
        }
        await ticker?.value
    }

    private func run() async {
        var told: SensorStatus.State?
        while !Task.isCancelled {
            let before = clock.now
            let answer: Result<String, ThermalFault>
            do throws(ThermalFault) {
                answer = .success(try await link.read(zone))
            } catch {
                answer = .failure(error)
            }
            if Task.isCancelled { break }
            switch answer {
            case .success(let text):
                report(SensorStatus(.running), unless: &told)
                deliver(text, from: before)
            case .failure(.noAnswer(let why)):
                report(
                    SensorStatus(
                        .stale, reason: "the kernel cannot read \(zone.folder): \(why)",
                        hint: "readings go on when it can; some zones sleep with their device"),
                    unless: &told)
            case .failure(.gone):
                sink.finish(
                    .disconnected(
                        id, reason: "the kernel removed \(zone.folder)",
                        hint: "load the driver of the zone again"))
                return
            }
            await clock.pause(for: Self.period)
        }
        if let error = state.withLock({ $0.ending }) { sink.finish(error) }
    }

    private func report(_ status: SensorStatus, unless told: inout SensorStatus.State?) {
        if told == status.state { return }
        told = status.state
        sink.report(status)
    }

    /// Delivers a reading that was taken between `before` and now.
    private func deliver(_ text: String, from before: SensorInstant) {
        guard let celsius = ThermalZone.celsius(text) else { return sink.lose(1, .malformed) }
        if !Self.plausible.contains(celsius) { return sink.lose(1, .implausible) }
        let half = before.duration(to: clock.now) / 2
        let time = ReadingTime(before.advanced(by: half), uncertainty: half)
        sink.deliver(Temperature(time: time, value: celsius))
    }
}
