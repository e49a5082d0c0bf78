import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Location service without a fix", .timeLimit(.minutes(1)))
struct LocationServiceFailureTests {
    private let clock = VirtualClock()
    private let gps: LocationSensorSpy
    private let service: LocationService

    init() {
        gps = LocationSensorSpy("spy/gps", clock: clock)
        service = LocationService(sensor: gps, timeout: .seconds(10))
    }

    /// What both forms fail by.
    private func failure(
        after play: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> SensorError {
        let delegate = RecordingDelegate()
        service.delegate = delegate
        let (clock, service) = (clock, service)
        let thrown = Collected<SensorError>()
        try await clock.run {
            service.requestCurrentLocation()
            let awaiting = clock.spawn("app") {
                do throws(SensorError) {
                    _ = try await service.currentLocation()
                } catch {
                    thrown.append(error)
                }
            }
            await clock.settle()
            try await play()
            await awaiting.value
            await service.finished()
        }
        #expect(delegate.fixes.all.isEmpty)
        #expect(delegate.errors.all == thrown.all)
        #expect(!gps.isOpen)
        return try #require(thrown.all.first)
    }

    @Test("is denied in the sensor's own words, and never opens it")
    func denied() async throws {
        gps.authorization(.denied)
        let error = try await failure()
        #expect(
            error
                == .denied(
                    "spy/gps", reason: "the test says that it is denied",
                    hint: "show the user why the app needs it"))
        #expect(gps.openCount == 0)
    }

    @Test("is denied by a rule, and does not even try")
    func restricted() async throws {
        gps.authorization(.restricted)
        guard case .denied(_, let reason, _) = try await failure() else {
            Issue.record("another error")
            return
        }
        #expect(reason.contains("rule"))
        #expect(gps.events.allSatisfy { $0 == .askedForAuthorization })
    }

    @Test("is denied as long as nobody has answered")
    func unanswered() async throws {
        gps.authorization(.notDetermined, whenAsked: .notDetermined)
        guard case .denied(_, let reason, _) = try await failure() else {
            Issue.record("another error")
            return
        }
        #expect(reason.contains("nobody"))
        #expect(gps.events.allSatisfy { $0 == .askedForAuthorization })
    }

    @Test("reads as soon as the user has said yes")
    func answered() async throws {
        gps.authorization(.notDetermined, whenAsked: .authorized)
        try await clock.run {
            async let fix = service.currentLocation()
            try await gps.deliver(latitude: 10, longitude: 20)
            let got = try await fix
            #expect(got.latitude == 10)
        }
    }

    @Test("is denied when the right is taken away in mid-stream")
    func revoked() async throws {
        let error = try await failure { [gps] in try await gps.revokeAuthorization() }
        guard case .denied = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("is busy, or whatever else the sensor cannot be opened by")
    func unopened() async throws {
        let busy = SensorError.busy("spy/gps", reason: "taken", hint: "wait")
        for _ in 0..<2 { gps.refuse(with: busy) }
        #expect(try await failure() == busy)
    }

    @Test("is disconnected when the sensor ends first")
    func ended() async throws {
        let error = try await failure { [gps] in try await gps.finish() }
        guard case .disconnected = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("is timed out when nothing valid came, with what the receiver last said")
    func timedOut() async throws {
        let error = try await failure { [gps, clock] in
            try await gps.report(
                SensorStatus(.searching, reason: "no fix yet", hint: "go out of the house"))
            await clock.advance(by: .seconds(9.999))
            #expect(gps.isOpen)
            await clock.advance(by: .seconds(0.001))
        }
        #expect(
            error
                == .timedOut(
                    "spy/gps", after: .seconds(10), hint: "go out of the house (no fix yet)"))
    }

    @Test(
        "is unavailable, not denied and not late, when the daemon is missing",
        arguments: [SensorStatus.State.waiting, .reconnecting])
    func missingDaemon(state: SensorStatus.State) async throws {
        let error = try await failure { [gps, clock] in
            try await gps.report(
                SensorStatus(state, reason: "gpsd refused the connection", hint: "start gpsd"))
            await clock.advance(by: .seconds(10))
        }
        #expect(
            error
                == .unavailable(
                    "spy/gps", reason: "gpsd refused the connection", hint: "start gpsd"))
    }

    @Test("the time for an answer about rights does not count")
    func slowAnswer() async throws {
        let slow = SlowlyAuthorized(gps, after: .seconds(60))
        let service = LocationService(sensor: slow, timeout: .seconds(10))
        try await clock.run {
            async let fix = service.currentLocation()
            await clock.advance(by: .seconds(69))
            try await gps.deliver(latitude: 10, longitude: 20)
            let got = try await fix
            #expect(got.latitude == 10)
        }
    }
}

/// A sensor whose user takes time to answer.
private struct SlowlyAuthorized: LocationSensor {
    let base: LocationSensorSpy
    let delay: Duration

    init(_ base: LocationSensorSpy, after delay: Duration) {
        self.base = base
        self.delay = delay
    }

    var descriptor: SensorDescriptor { base.descriptor }
    var clock: any SensorClock { base.clock }
    var authorization: AuthorizationStatus { .notDetermined }

    func requestAuthorization() async -> AuthorizationStatus {
        await clock.pause(for: delay) ? .authorized : .notDetermined
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<LocationFix>
    ) async throws(SensorError) -> any SensorSession {
        try await base.open(request, delivering: sink)
    }
}
