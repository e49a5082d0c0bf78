import GPSDPlugin
import GPSDSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("gpsd faults", .timeLimit(.minutes(1)))
struct GPSDFaultTests {
    private let clock = VirtualClock()
    private let many = FaultEndurance.many

    /// Plays a fault a thousand times on the location sensor; gpsd gives a fix every second.
    private func play(
        _ fault: Fault, curedBy cure: Fault? = nil
    ) async throws -> FaultEndurance.Outcome {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let plugin = daemon.plugin(host: PluginHost(clock: clock))
        let found = try await plugin.discover().lazy.compactMap {
            $0 as? GPSDSensor<LocationFix>
        }.first
        let sensor = SharedSensor(try #require(found))
        // An epoch stays open for 100 ms.
        let endurance = FaultEndurance(
            fault, curedBy: cure, clock: clock, staleAfter: .milliseconds(100))
        let outcome = try await endurance.run(sensor, on: daemon) {
            // gpsd keeps nothing for a client that is not there.
            if daemon.isHeard {
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await daemon.say(
                    .line(
                        GPSDLine.position(
                            latitude: 48.1, longitude: 11.5, utc: utc, device: "/dev/spy")))
            }
            await clock.advance(by: .seconds(1))
        }
        #expect(outcome.problems.isEmpty)
        #expect(outcome.ends.isEmpty)
        #expect(!daemon.isConnected)
        try daemon.journal.verify()
        return outcome
    }

    @Test("a thousand spoiled lines are counted, each once")
    func notANumber() async throws {
        let outcome = try await play(.notANumber)
        #expect(outcome.losses == [.malformed: many])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.readings == 2 * many)
    }

    @Test("a thousand lines that gpsd leaves out change nothing: nobody can know of them")
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

    @Test("a thousand unplugs are told, each once")
    func unplugs() async throws {
        let outcome = try await play(.unplug, curedBy: .replug)
        #expect(outcome.losses == [:])
        #expect(outcome.states[.reconnecting] == many)
    }

    @Test(
        "a thousand denials are told: that the connection ended, and that no other can be made")
    func denials() async throws {
        let outcome = try await play(.deny, curedBy: .permit)
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states[.reconnecting] == 2 * many)
        #expect(outcome.states[.running] == many + 1)
    }

    @Test("after a thousand restarts no connection is left, and nothing was lost")
    func restarts() async throws {
        let outcome = try await play(.restart(.seconds(3)))
        #expect(outcome.losses == [:])
        #expect(outcome.readingsDuringFault == 0)
        #expect(outcome.states[.running] == many + 1)
    }
}
