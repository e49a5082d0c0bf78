import NMEAPlugin
import NMEASpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("NMEA faults", .timeLimit(.minutes(1)))
struct NMEAFaultTests {
    private let clock = VirtualClock()
    private let many = FaultEndurance.many

    /// Plays a fault a thousand times on the location sensor; the receiver gives a fix every second.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil
    ) async throws -> FaultEndurance.Outcome {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let plugin = receiver.plugin(host: PluginHost(clock: clock))
        let found = try await plugin.discover().lazy.compactMap {
            $0 as? NMEASensor<LocationFix>
        }.first
        let sensor = SharedSensor(try #require(found))
        // An epoch ends with a silence of 100 ms.
        let endurance = FaultEndurance(
            fault, curedBy: cure, clock: clock, staleAfter: .milliseconds(100))
        let outcome = try await endurance.run(sensor, on: receiver) {
            // A serial line keeps nothing for a program that has not opened it.
            if receiver.isHeard {
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await receiver.say(
                    .line(NMEALine.position(latitude: 48.1, longitude: 11.5, utc: utc)))
            }
            await clock.advance(by: .seconds(1))
        }
        #expect(outcome.problems.isEmpty)
        #expect(!receiver.isConnected)
        try receiver.journal.verify()
        return outcome
    }

    @Test("a thousand spoiled positions are counted, each once for each of its two sentences")
    func notANumber() async throws {
        let outcome = try await play(.notANumber)
        #expect(outcome.losses == [.malformed: 2 * many])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.readings == 2 * many)
        #expect(outcome.ends.isEmpty)
    }

    @Test("a thousand positions that are left out change nothing: nobody can know of them")
    func drops() async throws {
        let outcome = try await play(.drop(1))
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.readings == 2 * many)
    }

    @Test("a thousand stalls are told, each once, and nothing of before comes after")
    func stalls() async throws {
        let outcome = try await play(.stall(.seconds(7)))
        #expect(outcome.losses == [:])
        #expect(outcome.states[.stale] == many)
        #expect(outcome.states[.running] == many + 1)
    }

    @Test("a thousand leaps of UTC lose nothing", arguments: [3600, -3600])
    func clockJumps(seconds: Int) async throws {
        let outcome = try await play(.clockJump(.seconds(seconds)))
        #expect(outcome.readings == 3 * many)
        #expect(outcome.losses == [:])
        #expect(outcome.states[.running] == 1)
    }

    @Test("a thousand unplugs are told: that it was pulled out, and that it is not there")
    func unplugs() async throws {
        let outcome = try await play(.unplug, curedBy: .replug)
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states[.reconnecting] == 2 * many)
        #expect(outcome.states[.running] == many + 1)
        #expect(outcome.ends.isEmpty)
    }

    @Test("a thousand denials are told: that the line broke, and that it may not be opened")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit)
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states[.reconnecting] == 2 * many)
        #expect(outcome.states[.running] == many + 1)
    }

    @Test("after a thousand restarts no line is left open, and nothing was lost")
    func restarts() async throws {
        let outcome = try await play(.restart(.seconds(3)))
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states[.running] == many + 1)
    }
}
