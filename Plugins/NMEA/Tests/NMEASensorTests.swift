import NMEAPlugin
import NMEASpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("NMEA sensor", .timeLimit(.minutes(1)))
struct NMEASensorTests {
    let clock = VirtualClock()
    let log = Collected<String>()

    func registry(
        _ receiver: NMEALineSpy, _ configuration: [String: String] = [:]
    ) async throws -> SensorRegistry {
        let registry = SensorRegistry(
            host: PluginHost(
                clock: clock, configuration: { configuration[$0] },
                log: { [log] in log.append("\($0): \($1)") }))
        try await registry.add(receiver.plugin(host: registry.host))
        return registry
    }

    func location(
        _ receiver: NMEALineSpy, _ configuration: [String: String] = [:]
    ) async throws -> SharedSensor<LocationFix> {
        try #require(try await registry(receiver, configuration).preferred(of: LocationFix.self))
    }

    /// What a loop over a sensor's updates sees, as short texts.
    func watch<Reading>(
        _ sensor: SharedSensor<Reading>
    ) -> (Collected<String>, Task<Void, Never>) {
        let seen = Collected<String>()
        let task = clock.spawn("app") {
            do {
                for try await update in sensor.readings().updates {
                    switch update {
                    case .reading(let reading):
                        seen.append((reading as? LocationFix).map { "\($0.latitude)" } ?? "reading")
                    case .status(let status): seen.append("\(status.state)")
                    case .lost(let loss): seen.append("-\(loss.count) \(loss.reason)")
                    }
                }
                seen.append("end")
            } catch { seen.append("\(error)") }
        }
        return (seen, task)
    }

    func fix(_ latitude: Double) -> NMEAStep {
        .line(
            NMEALine.position(
                latitude: latitude, longitude: 11.5, altitude: 500,
                utc: clock.sample(.realtime)?.time.nanoseconds))
    }

    @Test("delivers the fix of an epoch once the line has been quiet for 100 ms")
    func happy() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await clock.settle()
            await receiver.say(fix(48.25))
            await clock.advance(by: .milliseconds(99))
            #expect(seen.all == ["waiting"])
            await clock.advance(by: .milliseconds(1))
            #expect(seen.all == ["waiting", "running", "48.25"])
            await receiver.say(.line(NMEALine.noFix()))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all.last == "searching")
            app.cancel()
            await app.value
            await sensor.closed()
            #expect(!receiver.isConnected)
        }
        try receiver.journal.verify()
        #expect(clock.sleeperCount == 0)
    }

    @Test("stamps a fix with the receiver's time, and keeps that as UTC")
    func time() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let latest = clock.spawn("app") {
                let fix = try? await sensor.latest(timeout: .seconds(5))
                log.append(
                    "\(fix?.instant == SensorInstant(nanoseconds: 0) ? "?" : "\(fix?.time.source ?? .arrival)")"
                )
            }
            try await receiver.connected()
            await receiver.say(fix(48.25))
            await clock.advance(by: .seconds(1))
            await latest.value
        }
        #expect(log.all == ["device"])
    }

    @Test("waits for a receiver that is plugged in later, with growing pauses")
    func later() async throws {
        let clock = clock
        let receiver = NMEALineSpy(.refuse(3), clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            await clock.advance(by: .milliseconds(500 + 1000 + 1999))
            #expect(receiver.connectionCount == 0)
            await clock.advance(by: .milliseconds(1))
            #expect(receiver.connectionCount == 1)
            await receiver.say(fix(48.25))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all == ["waiting", "waiting", "running", "48.25"])
            app.cancel()
            await app.value
        }
    }

    @Test("comes back after it was pulled out, and joins no half sentences")
    func unplugged() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await receiver.say(fix(1), .bytes(Array("$GPRMC,1200".utf8)))
            try await receiver.suffer(.unplug)
            #expect(seen.all == ["waiting", "running", "1.0", "reconnecting"])
            await clock.advance(by: .seconds(10))
            try await receiver.suffer(.replug)
            await clock.advance(by: .seconds(6))
            try await receiver.connected()
            await receiver.say(fix(2))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all.suffix(2) == ["running", "2.0"])
            #expect(!seen.all.contains { $0.hasPrefix("-") })
            app.cancel()
            await app.value
        }
    }

    @Test("calls a silent line stale after 5 s, opens it again, and publishes nothing old")
    func silence() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await receiver.say(fix(1), .stall)
            await clock.advance(by: .milliseconds(4999))
            #expect(seen.all == ["waiting", "running", "1.0"])
            await clock.advance(by: .milliseconds(1))
            #expect(seen.all.last == "stale")
            await clock.advance(by: .seconds(20))
            #expect(seen.all.last == "stale")
            #expect(receiver.connectionCount > 1)
            app.cancel()
            await app.value
        }
    }

    @Test("guesses the speed of the line, and stays with the one that works")
    func rate() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock, speaksAt: 38_400)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            for second in 0..<8 {
                await receiver.say(fix(Double(second)))
                await clock.advance(by: .seconds(1))
            }
            #expect(receiver.ratesTried == [4800, 38_400])
            #expect(seen.all.suffix(3) == ["5.0", "6.0", "7.0"])
            #expect(!seen.all.contains { $0.hasPrefix("-") })
            await receiver.say(.hangUp)
            await clock.advance(by: .seconds(1))
            await receiver.say(fix(8))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all.last == "8.0")
            #expect(receiver.ratesTried.count == 2)
            app.cancel()
            await app.value
        }
    }

    @Test("says that a device may not be read, and how it could be")
    func denied() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await receiver.suffer(.deny)
        #expect(sensor.authorization == .denied)
        try await clock.run {
            let (seen, app) = watch(sensor)
            await clock.settle()
            #expect(seen.all.last?.contains("join the group dialout") == true)
            await app.value
        }
        try await receiver.suffer(.permit)
        #expect(sensor.authorization == .authorized)
    }

    @Test("counts what it could not use, once for each sentence")
    func losses() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await receiver.say(
                fix(1), "$GPRMC,120000*00", "$GPGGA,1",
                .line(NMEALine.sentence("GPGLL,9100.0,N,00000.0,E,120000,A,A")))
            await clock.advance(by: .milliseconds(100))
            #expect(
                seen.all == [
                    "waiting", "-1 malformed", "-1 malformed", "-1 implausible", "running", "1.0",
                ])
            app.cancel()
            await app.value
        }
    }

    @Test("tells each kind of sensor how it does by itself")
    func kinds() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let registry = try await registry(receiver)
        let satellites = try #require(registry.preferred(of: Satellites.self))
        let heading = try #require(registry.preferred(of: Heading.self))
        try await clock.run {
            let (skySeen, skyApp) = watch(satellites)
            let (headingSeen, headingApp) = watch(heading)
            try await receiver.connected()
            await receiver.say(.line(NMEALine.heading(12.5)))
            #expect(headingSeen.all.suffix(2) == ["running", "reading"])
            #expect(skySeen.all.last == "searching")
            await receiver.say(
                .line(NMEALine.sky([Satellite(system: .gps, number: 5, isUsed: true)])))
            await clock.advance(by: .milliseconds(100))
            #expect(skySeen.all.suffix(2) == ["running", "reading"])
            for app in [skyApp, headingApp] {
                app.cancel()
                await app.value
            }
        }
    }

    @Test("calls positions stale when they stop while other sentences go on")
    func onlyHeadings() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(receiver)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await receiver.say(fix(1))
            for _ in 0..<6 {
                await clock.advance(by: .seconds(1))
                await receiver.say(.line(NMEALine.heading(1)))
            }
            #expect(seen.all == ["waiting", "running", "1.0", "stale"])
            app.cancel()
            await app.value
        }
    }

    @Test("takes sentences without a checksum where it is configured to")
    func configured() async throws {
        let clock = clock
        let receiver = NMEALineSpy(clock: clock)
        let sensor = try await location(
            receiver, ["nmea.checksum": "optional", "nmea.stale-after": "x"])
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await receiver.connected()
            await receiver.say("$GPGLL,1000.0,N,00000.0,E,120000,A,A")
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all.last == "10.0")
            app.cancel()
            await app.value
        }
        #expect(
            log.all.contains("warning: nmea.stale-after must be seconds, 0.1 to 86400; 5 is used"))
    }

    @Test("has no sensors where no source is configured, and says how to write one that is wrong")
    func sources() async throws {
        let none = NMEA(host: PluginHost(clock: clock))
        #expect(try await none.discover().isEmpty)
        let clock = clock
        let registry = SensorRegistry(
            host: PluginHost(clock: clock, configuration: { $0 == "nmea.source" ? "usb" : nil }))
        try await registry.add(NMEA.self)
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let reasons = Collected<String>()
            let app = clock.spawn("app") {
                do {
                    for try await update in sensor.readings().updates {
                        if case .status(let status) = update { reasons.append("\(status)") }
                    }
                } catch {}
            }
            await clock.settle()
            #expect(reasons.all.last?.contains("serial:/dev/ttyUSB0@4800") == true)
            app.cancel()
            await app.value
        }
    }
}
