import Sensorium
import SensoriumTestKit

/// What tests with spies cost.
enum SpyBenchmarks {
    static func thousandTests() async throws -> Row {
        var samples = Samples()
        for _ in 0..<5 {
            samples.add(
                try await nanoseconds {
                    for _ in 0..<1000 { try await oneTest() }
                }, items: 1_000_000_000)
        }
        return Row(name: "spy.1000-tests", value: samples.median, unit: "s", goal: 1)
    }

    /// An app reads a fix and an acceleration, and gives up on a second fix after 5 s.
    private static func oneTest() async throws {
        let clock = VirtualClock()
        let gps = LocationSensorSpy(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        try await clock.run {
            async let fix = gps.latest(timeout: .seconds(5))
            async let force = imu.latest(timeout: .seconds(5))
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            try await imu.deliver(x: 0, y: 0, z: 9.81)
            keep(try await (fix, force))
            async let late = try? gps.latest(timeout: .seconds(5))
            await clock.advance(by: .seconds(5))
            let missed = await late
            precondition(missed == nil, "the time-out did not come")
            try await gps.stopped()
        }
    }
}
