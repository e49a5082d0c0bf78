import GPSDPlugin
import GPSDSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("gpsd conversation", .timeLimit(.minutes(1)))
struct GPSDConversationTests {
    let clock = VirtualClock()
    let log = Collected<String>()

    @Test("loses no bytes that come at the very moment at which an epoch closes")
    func simultaneous() async throws {
        let (clock, log) = (clock, log)
        let link = TightLink(saying: [fix(1), fix(2), fix(3)])
        let registry = SensorRegistry(host: host)
        try await registry.add(GPSD(host: registry.host, link: link))
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let app = clock.spawn("app") {
                do {
                    for try await fix in sensor.readings() { log.append("\(fix.latitude)") }
                } catch {}
            }
            for _ in 0..<4 { await clock.advance(by: .milliseconds(100)) }
            app.cancel()
            await app.value
            await sensor.closed()
        }
        #expect(log.all == ["1.0", "2.0", "3.0"])
    }

    @Test("tells each kind of sensor how it does by itself")
    func kinds() async throws {
        let (clock, log) = (clock, log)
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: host)
        try await registry.add(daemon.plugin(host: registry.host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        let satellites = try #require(registry.preferred(of: Satellites.self))
        let heading = try #require(registry.preferred(of: Heading.self))
        try await clock.run {
            let apps = [
                note(location, "location"), note(satellites, "satellites"),
                note(heading, "heading"),
            ]
            try await daemon.connected()
            await daemon.say(.line(Lines.sky(0, count: 3)))
            #expect(log.all.suffix(3).contains("satellites running"))
            #expect(log.all.suffix(3).contains("location searching"))
            await daemon.say(.line(GPSDLine.noFix))
            await daemon.say(#"{"class":"ATT","heading":10.5}"#)
            #expect(log.all.suffix(2) == ["location searching", "heading running"])
            await daemon.say(fix(1))
            await clock.advance(by: .milliseconds(100))
            #expect(log.all.last == "location running")
            await daemon.say(.hangUp)
            #expect(
                Set(log.all.suffix(3)) == [
                    "location reconnecting", "satellites reconnecting", "heading reconnecting",
                ])
            for app in apps { app.cancel() }
            for app in apps { await app.value }
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test("calls positions stale when they stop while other reports go on")
    func onlySatellites() async throws {
        let (clock, log) = (clock, log)
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: host)
        try await registry.add(daemon.plugin(host: registry.host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let app = note(location, "location")
            try await daemon.connected()
            await daemon.say(fix(1))
            await clock.advance(by: .milliseconds(500))
            for second in 1...6 {
                #expect(log.all.last == "location running")
                await daemon.say(.line(Lines.sky(second, count: 3)))
                await clock.advance(by: .seconds(1))
            }
            #expect(log.all.last == "location stale")
            await daemon.say(fix(2))
            await clock.advance(by: .milliseconds(100))
            #expect(log.all.last == "location running")
            #expect(daemon.connectionCount == 1)
            app.cancel()
            await app.value
        }
    }

    @Test("says that the chosen receiver is silent while others report")
    func wrongDevice() async throws {
        let (clock, log) = (clock, log)
        let daemon = GPSDDaemonSpy(clock: clock)
        let host = PluginHost(
            clock: clock, configuration: { $0 == "gpsd.device" ? "/dev/ttyS9" : nil })
        let registry = SensorRegistry(host: host)
        try await registry.add(daemon.plugin(host: host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let app = clock.spawn("app") {
                do {
                    for try await case .status(let status) in location.readings().updates {
                        log.append("\(status)")
                    }
                } catch {}
            }
            try await daemon.connected()
            await daemon.say(.line(GPSDLine.devices("/dev/ttyUSB0")))
            for second in 1...5 {
                await daemon.say(
                    .line(
                        GPSDLine.position(
                            latitude: Double(second), longitude: 0, device: "/dev/ttyUSB0")))
                await clock.advance(by: .seconds(1))
            }
            #expect(
                log.all.last?.contains(
                    "no report of /dev/ttyS9 from gpsd at spy for 5.0 s; "
                        + "is gpsd.device right? gpsd has /dev/ttyUSB0") == true)
            app.cancel()
            await app.value
        }
    }

    @Test("asks for a poll when it is told to, over the connection that there is")
    func poll() async throws {
        let (clock, log) = (clock, log)
        let daemon = GPSDDaemonSpy(clock: clock)
        let plugin = daemon.plugin(host: host)
        let registry = SensorRegistry(host: host)
        try await registry.add(plugin)
        let location = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            plugin.poll()
            let app = note(location, "location")
            try await daemon.connected()
            plugin.poll()
            await clock.settle()
            #expect(daemon.commands == [#"?WATCH={"enable":true,"json":true};"#, "?POLL;"])
            app.cancel()
            await app.value
            plugin.poll()
            #expect(daemon.commands.count == 2)
            #expect(log.all.count == 1)
        }
    }

    @Test("says what gpsd complains of")
    func complaint() async throws {
        let clock = clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: host)
        try await registry.add(daemon.plugin(host: registry.host))
        let location = try #require(registry.preferred(of: LocationFix.self))
        try await clock.run {
            let app = note(location, "location")
            try await daemon.connected()
            await daemon.say(#"{"class":"ERROR","message":"Can't open \/dev\/ttyUSB0"}"#)
            app.cancel()
            await app.value
        }
        #expect(log.all.contains("gpsd at spy says: Can't open /dev/ttyUSB0"))
    }

    @Test("tells a flood of complaints as one, with their number")
    func complaints() async throws {
        let (clock, log) = (clock, log)
        let daemon = GPSDDaemonSpy(clock: clock)
        let registry = SensorRegistry(host: host)
        try await registry.add(daemon.plugin(host: registry.host))
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        let same = GPSDStep.line(#"{"class":"ERROR","message":"Unrecognized request"}"#)
        try await clock.run {
            let app = note(sensor, "location")
            try await daemon.connected()
            for _ in 0..<1000 { await daemon.say(same) }
            #expect(log.all.count { $0.contains("says:") } == 1)
            // A report now and then, so that the connection is not given up as stale.
            for _ in 0..<20 {
                await daemon.say(.line(Lines.sky(0, count: 3)))
                await clock.advance(by: .seconds(3))
            }
            await daemon.say(same, same)
            for number in 0..<50 {
                await daemon.say(.line(#"{"class":"ERROR","message":"no \#(number)"}"#))
            }
            app.cancel()
            await app.value
        }
        #expect(
            log.all.filter { $0.contains("says:") }.map { String($0.dropFirst(18)) } == [
                "Unrecognized request", "the same 999 times more", "Unrecognized request", "no 0",
                "no 1", "the like 49 times more",
            ])
    }

    private var host: PluginHost {
        PluginHost(
            clock: clock, log: { [log] level, text in if level >= .warning { log.append(text) } })
    }

    /// Notes every status of a sensor, after `name`.
    private func note<R>(_ sensor: SharedSensor<R>, _ name: String) -> Task<Void, Never> {
        let log = log
        return clock.spawn(name) {
            do {
                for try await case .status(let status) in sensor.readings().updates {
                    log.append("\(name) \(status.state)")
                }
            } catch {}
        }
    }

    private func fix(_ latitude: Double) -> GPSDStep {
        let utc = clock.sample(.realtime)?.time.nanoseconds
        let time = utc.map { $0 + Int64(latitude) * 100_000_000 }
        return .line(GPSDLine.position(latitude: latitude, longitude: 0, utc: time))
    }
}

/// A link whose bytes always come just when somebody gives up waiting for them.
private final class TightLink: GPSDLink, GPSDChannel {
    let peer = "gpsd at a tight link"
    private let pieces: Guarded<[[UInt8]]>
    private let isFirst = Guarded(true)

    init(saying steps: [GPSDStep]) {
        let lines = steps.compactMap { if case .line(let text) = $0 { text } else { nil } }
        pieces = Guarded(lines.map { Lines.bytes([$0]) })
    }

    func connect() async throws(GPSDLinkError) -> any GPSDChannel { self }

    func send(_ bytes: [UInt8]) {}

    func receive() async throws(GPSDLinkError) -> [UInt8]? {
        let mustWait = isFirst.withLock { first in
            defer { first = false }
            return !first
        }
        if mustWait { await Cancellation().wait() }
        return pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func close() async {}
}

/// Waits until the task is cancelled.
private final class Cancellation: Sendable {
    private let state = Guarded<(isOver: Bool, waiter: UnsafeContinuation<Void, Never>?)>(
        (false, nil))

    func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiter = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.isOver = true
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
