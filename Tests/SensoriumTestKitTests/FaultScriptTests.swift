import Sensorium
import SensoriumTestKit
import Testing

@Suite("fault script", .timeLimit(.minutes(1)))
struct FaultScriptTests {
    @Test("plays its faults at their times")
    func times() async throws {
        let clock = VirtualClock()
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let start = clock.now
        try await clock.run {
            let script = FaultScript()
                .after(.seconds(1), .drop(1))
                .after(.seconds(2), .clockJump(.seconds(-3600)))
                .after(.zero, .unplug)
            clock.spawn("faults") { try? await script.play(on: imu, clock: clock) }
            await clock.advance(by: .seconds(10))
        }
        let faults = imu.journal.all.filter { if case .fault = $0.event { true } else { false } }
        #expect(
            faults.map { start.duration(to: $0.instant) } == [
                .seconds(1), .seconds(3), .seconds(3),
            ])
    }

    @Test("the same seed gives the same script")
    func seeds() {
        let faults: [Fault] = [.unplug, .replug, .drop(3), .notANumber]
        let one = FaultScript.random(seed: 7, count: 50, of: faults, spread: .seconds(9))
        #expect(one == FaultScript.random(seed: 7, count: 50, of: faults, spread: .seconds(9)))
        #expect(one != FaultScript.random(seed: 8, count: 50, of: faults, spread: .seconds(9)))
        #expect(one.steps.count == 50)
    }

    @Test("a daemon's fault cannot happen to a sensor, and the spy says so")
    func impossible() async {
        let imu = MotionSensorSpy<Acceleration>()
        await #expect(throws: SpyError.self) { try await imu.suffer(.restart(.seconds(1))) }
    }

    @Test("a thousand drops and spoiled values are counted exactly, and nothing stale comes")
    func losses() async throws {
        let clock = VirtualClock()
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let stream = SharedSensor(imu).readings()
        let stale = Collected<Duration>()
        let got = Collected<Double>()
        try await clock.run {
            let loop = clock.spawn("app") {
                do {
                    for try await reading in stream {
                        if reading.instant != clock.now {
                            stale.append(reading.instant.duration(to: clock.now))
                        }
                        got.append(reading.z)
                    }
                } catch {}
            }
            for cycle in 0..<1000 {
                try await imu.suffer(.drop(2))
                try await imu.suffer(.notANumber)
                try await imu.suffer(.stall(.milliseconds(5)))
                try await imu.deliver(x: 0, y: 0, z: -1)
                await clock.advance(by: .milliseconds(5))
                for _ in 0..<3 { try await imu.deliver(x: 0, y: 0, z: -2) }
                try await imu.deliver(x: 0, y: 0, z: Double(cycle))
                await clock.advance(by: .milliseconds(5))
            }
            loop.cancel()
            await loop.value
        }
        #expect(got.all == (0..<1000).map(Double.init))
        #expect(stale.all.isEmpty)
        #expect(stream.losses == [.injected: 2000, .implausible: 1000])
    }
}
