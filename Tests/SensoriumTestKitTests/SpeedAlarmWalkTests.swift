import Sensorium
import SensoriumTestKit
import Testing

@Test("stays dark on a walk, minutes of which take milliseconds")
func staysDarkOnAWalk() async throws {
    let walk = try RecordingSpy(recording("walk.mcap"))
    let gps = try #require(walk.sensor(of: LocationFix.self))
    let alarm = SpeedAlarm(location: gps)
    try await walk.clock.run {
        let app = walk.clock.spawn("app") { await alarm.run(limit: 13.9) }

        await walk.play(for: .seconds(30))
        #expect(alarm.light.withLock { $0 } == .off)

        try await gps.suffer(.unplug)
        await app.value
        #expect(alarm.light.withLock { $0 } == .unknown)
    }
    #expect(gps.deliveredCount >= 29)
}

/// A recording that lies beside this file.
private func recording(_ name: String, beside file: String = #filePath) -> String {
    file.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Recordings/\(name)"
}
