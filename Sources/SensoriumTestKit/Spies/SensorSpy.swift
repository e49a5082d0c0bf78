import Sensorium

/// Stands in for a location sensor.
public typealias LocationSensorSpy = SensorSpy<LocationFix>
/// Stands in for an accelerometer, gyroscope or magnetometer.
public typealias MotionSensorSpy<Reading: MotionReading> = SensorSpy<Reading>
/// Stands in for a barometer, thermometer and the like.
public typealias EnvironmentSensorSpy<Reading: ScalarReading> = SensorSpy<Reading>
/// Stands in for a camera.
public typealias CameraSensorSpy = SensorSpy<CameraFrame>
/// Stands in for a touch surface.
public typealias TouchSensorSpy = SensorSpy<TouchEvent>

/// Stands in for a sensor: remembers what the app asked of it, and delivers what the test says.
///
/// ```swift
/// let clock = VirtualClock()
/// try await clock.run {
///     let gps = LocationSensorSpy(clock: clock)
///     let app = App(location: gps)
///     clock.spawn("app") { await app.run() }
///     try await gps.deliver(latitude: 48.1, longitude: 11.5)
///     #expect(app.title == "48.1, 11.5")
/// }
/// ```
///
/// `deliver` waits until the app has opened the sensor, and returns when the app has done all it
/// does with the reading on the clock's executor. It throws when the app never opens.
public final class SensorSpy<Reading: SensorReading>: Sensor {
    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    /// The clock of the test.
    public let virtualClock: VirtualClock
    /// Where it writes what it saw; shared with other spies, if the test says so.
    public let journal: SpyJournal

    private enum Answer {
        case session(Int, [@Sendable (Result<Void, any Error>) -> Void])
        case error(SensorError)
    }

    struct State {
        var authorization = AuthorizationStatus.authorized
        var authorizationAnswer = AuthorizationStatus.authorized
        var refusals: [SensorError] = []
        var sinks: [Int: (sink: ReadingSink<Reading>, request: SamplingRequest)] = [:]
        var sessionLimit = Int.max
        var grantedRate: Double?
        var nextSession = 0
        var onOpen: [@Sendable (Result<Void, any Error>) -> Void] = []
        var onClose: [@Sendable (Result<Void, any Error>) -> Void] = []
        var ailments = Affliction<Reading>()
        var fingers = SpyFingers()
        /// Which way is up for the device that the sensor is in; face up at first.
        var up = SIMD3(0.0, 0, 1)
    }

    let state: Guarded<State>

    /// Makes a spy.
    ///
    /// - Parameters:
    ///   - id: its name in the registry and the journal.
    ///   - clock: the test's clock.
    ///   - journal: where it writes what it saw; its own by default.
    ///   - descriptor: what it says of itself; by default just its id and kind.
    public init(
        _ id: SensorID? = nil, clock: VirtualClock = VirtualClock(),
        journal: SpyJournal = SpyJournal(), descriptor: SensorDescriptor? = nil
    ) {
        let kind = Reading.kind
        self.descriptor =
            descriptor
            ?? SensorDescriptor(
                id: id ?? SensorID("spy/\(kind.name)"), kind: kind, name: "Spy \(kind.name)")
        virtualClock = clock
        self.journal = journal
        state = Guarded(State())
    }

    /// The clock of the test.
    public var clock: any SensorClock { virtualClock }

    func record(_ event: SpyJournal.Event) {
        journal.record(event, by: id, at: virtualClock.now)
    }

    // MARK: What the app does

    /// What the test set with `authorization(_:whenAsked:)`.
    public var authorization: AuthorizationStatus { state.withLock { $0.authorization } }

    /// Remembers that the app asked, and answers as the test set.
    public func requestAuthorization() async -> AuthorizationStatus {
        record(.askedForAuthorization)
        return state.withLock { state in
            if state.authorization == .notDetermined {
                state.authorization = state.authorizationAnswer
            }
            return state.authorization
        }
    }

    /// Remembers that the app opened it.
    ///
    /// - Throws: what the test set with `refuse(with:)`; `.denied` where it is not authorized;
    ///   `.busy` beyond `allowSessions(_:)`.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        let answer = state.withLock { state -> Answer in
            if !state.refusals.isEmpty { return .error(state.refusals.removeFirst()) }
            if state.ailments.isUnplugged {
                return .error(
                    .unavailable(id, reason: "it was pulled out", hint: "plug it in again"))
            }
            if state.authorization == .denied || state.authorization == .restricted {
                return .error(
                    .denied(
                        id, reason: "the test says that it is \(state.authorization)",
                        hint: "show the user why the app needs it"))
            }
            if state.sinks.count >= state.sessionLimit {
                return .error(
                    .busy(id, reason: "somebody else has it open", hint: "close it there first"))
            }
            state.nextSession += 1
            state.sinks[state.nextSession] = (sink, request)
            defer { state.onOpen = [] }
            return .session(state.nextSession, state.onOpen)
        }
        switch answer {
        case .error(let error):
            record(.refused(error))
            throw error
        case .session(let number, let waiting):
            record(.opened(request))
            for tell in waiting { tell(.success(())) }
            return SpySession(spy: self, number: number)
        }
    }

    fileprivate func reconfigure(_ number: Int, _ request: SamplingRequest) {
        state.withLock { $0.sinks[number]?.request = request }
        record(.reconfigured(request))
    }

    fileprivate func close(_ number: Int) {
        let waiting = state.withLock { state -> [@Sendable (Result<Void, any Error>) -> Void]? in
            guard state.sinks.removeValue(forKey: number) != nil else { return nil }
            guard state.sinks.isEmpty else { return [] }
            state.fingers.forgetAll()
            defer { state.onClose = [] }
            return state.onClose
        }
        guard let waiting else { return }
        record(.closed)
        for tell in waiting { tell(.success(())) }
    }

    private struct SpySession: SensorSession {
        let spy: SensorSpy
        let number: Int

        var grantedRate: Double? {
            spy.state.withLock { $0.grantedRate ?? $0.sinks[number]?.request.rate }
        }

        func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
            spy.reconfigure(number, request)
        }

        func close() async { spy.close(number) }
    }
}

extension SensorSpy: LocationSensor where Reading == LocationFix {}
extension SensorSpy: MotionSensor where Reading: MotionReading {}
extension SensorSpy: EnvironmentSensor where Reading: ScalarReading {}
extension SensorSpy: CameraSensor where Reading == CameraFrame {}
extension SensorSpy: TouchSensor where Reading == TouchEvent {}
