import Sensorium

extension InteractionDispatcher {
    /// Dispatches what sensors report, until the task is cancelled or one of the sensors ends.
    ///
    /// It works in the isolation of its caller. What is under way when it ends is cancelled, and
    /// every sensor is closed before it returns. Several runs may go on at once: give a sensor a run
    /// of its own where its end must not be that of the others.
    ///
    /// - Parameters:
    ///   - touches: the touch surface; it fills the root responder.
    ///   - keys: a remote control.
    ///   - accelerations: an accelerometer in the device, for shakes.
    /// - Throws: what a sensor cannot be opened by, and what it ends by.
    public func run(
        touches: (any Sensor<TouchEvent>)? = nil, keys: (any Sensor<KeyEvent>)? = nil,
        accelerations: (any Sensor<Acceleration>)? = nil
    ) async throws(SensorError) {
        let source = makeSource()
        let feed = InteractionFeed()
        var sessions: [any SensorSession] = []
        var failure: SensorError?
        do throws(SensorError) {
            if let touches {
                sessions.append(
                    try await touches.open(.default, delivering: feed.sink { .touch($0) }))
            }
            if let keys {
                sessions.append(
                    try await keys.open(.default, delivering: feed.sink { .key($0) }))
            }
            if let accelerations {
                let request = SamplingRequest(rate: 50)
                sessions.append(
                    try await accelerations.open(
                        request, delivering: feed.sink { .acceleration($0) }))
            }
            try await work(off: feed, source)
            stop(source, .stopped)
        } catch {
            stop(source, .disconnected)
            failure = error
        }
        for session in sessions { await session.close() }
        // Who cancels asks for the end, not for an error.
        if case .cancelled = failure { return }
        if let failure { throw failure }
    }

    private func work(off feed: InteractionFeed, _ source: Int) async throws(SensorError) {
        var recognizer = ShakeRecognizer()
        while let inputs = await feed.next() {
            for input in inputs {
                switch input {
                case .touch(let event): dispatch(event, from: source)
                case .key(let event): dispatch(event, from: source)
                case .acceleration(let reading): tell(of: recognizer.take(reading), source)
                case .status(.acceleration, let status):
                    if !status.isLive { tell(of: recognizer.interrupt(), source) }
                case .lost(.acceleration, _): break  // a gap to the recognizer
                case .status(let kind, let status):
                    // A sensor without its source cannot tell of the end of what is under way.
                    if !status.isLive { interrupt(source, kind, .disconnected) }
                case .lost(let kind, let loss): heed(loss, kind, source)
                case .ended(let error):
                    guard let error else {
                        stop(source, .disconnected)
                        return
                    }
                    throw error
                }
            }
        }
    }

    private func stop(_ source: Int, _ cause: InteractionStatistics.Cause) {
        for kind in [SensorKind.touch, .key, .acceleration] { interrupt(source, kind, cause) }
        assemblers[source] = nil
    }

    private func tell(of shake: ShakeEvent?, _ source: Int) {
        guard let shake else { return }
        switch shake.phase {
        case .began: motionBegan(.shake, at: shake.instant, from: source)
        case .ended: motionEnded(.shake, at: shake.instant, from: source)
        case .cancelled: motionCancelled(.shake, at: shake.instant, from: source)
        }
    }

    /// A sensor accounts for the touches that its device lost; nobody does for what was lost after.
    private func heed(_ loss: ReadingLoss, _ kind: SensorKind, _ source: Int) {
        if loss.reason != .device { interrupt(source, kind, .eventsLost) }
    }

    /// Ends what is under way of one sensor.
    private func interrupt(
        _ source: Int, _ kind: SensorKind, _ cause: InteractionStatistics.Cause
    ) {
        switch kind {
        case .touch: interruptTouches(of: source, cause)
        case .key: releaseKeys(of: source)
        default: cancelMotions { $0.source == source }
        }
    }
}

extension SensorStatus {
    /// Whether its sensor would tell of an end now.
    fileprivate var isLive: Bool {
        switch state {
        case .running, .searching: true
        case .waiting, .stale, .reconnecting: false
        }
    }
}
