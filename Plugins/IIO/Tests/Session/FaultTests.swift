import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("IIO faults", .timeLimit(.minutes(1)))
struct FaultTests {
    private let many = FaultEndurance.many

    /// Plays a fault a thousand times on an accelerometer of 10 Hz.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil,
        feed: ScriptedDevice.Feed = .signal { ["accel_x": Int64($0 % 1000), "accel_z": 1000] }
    ) async throws -> FaultEndurance.Outcome {
        let bench = Bench([.accelerometer(frequency: "10", available: nil, feed: feed)])
        let clock = bench.clock
        let sensor = SharedSensor(try await bench.sensor(of: Acceleration.self))
        let endurance = FaultEndurance(fault, curedBy: cure, clock: clock)
        let outcome = try await endurance.run(sensor, on: bench.spy) {
            await clock.advance(by: .milliseconds(100))
        }
        #expect(outcome.problems.isEmpty)
        #expect(outcome.ends.isEmpty)
        #expect(bench.spy.captureCount == 0)
        #expect(bench.spy.connectionCount == 0)
        #expect(bench.plugin.readerCount == 0)
        try bench.spy.journal.verify()
        return outcome
    }

    @Test("a thousand torn refills are counted, each once, and nothing of them comes")
    func drops() async throws {
        let outcome = try await play(.drop(1))
        #expect(outcome.losses == [.device: many])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states == [.running: many + 1, .reconnecting: many])
    }

    @Test("a thousand polled values that are no numbers are counted, each once")
    func notANumber() async throws {
        let outcome = try await play(.notANumber, feed: .none)
        #expect(outcome.losses == [.malformed: many])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand stalls are told, each once, and nothing of before comes after")
    func stalls() async throws {
        let outcome = try await play(.stall(.seconds(3)))
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states == [.running: many + 1, .stale: many])
    }

    @Test("a thousand leaps of UTC lose nothing")
    func clockJumps() async throws {
        let outcome = try await play(.clockJump(.seconds(3600)))
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand unplugs are told, each once")
    func unplugs() async throws {
        let outcome = try await play(.unplug, curedBy: .replug)
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states == [.running: many + 1, .stale: many])
    }

    @Test("a thousand denials are counted where each reading needs the right to")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit, feed: .none)
        #expect(outcome.losses == [.device: many])
        #expect(outcome.readingsDuringFault == 0)
    }

    @Test("a thousand restarts are told, each once")
    func restarts() async throws {
        let outcome = try await play(.restart(.seconds(3)))
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: many + 1, .reconnecting: many])
    }
}
