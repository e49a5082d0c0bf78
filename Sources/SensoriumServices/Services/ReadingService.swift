import Sensorium

/// One reading when an app asks for it, of any sensor.
///
/// A request asks the sensor for authorization, opens it, waits for the first valid reading, closes it,
/// and only then answers: with the reading, or with the error. `LocationService`, `MotionService` and
/// `CameraService` are this with a delegate and a name; use it directly for other kinds.
///
/// ## One request at a time
/// A request that is made while another runs **joins** it: the sensor is opened once, both get the same
/// reading, and the time-out counts from the first. It ends early when nobody wants it any more: when
/// every task that waited for it was cancelled, and `cancel()` took back what a closure waited for.
///
/// ## Errors
/// - `.denied`: the right is missing, was refused, or was taken away in mid-stream. Where a device node
///   is for others, the hint names the group to join.
/// - `.unavailable`: the time was up, and the sensor's source (a daemon, a device) is not there.
/// - `.timedOut`: the time was up, the source is there, and nothing valid came.
/// - `.cancelled`: the task that waits was cancelled.
/// - What `open` throws, and what the sensor ends by.
///
/// The time-out is on the sensor's clock and begins when the sensor is opened: how long somebody
/// takes to answer a question about rights does not count.
public final class ReadingService<Reading: SensorReading>: Sendable {
    /// Takes the answer to a request.
    public typealias Listener = @Sendable (Result<Reading, SensorError>) async -> Void

    private struct State {
        var run: ReadingRun<Reading>?
        var started: [ReadingRun<Reading>] = []
    }

    private let first: FirstReading<Reading>
    private let state = Guarded(State())

    /// The sensor that is read.
    public var sensor: any Sensor<Reading> { first.sensor }

    /// Makes a service of a sensor.
    ///
    /// - Parameters:
    ///   - sensor: where readings come from.
    ///   - request: what the sensor is asked for.
    ///   - timeout: how long a request waits for a valid reading once the sensor may be opened.
    ///   - isValid: whether a reading is good enough; others are passed over.
    public init(
        sensor: any Sensor<Reading>, request: SamplingRequest = .default,
        timeout: Duration = .seconds(30),
        accepting isValid: @escaping @Sendable (Reading) -> Bool = { _ in true }
    ) {
        first = FirstReading(
            sensor: sensor, request: request, timeout: timeout, isValid: isValid)
    }

    deinit { state.withLock { $0.run }?.abandon() }

    /// The next valid reading.
    ///
    /// - Throws: `SensorError`, as the type says. A cancelled call that nobody else shares throws
    ///   after the sensor is closed.
    public func current() async throws(SensorError) -> Reading {
        let run = join { $0.waiting += 1 }
        if let result = await run.answer.wait() { return try result.get() }
        let isLast = run.release { $0.waiting -= 1 }
        if isLast { await run.ended() }
        throw .cancelled(sensor.id)
    }

    /// Asks for one reading, and returns at once; `listener` is called once with the answer.
    ///
    /// A listener takes the place of one that still waits, which is then not called. It is called on
    /// the sensor's clock's executor; a listener that is isolated to an actor hops there.
    public func request(_ listener: @escaping Listener) {
        _ = join { $0.listener = listener }
    }

    /// Takes back `request(_:)`: its listener is not called.
    public func cancel() {
        _ = state.withLock { $0.run }?.release { $0.listener = nil }
    }

    /// Waits until no request runs, the sensor is closed, and every listener has returned.
    ///
    /// Not to be called from a listener. Returns early when the task is cancelled.
    public func finished() async {
        while let run = state.withLock({ $0.started.last }), !Task.isCancelled {
            _ = await run.isOver.wait()
        }
    }

    // MARK: Runs

    /// Joins the run that is under way, or starts one.
    private func join(_ claim: (inout ReadingRun<Reading>.Claims) -> Void) -> ReadingRun<Reading> {
        typealias Joined = (run: ReadingRun<Reading>, previous: ReadingRun<Reading>?, isNew: Bool)
        let joined = state.withLock { state -> Joined in
            if let run = state.run, run.claim(claim) { return (run, nil, false) }
            let run = ReadingRun<Reading>()
            _ = run.claim(claim)
            // One that was given up may still be closing the sensor.
            let previous = state.run
            state.run = run
            state.started.append(run)
            return (run, previous, true)
        }
        guard joined.isNew else { return joined.run }
        let (run, previous) = (joined.run, joined.previous)
        let task = sensor.clock.spawn("take one reading") { [first, weak self] in
            await previous?.ended()
            let result = await first.take()
            // First, so that a listener's own request starts anew.
            self?.forget(run)
            let listener = run.end()
            run.answer.give(result)
            await listener?(result)
            self?.state.withLock { $0.started.removeAll { $0 === run } }
            run.isOver.give(true)
        }
        run.attach(task)
        return run
    }

    private func forget(_ run: ReadingRun<Reading>) {
        state.withLock { if $0.run === run { $0.run = nil } }
    }
}
