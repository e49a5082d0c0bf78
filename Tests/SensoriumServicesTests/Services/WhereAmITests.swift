import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Where am I", .timeLimit(.minutes(1)))
struct WhereAmITests {
    let clock = VirtualClock()

    @Test("asks for authorization, starts, and stops after the first position")
    func found() async throws {
        let gps = LocationSensorSpy(clock: clock)
        let app = WhereAmI(sensor: gps)
        try await clock.run {
            app.refresh()
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
        }
        #expect(app.title.withLock { $0 } == "48.1, 11.5")
        #expect(
            gps.events == [.askedForAuthorization, .opened(.default), .delivered(1), .closed])
    }

    @Test("says why there is none when the user says no")
    func refused() async throws {
        let gps = LocationSensorSpy(clock: clock)
        gps.authorization(.notDetermined, whenAsked: .denied)
        let app = WhereAmI(sensor: gps)
        try await clock.run { app.refresh() }
        #expect(app.title.withLock { $0.hasPrefix("Nobody knows: ") })
        #expect(gps.openCount == 0)
    }

    @Test("gives up after half a minute, which takes no time here")
    func late() async throws {
        let gps = LocationSensorSpy(clock: clock)
        let app = WhereAmI(sensor: gps)
        try await clock.run {
            app.refresh()
            await clock.advance(by: .seconds(30))
        }
        #expect(app.title.withLock { $0 } == "Nobody knows: nothing came within 30.000 s")
        #expect(!gps.isOpen)
    }
}
