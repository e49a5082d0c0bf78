import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Input device faults", .timeLimit(.minutes(1)))
struct FaultTests {
    /// Plays a fault a thousand times on a finger that moves ten times a second.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil
    ) async throws -> FaultEndurance.Outcome {
        let bench = Bench([.screen(feed: .steady(10))])
        bench.spy.keepNoCommands()
        let clock = bench.clock
        let sensor = SharedSensor(try await bench.sensor(TouchEvent.self))
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

    @Test("a thousand frames that the kernel loses are counted, each once")
    func drops() async throws {
        let outcome = try await play(.drop(1))
        #expect(outcome.losses == [.device: FaultEndurance.many])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a thousand events that make no sense are counted, each once")
    func nonsense() async throws {
        let outcome = try await play(.notANumber)
        #expect(outcome.losses == [.malformed: FaultEndurance.many])
        #expect(outcome.states == [.running: 1])
    }

    @Test("a screen that feels nothing for a while is none the worse for it")
    func stalls() async throws {
        let outcome = try await play(.stall(.seconds(3)))
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states == [.running: 1])
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
        #expect(
            outcome.states == [
                .running: FaultEndurance.many + 1, .reconnecting: FaultEndurance.many,
            ])
    }

    @Test("a thousand denials do not matter to a screen that is open")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit)
        #expect(outcome.losses == [:])
        #expect(outcome.states == [.running: 1])
    }

    @Test(
        "has no daemon to restart, and no way on which events get mixed up",
        arguments: [Fault.restart(.seconds(1)), .duplicate(1), .reorder(2), .noise(1)])
    func impossible(fault: Fault) async throws {
        let bench = Bench()
        #expect(!bench.spy.canSuffer(fault))
        await #expect(throws: SpyError.self) { try await bench.spy.suffer(fault) }
    }

    @Test("plays 300 faults of all kinds, and every touch ends once")
    func mixed() async throws {
        let bench = Bench([.screen(feed: .steady(20))])
        bench.spy.keepNoCommands()
        let script = FaultScript.random(
            seed: 7, count: 300,
            of: [
                .stall(.seconds(3)), .drop(2), .notANumber, .clockJump(.seconds(100)), .unplug,
                .replug, .deny, .permit,
            ], spread: .seconds(2))
        try await bench.clock.run {
            let listener = try await bench.openScreen()
            let played = bench.clock.spawn("faults") {
                do { try await script.play(on: bench.spy, clock: bench.clock) } catch {
                    Issue.record(error)
                }
            }
            await bench.clock.advance(by: .seconds(700))
            await played.value
            for cure in [Fault.permit, .replug] { try await bench.spy.suffer(cure) }
            await bench.clock.advance(by: .seconds(20))
            #expect(listener.states.last == .running)
            try await bench.spy.suffer(.unplug)
            await bench.clock.settle()
            var down: Set<Int> = []
            for event in listener.readings {
                if event.phase == .began {
                    #expect(down.insert(event.touch).inserted)
                } else {
                    #expect(down.contains(event.touch))
                }
                if event.phase == .ended || event.phase == .cancelled { down.remove(event.touch) }
            }
            #expect(down.isEmpty)
            #expect(listener.readings.count { $0.phase == .began } > 10)
            let instants = listener.readings.map(\.time.instant)
            #expect(instants == instants.sorted())
            await listener.close()
            #expect(bench.isClean)
        }
    }
}
