import NMEAPlugin
import NMEASpy
import Sensorium
import SensoriumTestKit
import Testing

/// Each fault a thousand times over one session, which goes on after each.
@Suite("NMEA faults", .timeLimit(.minutes(1)))
struct NMEAFaultTests {
    static let faults: [(Fault, mend: Fault?)] = [
        (.stall(.seconds(7)), nil), (.drop(1), nil), (.notANumber, nil),
        (.clockJump(.seconds(1)), nil), (.unplug, .replug), (.deny, .permit),
        (.restart(.seconds(3)), nil),
    ]

    @Test("reads on after a thousand of each", arguments: 0..<faults.count)
    func cycles(index: Int) async throws {
        let (fault, mend) = Self.faults[index]
        let clock = VirtualClock()
        let receiver = NMEALineSpy(clock: clock)
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(receiver.plugin(host: registry.host))
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        let latitudes = Collected<Double>()
        try await clock.run {
            let app = clock.spawn("app") {
                do {
                    for try await fix in sensor.readings() { latitudes.append(fix.latitude) }
                } catch {}
            }
            try await receiver.connected()
            for cycle in 0..<1000 {
                try await receiver.suffer(fault)
                await receiver.say(fix(89, clock))
                await clock.advance(by: .milliseconds(500))
                if let mend { try await receiver.suffer(mend) }
                await clock.advance(by: .seconds(8))
                while !receiver.isConnected { await clock.advance(by: .seconds(1)) }
                await receiver.say(fix(Double(cycle % 80), clock))
                await clock.advance(by: .seconds(1))
                #expect(latitudes.all.last == Double(cycle % 80))
            }
            app.cancel()
            await app.value
            await sensor.closed()
        }
        #expect(!receiver.isConnected)
        #expect(clock.sleeperCount == 0)
        #expect(latitudes.all.filter { $0 < 80 }.count == 1000)
        if fault == .drop(1) || fault == .notANumber { #expect(!latitudes.all.contains(89)) }
        try receiver.journal.verify()
    }

    private func fix(_ latitude: Double, _ clock: VirtualClock) -> NMEAStep {
        .line(
            NMEALine.position(
                latitude: latitude, longitude: 2, utc: clock.sample(.realtime)?.time.nanoseconds))
    }
}
