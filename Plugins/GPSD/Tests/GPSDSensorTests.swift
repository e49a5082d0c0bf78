import GPSDPlugin
import GPSDSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("gpsd sensor", .timeLimit(.minutes(1)))
struct GPSDSensorTests {
    let clock = VirtualClock()

    /// A location sensor of the plugin over `daemon`, shared as a registry shares it.
    func location(_ daemon: GPSDDaemonSpy) async throws -> SharedSensor<LocationFix> {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(daemon.plugin(host: registry.host))
        return try #require(registry.preferred(of: LocationFix.self))
    }

    /// What a loop over a sensor's updates sees, as short texts.
    func watch(_ sensor: SharedSensor<LocationFix>) -> (Collected<String>, Task<Void, Never>) {
        let seen = Collected<String>()
        let task = clock.spawn("app") {
            do {
                for try await update in sensor.readings().updates {
                    switch update {
                    case .reading(let fix): seen.append("\(fix.latitude)")
                    case .status(let status): seen.append("\(status.state)")
                    case .lost(let loss): seen.append("-\(loss.count) \(loss.reason)")
                    }
                }
            } catch { seen.append("error") }
        }
        return (seen, task)
    }

    func fix(_ latitude: Double, at clock: VirtualClock) -> GPSDStep {
        .line(
            GPSDLine.position(
                latitude: latitude, longitude: 11.5, utc: clock.sample(.realtime)?.time.nanoseconds)
        )
    }

    @Test("asks for reports, delivers a fix of each epoch after 100 ms, and hangs up at the end")
    func happy() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await daemon.connected()
            await clock.settle()
            let measured = clock.now
            await daemon.say(fix(48.1, at: clock), fix(48.1, at: clock))
            #expect(seen.all == ["waiting"])
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all == ["waiting", "running", "48.1"])
            await daemon.say(.line(GPSDLine.noFix))
            #expect(seen.all.last == "searching")
            #expect(measured < clock.now)
            app.cancel()
            await app.value
            await sensor.closed()
            #expect(!daemon.isConnected)
        }
        #expect(daemon.commands == [#"?WATCH={"enable":true,"json":true};"#])
        try daemon.journal.verify()
        #expect(clock.sleeperCount == 0)
    }

    @Test("waits for a gpsd that starts later, with growing pauses (LOC-18)")
    func later() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(.refuse(3), clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (seen, app) = watch(sensor)
            await clock.advance(by: .milliseconds(500 + 1000 + 1999))
            #expect(daemon.connectionCount == 0)
            await clock.advance(by: .milliseconds(1))
            #expect(daemon.connectionCount == 1)
            await daemon.say(fix(48.1, at: clock))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all == ["waiting", "waiting", "running", "48.1"])
            app.cancel()
            await app.value
        }
    }

    @Test("comes back after a restart, asks again, and joins no half lines (LOC-13, LOC-18)")
    func restart() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await daemon.connected()
            await daemon.say(fix(1, at: clock), .bytes(Array(#"{"class":"TPV","mode":3,"la"#.utf8)))
            try await daemon.suffer(.restart(.seconds(3)))
            #expect(seen.all == ["waiting", "running", "1.0", "reconnecting"])
            await clock.advance(by: .seconds(4))
            try await daemon.connected()
            await daemon.say(fix(2, at: clock))
            await clock.advance(by: .milliseconds(100))
            #expect(seen.all.suffix(2) == ["running", "2.0"])
            #expect(!seen.all.contains { $0.hasPrefix("-") })
            app.cancel()
            await app.value
        }
        #expect(daemon.commands.count == 2)
    }

    @Test(
        "a silent gpsd is stale after 5 s, is connected to again, and publishes nothing old (LOC-18)"
    )
    func silence() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (seen, app) = watch(sensor)
            try await daemon.connected()
            await daemon.say(fix(1, at: clock), .stall)
            await clock.advance(by: .milliseconds(4999))
            #expect(seen.all == ["waiting", "running", "1.0"])
            await clock.advance(by: .milliseconds(1))
            #expect(seen.all.last == "stale")
            await clock.advance(by: .seconds(600))
            #expect(seen.all.last == "stale")
            // Every try waits 5 s for a report and then at most 15 s.
            #expect((30...60).contains(daemon.connectionCount))
            app.cancel()
            await app.value
        }
    }

    @Test("asks again when gpsd switches reports off (LOC-18)")
    func switchedOff() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (_, app) = watch(sensor)
            try await daemon.connected()
            await daemon.say(.line(#"{"class":"WATCH","enable":false}"#))
            #expect(daemon.commands.count == 2)
            app.cancel()
            await app.value
        }
    }

    @Test("cancelling during a pause ends at once (LOC-18)")
    func cancelling() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(.refuse(1000), clock: clock)
        let sensor = try await location(daemon)
        try await clock.run {
            let (_, app) = watch(sensor)
            await clock.advance(by: .seconds(60))
            let before = clock.now
            app.cancel()
            await app.value
            await sensor.closed()
            #expect(clock.now == before)
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test("four sensors share one connection, which ends with the last")
    func sharing() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(daemon.plugin(host: registry.host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        let sky = try #require(registry.preferred(of: Satellites.self))
        try await clock.run {
            let (_, app) = watch(location)
            async let list = sky.first { _ in true }
            try await daemon.connected()
            await daemon.say(
                #"{"class":"SKY","satellites":[{"PRN":5,"el":10,"az":20,"ss":30,"used":true}]}"#)
            #expect(try await list?.inView.first?.number == 5)
            await sky.closed()
            #expect(daemon.isConnected && daemon.connectionCount == 1)
            app.cancel()
            await app.value
            await location.closed()
            #expect(!daemon.isConnected)
        }
    }

    @Test("stopping the plugin ends its streams")
    func stopping() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(daemon.plugin(host: registry.host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let (seen, app) = watch(location)
            try await daemon.connected()
            await registry.remove(plugin: "gpsd")
            await app.value
            #expect(seen.all.last == "error")
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test("a thousand restarts, stalls, drops and spoiled lines: nothing stale, losses exact")
    func faults() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensor = try await location(daemon)
        let ages = Collected<Duration>()
        let stream = sensor.readings()
        try await clock.run {
            let app = clock.spawn("app") {
                do {
                    for try await fix in stream { ages.append(fix.instant.duration(to: clock.now)) }
                } catch {}
            }
            for cycle in 0..<1000 {
                try await daemon.connected()
                try await daemon.suffer(.notANumber)
                await daemon.say(fix(1, at: clock))
                try await daemon.suffer(.drop(1))
                await daemon.say(fix(2, at: clock))
                await daemon.say(fix(Double(cycle % 80), at: clock))
                await clock.advance(by: .milliseconds(100))
                try await daemon.suffer(.restart(.milliseconds(200)))
                await clock.advance(by: .seconds(1))
            }
            app.cancel()
            await app.value
            await sensor.closed()
        }
        #expect(ages.all.count == 1000)
        #expect(ages.all.allSatisfy { $0 <= .milliseconds(100) })
        #expect(stream.losses == [.malformed: 1000])
        #expect(clock.sleeperCount == 0)
    }
}
