// The test of the README's example: an hour passes in a millisecond.

import Sensorium
import SensoriumTestKit
import Testing

@Test("warns above the limit, and does not trust an old speed")
func warns() async throws {
    let clock = VirtualClock()
    let gps = LocationSensorSpy(clock: clock)
    let alarm = SpeedAlarm(location: gps)
    try await clock.run {
        let app = clock.spawn("app") { await alarm.run(limit: 13.9) }

        try await gps.deliver(latitude: 48.1, longitude: 11.5, speed: 15)
        #expect(alarm.light.withLock { $0 } == .red)

        await clock.advance(by: .seconds(3600))
        try await gps.report(SensorStatus(.stale, reason: "nothing for an hour"))
        #expect(alarm.light.withLock { $0 } == .unknown)

        try await gps.suffer(.unplug)
        await app.value
    }
    #expect(gps.events.first == .opened(.default))
    try gps.journal.verify()
}
