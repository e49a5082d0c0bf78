import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("Camera faults", .timeLimit(.minutes(1)))
struct FaultTests {
    private let many = FaultEndurance.many

    /// Plays a fault a thousand times on a camera of 10 Hz.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil
    ) async throws -> FaultEndurance.Outcome {
        let bench = Bench([.fixed(.grey, 8, 4, rates: [10], feed: .steady)])
        bench.spy.keepNoCommands()
        let clock = bench.clock
        let sensor = SharedSensor(try await bench.camera())
        let endurance = FaultEndurance(fault, curedBy: cure, clock: clock)
        let outcome = try await endurance.run(sensor, on: bench.spy) {
            await clock.advance(by: .milliseconds(100))
        }
        #expect(outcome.problems.isEmpty)
        #expect(outcome.ends.isEmpty)
        #expect(bench.isClean)
        try bench.spy.journal.verify()
        return outcome
    }

    @Test("a thousand frames that the driver loses are counted, each once")
    func drops() async throws {
        let outcome = try await play(.drop(1))
        #expect(outcome.losses == [.device: many])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand frames that are cut off are counted, each once")
    func cuts() async throws {
        let outcome = try await play(.notANumber)
        #expect(outcome.losses == [.malformed: many])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand stalls are told, each once")
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
        #expect(outcome.states == [.running: many + 1, .reconnecting: many])
    }

    @Test("a thousand denials do not matter to a camera that is open")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit)
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: 1])
    }

    @Test(
        "has no daemon to restart, and no way on which frames get mixed up",
        arguments: [Fault.restart(.seconds(1)), .duplicate(1), .reorder(2), .noise(1)])
    func impossible(fault: Fault) async throws {
        let bench = Bench()
        #expect(!bench.spy.canSuffer(fault))
        await #expect(throws: SpyError.self) { try await bench.spy.suffer(fault) }
    }

    @Test("plays 300 faults of all kinds on a consumer that keeps frames, without a leak")
    func mixed() async throws {
        let bench = Bench([.fixed(.grey, 8, 4, feed: .steady)])
        bench.spy.keepNoCommands()
        let script = FaultScript.random(
            seed: 11, count: 300,
            of: [
                .stall(.seconds(3)), .drop(2), .notANumber, .clockJump(.seconds(100)), .unplug,
                .replug, .deny, .permit,
            ], spread: .seconds(2))
        try await bench.clock.run {
            let viewer = try await bench.open(keeping: true)
            let played = bench.clock.spawn("faults") {
                do { try await script.play(on: bench.spy, clock: bench.clock) } catch {
                    Issue.record(error)
                }
            }
            for _ in 0..<700 {
                await bench.clock.advance(by: .seconds(1))
                viewer.release(3)
            }
            await played.value
            for cure in [Fault.permit, .replug] { try await bench.spy.suffer(cure) }
            viewer.release()
            await bench.clock.advance(by: .seconds(20))
            #expect(viewer.states.last == .running)
            let instants = viewer.frames.map(\.time.instant)
            #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
            await viewer.close()
            #expect(bench.spy.openCount == 0)
            #expect(bench.spy.mappedCount == viewer.keptFrames.count)
            viewer.release()
            #expect(bench.isClean)
            try bench.spy.journal.verify()
        }
    }
}
