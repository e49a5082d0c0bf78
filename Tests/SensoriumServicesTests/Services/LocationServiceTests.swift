import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Location service", .timeLimit(.minutes(1)))
struct LocationServiceTests {
    private let clock = VirtualClock()
    private let gps: LocationSensorSpy
    private let delegate = RecordingDelegate()

    init() { gps = LocationSensorSpy("spy/gps", clock: clock) }

    private func makeService() -> LocationService {
        let service = LocationService(sensor: gps, timeout: .seconds(10))
        service.delegate = delegate
        return service
    }

    private func fix(_ latitude: Double, _ longitude: Double = 20) -> LocationFix {
        LocationFix(time: ReadingTime(clock.now), latitude: latitude, longitude: longitude)
    }

    @Test("tells the delegate the first fix, once the sensor is closed")
    func first() async throws {
        let service = makeService()
        try await clock.run {
            service.requestCurrentLocation()
            try await gps.deliver([fix(10), fix(11)])
            await service.finished()
        }
        #expect(delegate.fixes.all.map(\.latitude) == [10])
        #expect(delegate.errors.all.isEmpty)
        #expect(
            gps.events == [.askedForAuthorization, .opened(.default), .delivered(2), .closed])
    }

    @Test("gives the first fix to whoever awaits it")
    func awaited() async throws {
        let service = makeService()
        try await clock.run {
            async let position = service.currentLocation()
            try await gps.deliver(fix(10))
            let fix = try await position
            #expect(fix.latitude == 10)
            #expect(!gps.isOpen)
        }
        #expect(delegate.fixes.all.isEmpty)
    }

    @Test(
        "passes over what is no place on the Earth",
        arguments: [(Double.nan, 0), (0, .nan), (90.5, 0), (0, -180.5), (.infinity, 0)])
    func invalid(latitude: Double, longitude: Double) async throws {
        let service = makeService()
        try await clock.run {
            service.requestCurrentLocation()
            try await gps.deliver(fix(latitude, longitude))
            #expect(delegate.fixes.all.isEmpty)
            #expect(gps.isOpen)
            try await gps.deliver(fix(0, 0))
        }
        #expect(delegate.fixes.all.map(\.latitude) == [0])
    }

    @Test("waits for a fix that the app accepts")
    func accepting() async throws {
        let service = LocationService(sensor: gps) { fix in
            (fix.horizontalAccuracy?.value ?? .infinity) < 50
        }
        service.delegate = delegate
        try await clock.run {
            service.requestCurrentLocation()
            try await gps.deliver(latitude: 10, longitude: 20)
            try await gps.deliver(latitude: 10, longitude: 20, accuracy: 100)
            #expect(delegate.fixes.all.isEmpty)
            try await gps.deliver(latitude: 11, longitude: 20, accuracy: 5)
        }
        #expect(delegate.fixes.all.map(\.latitude) == [11])
    }

    @Test("delivers to a delegate on the main actor there")
    func mainActor() async throws {
        let service = LocationService(sensor: gps)
        let presenter = await MainActor.run { MainActorDelegate() }
        service.delegate = presenter
        try await clock.run {
            service.requestCurrentLocation()
            try await gps.deliver(fix(10))
            await service.finished()
        }
        #expect(await presenter.latitudes == [10])
    }

    @Test("a delegate may ask again while it is being told")
    func again() async throws {
        let service = LocationService(sensor: gps)
        let insatiable = InsatiableDelegate()
        service.delegate = insatiable
        try await clock.run {
            service.requestCurrentLocation()
            try await gps.deliver(fix(10))
            try await gps.deliver(fix(11))
            await service.finished()
        }
        #expect(await insatiable.latitudes == [10, 11])
        #expect(gps.openCount == 2)
    }

    @Test("does not keep its delegate, and goes on without it")
    func weakDelegate() async throws {
        let service = LocationService(sensor: gps)
        try await clock.run {
            var short: RecordingDelegate? = RecordingDelegate()
            service.delegate = short
            service.requestCurrentLocation()
            #expect(short != nil)
            short = nil
            #expect(service.delegate == nil)
            try await gps.deliver(fix(10))
        }
        #expect(!gps.isOpen)
    }

    @Test("closes the sensor when it is dropped itself")
    func dropped() async throws {
        try await clock.run {
            var service: LocationService? = makeService()
            service?.requestCurrentLocation()
            try await gps.started()
            service = nil
            try await gps.stopped()
        }
        #expect(delegate.fixes.all.isEmpty)
        #expect(delegate.errors.all.isEmpty)
    }
}
