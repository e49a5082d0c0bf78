import Sensorium
import SensoriumTestKit
import SimulatedSpy
import Testing

@testable import SimulatedPlugin

@Suite("simulated faults", .timeLimit(.minutes(1)))
struct SimulatedFaultTests {
    private let clock = VirtualClock()
    private let many = FaultEndurance.many

    /// Plays a fault a thousand times on the accelerometer, at 10 Hz.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil
    ) async throws -> FaultEndurance.Outcome {
        let clock = clock
        let world = SimulatedWorldSpy(clock: clock)
        let plugin = world.plugin(for: PluginHost(clock: clock))
        let found = try await plugin.discover().lazy.compactMap {
            $0 as? SimulatedSensor<Acceleration>
        }.first
        let sensor = SharedSensor(try #require(found))
        let endurance = FaultEndurance(
            fault, curedBy: cure, clock: clock, request: SamplingRequest(rate: 10))
        let outcome = try await endurance.run(sensor, on: world) {
            await clock.advance(by: .milliseconds(100))
        }
        #expect(outcome.problems.isEmpty)
        #expect(world.connectionCount == 0)
        try world.journal.verify()
        return outcome
    }

    @Test(
        "a thousand drops and spoiled values are counted, each once",
        arguments: [(Fault.drop(1), ReadingLoss.Reason.device), (.notANumber, .implausible)])
    func losses(_ fault: Fault, _ reason: ReadingLoss.Reason) async throws {
        let outcome = try await play(fault)
        #expect(outcome.losses == [reason: many])
        #expect(outcome.readings == 2 * many)
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand stalls are told, each once, and nothing comes meanwhile")
    func stalls() async throws {
        let outcome = try await play(.stall(.seconds(3)))
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: many + 1, .stale: many])
    }

    @Test("a thousand leaps of UTC change nothing")
    func clockJumps() async throws {
        let outcome = try await play(.clockJump(.seconds(-3600)))
        #expect(outcome.readings == 3 * many)
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand unplugs end the stream, each time by the right error")
    func unplugs() async throws {
        let outcome = try await play(.unplug, curedBy: .replug)
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.ends.count == many)
        #expect(outcome.ends.allSatisfy { if case .disconnected = $0 { true } else { false } })
        #expect(outcome.losses == [:])
    }

    @Test("a thousand denials leave what is open alone")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit)
        #expect(outcome.readings == 3 * many)
        #expect(outcome.ends.isEmpty)
    }

    @Test("no daemon stands behind it that could be restarted, and its spy says so")
    func restarts() async {
        let world = SimulatedWorldSpy()
        await #expect(throws: SpyError.self) { try await world.suffer(.restart(.seconds(1))) }
    }
}
