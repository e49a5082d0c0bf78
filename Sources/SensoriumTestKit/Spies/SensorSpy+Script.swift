import Sensorium

extension SensorSpy {
    // MARK: Setting up

    /// Sets what the app is told about its right to read the sensor.
    ///
    /// - Parameter answer: what `requestAuthorization` gives where `status` is `.notDetermined`.
    public func authorization(
        _ status: AuthorizationStatus, whenAsked answer: AuthorizationStatus = .authorized
    ) {
        state.withLock { state in
            state.authorization = status
            state.authorizationAnswer = answer
        }
    }

    /// Takes the right away while the app reads: open streams end with `.denied`.
    public func revokeAuthorization() async throws {
        authorization(.denied)
        try await finish(
            .denied(id, reason: "the right was taken away", hint: "ask the user for it again"))
    }

    /// Makes the next call of `open` fail with `error`; several calls queue up.
    public func refuse(with error: SensorError) {
        state.withLock { $0.refusals.append(error) }
    }

    /// Lets at most `count` sessions be open at once; one more gets `.busy`.
    public func allowSessions(_ count: Int) { state.withLock { $0.sessionLimit = count } }

    /// Sets the rate that sessions say they were granted; by default the rate asked for.
    public func grantRate(_ rate: Double?) { state.withLock { $0.grantedRate = rate } }

    // MARK: Looking

    /// What it saw and did, oldest first.
    public var events: [SpyJournal.Event] { journal.events(of: id) }

    /// Whether the app has it open.
    public var isOpen: Bool { state.withLock { !$0.sinks.isEmpty } }

    /// How often the app opened it.
    public var openCount: Int { state.withLock { $0.nextSession } }

    /// The requests of the sessions that are open, in the order of opening.
    public var requests: [SamplingRequest] {
        state.withLock { state in
            state.sinks.sorted { $0.key < $1.key }.map(\.value.request)
        }
    }

    /// Waits until the app has it open; returns at once if it has.
    ///
    /// - Throws: `VirtualClockError` when it never opens it.
    public func started() async throws {
        try await virtualClock.expect("\(id) to be opened") { answer in
            let isOpen = state.withLock { state in
                if state.sinks.isEmpty { state.onOpen.append(answer) }
                return !state.sinks.isEmpty
            }
            if isOpen { answer(.success(())) }
        }
    }

    /// Waits until the app has closed it; returns at once if it is closed.
    ///
    /// - Throws: `VirtualClockError` when it never closes it.
    public func stopped() async throws {
        try await virtualClock.expect("\(id) to be closed") { answer in
            let isClosed = state.withLock { state in
                if !state.sinks.isEmpty { state.onClose.append(answer) }
                return state.sinks.isEmpty
            }
            if isClosed { answer(.success(())) }
        }
    }

    // MARK: Delivering

    /// Delivers readings to every open session, and waits until the app has dealt with them.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func deliver(_ readings: [Reading]) async throws {
        try await started()
        let outcome = afflict(readings)
        noteTouches(outcome.kept)
        record(.delivered(outcome.kept.count))
        for sink in openSinks {
            sink.lose(outcome.dropped, .injected)
            sink.lose(outcome.spoiled, .implausible)
            if !outcome.kept.isEmpty { sink.deliver(outcome.kept.span) }
        }
        await virtualClock.settle()
    }

    /// Delivers one reading to every open session, and waits until the app has dealt with it.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func deliver(_ reading: Reading) async throws { try await deliver([reading]) }

    /// Reports a status to every open session.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func report(_ status: SensorStatus) async throws {
        try await started()
        record(.reported(status))
        for sink in openSinks { sink.report(status) }
        await virtualClock.settle()
    }

    /// Tells every open session that readings were lost.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func lose(_ count: Int, _ reason: ReadingLoss.Reason = .injected) async throws {
        try await started()
        record(.fault("\(count) readings lost"))
        for sink in openSinks { sink.lose(count, reason) }
        await virtualClock.settle()
    }

    /// Ends every open session, with an error where one is given.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func finish(_ error: SensorError? = nil) async throws {
        try await started()
        await end(by: error)
    }

    /// Ends the sessions that are open, if any.
    func end(by error: SensorError?) async {
        cancelFingers(openSinks)
        record(.finished(error))
        for sink in openSinks { sink.finish(error) }
        await virtualClock.settle()
    }

    private var openSinks: [ReadingSink<Reading>] {
        state.withLock { state in
            state.sinks.sorted { $0.key < $1.key }.map(\.value.sink)
        }
    }
}

extension SensorSpy where Reading == LocationFix {
    /// Delivers a 3D fix, measured now.
    ///
    /// Latitude and longitude in degrees, altitude in metres above mean sea level, accuracy as a
    /// radius in metres at 68 %, speed in m/s, course in degrees.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func deliver(
        latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil,
        speed: Double? = nil, course: Double? = nil
    ) async throws {
        let utc = virtualClock.sample(.realtime)?.time
        try await deliver(
            LocationFix(
                time: ReadingTime(virtualClock.now, original: utc, uncertainty: .zero),
                latitude: latitude, longitude: longitude, altitudeMSL: altitude,
                horizontalAccuracy: accuracy.flatMap { Accuracy($0, .sixtyEightPercent) },
                speed: speed, course: course))
    }
}

extension SensorSpy where Reading: MotionReading {
    /// Delivers a vector in the unit of the reading, measured now.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func deliver(x: Double, y: Double, z: Double) async throws {
        try await deliver(
            Reading(
                time: ReadingTime(virtualClock.now, uncertainty: .zero), x: x, y: y, z: z,
                accuracy: nil, flags: []))
    }
}

extension SensorSpy where Reading: ScalarReading {
    /// Delivers a value in the unit of the reading, measured now.
    ///
    /// - Throws: `VirtualClockError` when the app never opens the sensor.
    public func deliver(_ value: Double) async throws {
        try await deliver(
            Reading(
                time: ReadingTime(virtualClock.now, uncertainty: .zero), value: value,
                accuracy: nil, flags: []))
    }
}
