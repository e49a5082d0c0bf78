import Sensorium
import SensoriumTestKit
import Testing

@Suite("fault endurance", .timeLimit(.minutes(1)))
struct FaultEnduranceTests {
    private let clock = VirtualClock()
    private let many = FaultEndurance.many

    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil, cycles: Int = FaultEndurance.many,
        spoilt: (@Sendable (MotionSensorSpy<Acceleration>) async throws -> Void)? = nil
    ) async throws -> FaultEndurance.Outcome {
        let clock = clock
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let endurance = FaultEndurance(fault, curedBy: cure, cycles: cycles, clock: clock)
        let outcome = try await endurance.run(SharedSensor(imu), on: imu) {
            await clock.advance(by: .milliseconds(10))
            if let spoilt { return try await spoilt(imu) }
            if imu.isOpen { try await imu.deliver(x: 0, y: 0, z: 9.81) }
        }
        #expect(!imu.isOpen)
        return outcome
    }

    @Test(
        "of a sensor spy, drops and spoiled values are counted, each once",
        arguments: [(Fault.drop(1), ReadingLoss.Reason.injected), (.notANumber, .implausible)])
    func losses(_ fault: Fault, _ reason: ReadingLoss.Reason) async throws {
        let outcome = try await play(fault)
        #expect(outcome.problems.isEmpty)
        #expect(outcome.losses == [reason: many])
        #expect(outcome.readingsDuringFault == 0)
    }

    @Test(
        "of a sensor spy, stalls and leaps of UTC lose nothing",
        arguments: [Fault.stall(.seconds(1)), .clockJump(.seconds(-100))])
    func silence(_ fault: Fault) async throws {
        let outcome = try await play(fault)
        #expect(outcome.problems.isEmpty)
        #expect(outcome.losses == [:])
        #expect(outcome.ends.isEmpty)
    }

    @Test(
        "of a sensor spy, unplugs and denials end the stream, and it can be opened again",
        arguments: [(Fault.unplug, Fault.replug), (.deny, .permit)])
    func ends(_ fault: Fault, _ cure: Fault) async throws {
        let outcome = try await play(fault, curedBy: cure)
        #expect(outcome.problems.isEmpty)
        #expect(outcome.ends.count == many)
        #expect(outcome.readingsDuringFault == 0)
    }

    @Test("a reading that was measured long ago is told, and one that comes twice")
    func stale() async throws {
        let clock = clock
        let old = Acceleration(
            time: ReadingTime(clock.now.advanced(by: .seconds(-1))), x: 0, y: 0, z: 1)
        let outcome = try await play(.drop(0), cycles: 1) { imu in try await imu.deliver(old) }
        #expect(outcome.problems.count == 5)
        #expect(outcome.problems.first?.contains("came that was measured at") == true)
        #expect(outcome.problems.contains { $0.contains("came after one of") })
    }

    @Test("a sensor that does not come back is told")
    func lost() async throws {
        let clock = clock
        let start = clock.now
        let outcome = try await play(.drop(0), cycles: 5) { imu in
            if clock.now < start.advanced(by: .milliseconds(15)) {
                try await imu.deliver(x: 0, y: 0, z: 1)
            }
        }
        #expect(outcome.problems == ["cycle 1: no reading came after the fault"])
    }
}
