import Sensorium

/// Plays one fault on a sensor in use, time and again, and counts what an app sees of it.
///
/// A fault that is survived once may still leave something behind: a task, a session, a reading that
/// is published late. This tells after a thousand of them.
///
/// ```swift
/// let endurance = FaultEndurance(.unplug, curedBy: .replug, clock: clock)
/// let outcome = try await endurance.run(sensor, on: spy) { await clock.advance(by: .seconds(1)) }
/// #expect(outcome.problems.isEmpty)
/// #expect(outcome.losses == [:])
/// ```
///
/// Each cycle measures, plays the fault, measures in vain, cures it, and measures until a reading comes
/// again. The app is a loop over the sensor's updates; one that ended is started again after the cure.
public struct FaultEndurance: Sendable {
    /// What happens in each cycle.
    public var fault: Fault
    /// What ends it; nil for a fault that ends by itself.
    public var cure: Fault?
    /// How often.
    public var cycles: Int
    /// The clock of the sensor and of its spy.
    public var clock: VirtualClock
    /// A reading that is older than this when it comes is stale.
    public var staleAfter: Duration
    /// How long it may take until readings come again.
    public var recovery: Duration
    /// How the app asks for readings.
    public var request: SamplingRequest

    /// A thousand; a hundred under ThreadSanitizer, where all takes longer.
    public static var many: Int {
        #if TSAN
        100
        #else
        1000
        #endif
    }

    /// Makes an endurance test.
    public init(
        _ fault: Fault, curedBy cure: Fault? = nil, cycles: Int = FaultEndurance.many,
        clock: VirtualClock,
        staleAfter: Duration = .milliseconds(100), recovery: Duration = .seconds(30),
        request: SamplingRequest = .default
    ) {
        self.fault = fault
        self.cure = cure
        self.cycles = cycles
        self.clock = clock
        self.staleAfter = staleAfter
        self.recovery = recovery
        self.request = request
    }

    /// What an app saw of all cycles.
    public struct Outcome: Sendable, Hashable {
        /// How many readings came.
        public var readings = 0
        /// How many of them came between the fault and its cure.
        public var readingsDuringFault = 0
        /// How many readings the sensor said to have lost, and why.
        public var losses: [ReadingLoss.Reason: Int] = [:]
        /// How often the sensor told each state.
        public var states: [SensorStatus.State: Int] = [:]
        /// By which errors its stream ended.
        public var ends: [SensorError] = []
        /// What must not be, as sentences: the first ten.
        public var problems: [String] = []
    }

    /// Plays all cycles on the clock, which must not be run by anybody else meanwhile.
    ///
    /// - Parameters:
    ///   - sensor: what the app reads.
    ///   - target: what suffers.
    ///   - measure: lets time pass, or the source speak, so that a healthy sensor gives a reading.
    /// - Throws: what the target or `measure` throws.
    public func run<Reading>(
        _ sensor: SharedSensor<Reading>, on target: some FaultTarget,
        measure: @escaping @Sendable () async throws -> Void
    ) async throws -> Outcome {
        let clock = clock
        return try await clock.run {
            let app = EnduringApp(sensor, self)
            for cycle in 1...max(1, cycles) {
                app.start()
                if try await !app.getsReading(from: measure) {
                    app.complain("cycle \(cycle): no reading came before the fault")
                    break
                }
                app.isFaulty = true
                try await target.suffer(fault)
                try await measure()
                app.isFaulty = false
                if let cure {
                    try await target.suffer(cure)
                } else {
                    await clock.advance(by: fault.length)
                }
                await app.restartIfEnded()
                if try await !app.getsReading(from: measure) {
                    app.complain("cycle \(cycle): no reading came after the fault")
                    break
                }
            }
            await app.stop()
            if clock.sleeperCount > 0 {
                app.complain("\(clock.sleeperCount) tasks still sleep when all is closed")
            }
            return app.outcome
        }
    }
}

extension Fault {
    /// How long it lasts by itself.
    fileprivate var length: Duration {
        switch self {
        case .stall(let time), .restart(let time): time
        default: .zero
        }
    }
}

/// The app of an endurance test.
private final class EnduringApp<Reading: SensorReading>: Sendable {
    private struct State {
        var outcome = FaultEndurance.Outcome()
        var last: SensorInstant?
        var isFaulty = false
        var hasEnded = true
        var loop: Task<Void, Never>?
    }

    private let sensor: SharedSensor<Reading>
    private let test: FaultEndurance
    private let state = Guarded(State())

    init(_ sensor: SharedSensor<Reading>, _ test: FaultEndurance) {
        self.sensor = sensor
        self.test = test
    }

    var outcome: FaultEndurance.Outcome { state.withLock { $0.outcome } }

    /// Whether the fault lasts.
    var isFaulty: Bool {
        get { state.withLock { $0.isFaulty } }
        set { state.withLock { $0.isFaulty = newValue } }
    }

    func complain(_ problem: String) {
        state.withLock { state in
            if state.outcome.problems.count < 10 { state.outcome.problems.append(problem) }
        }
    }

    /// Starts the loop, unless it runs.
    func start() {
        if !state.withLock({ $0.hasEnded }) { return }
        state.withLock { $0.hasEnded = false }
        let loop = test.clock.spawn("endurance app") { [self] in
            do throws(SensorError) {
                for try await update in sensor.readings(test.request).updates { note(update) }
            } catch {
                state.withLock { $0.outcome.ends.append(error) }
            }
            state.withLock { $0.hasEnded = true }
        }
        state.withLock { $0.loop = loop }
    }

    private func note(_ update: ReadingUpdate<Reading>) {
        switch update {
        case .reading(let reading): note(reading)
        case .status(let status):
            state.withLock { $0.outcome.states[status.state, default: 0] += 1 }
        case .lost(let loss):
            state.withLock { $0.outcome.losses[loss.reason, default: 0] += loss.count }
        }
    }

    private func note(_ reading: Reading) {
        let now = test.clock.now
        let instant = reading.time.instant
        let age = instant.duration(to: now)
        let last = state.withLock { state in
            state.outcome.readings += 1
            if state.isFaulty { state.outcome.readingsDuringFault += 1 }
            defer { state.last = instant }
            return state.last
        }
        if age < .zero || age > test.staleAfter {
            complain("at \(now), a reading came that was measured at \(instant)")
        }
        // Fingers touch at once, and a touch is cancelled the moment it moved.
        let isEvent = Reading.kind == .touch || Reading.kind == .key
        if let last, isEvent ? instant < last : instant <= last {
            complain("at \(now), a reading of \(instant) came after one of \(last)")
        }
    }

    /// Measures until a reading comes; false when none does in time.
    func getsReading(from measure: @Sendable () async throws -> Void) async throws -> Bool {
        let before = outcome.readings
        let deadline = test.clock.now.advanced(by: test.recovery)
        repeat {
            try await measure()
            if outcome.readings > before { return true }
            // A source that only speaks when asked does not make time pass.
            await test.clock.advance(by: .milliseconds(100))
        } while outcome.readings == before && test.clock.now < deadline
        return outcome.readings > before
    }

    /// Starts the loop again if it has ended.
    func restartIfEnded() async {
        await test.clock.settle()
        guard state.withLock({ $0.hasEnded }) else { return }
        await state.withLock { $0.loop }?.value
        await sensor.closed()
        start()
    }

    func stop() async {
        state.withLock { $0.loop }?.cancel()
        await state.withLock { $0.loop }?.value
        await sensor.closed()
        await test.clock.settle()
    }
}
