import GPSDPlugin
import Sensorium
import SensoriumTestKit
import Testing

@Suite(
    "a real gpsd", .timeLimit(.minutes(1)),
    .enabled(
        if: GPSDProcess.program != nil, "gpsd is not installed; run `sudo apt-get install gpsd`"))
struct RealGPSDTests {
    /// What the plugin told people.
    let log = Collected<String>()

    @Test("gives the fixes of its receiver, each once, at the time that the receiver measured")
    func fixes() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            let fix = try await reader.reading { $0.fix == .threeDimensional }
            #expect(fix.latitude == 10.25)
            #expect(fix.longitude == 20.5)
            #expect(fix.altitudeMSL == 100)
            #expect(fix.altitudeEllipsoid == 140)
            #expect(fix.time.source == .device)
            #expect(fix.horizontalAccuracy?.confidence == .unspecified)
            while reader.readings.count < 10 { _ = try await reader.reading() }
            let times = reader.readings.compactMap(\.time.utcNanoseconds)
            #expect(zip(times, times.dropFirst()).allSatisfy(<))
            #expect(times.count == reader.readings.count)
            let last = try #require(reader.readings.last)
            #expect(!last.flags.contains(.untrustedTime))
            #expect(last.satellitesUsed == 8)
            #expect(abs(last.instant.duration(to: SystemClock().now).inSeconds) < 2)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("gives satellites beside the fixes, over the same connection")
    func satellites() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(Satellites.self, from: daemon) { reader in
            let sky = try await reader.reading { $0.inView.count == 8 }
            let first = try #require(sky.inView.first)
            #expect(first.system == .gps)
            #expect(first.number == 1)
            #expect(first.elevation == 10)
            #expect(first.azimuth == 20)
            #expect(first.signal == 30)
            #expect(first.isUsed)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may start after the app, which is told what to do meanwhile")
    func startsLater() async throws {
        let daemon = try GPSDProcess()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            var status = try await reader.status(.waiting)
            while !status.reason.contains("refused") { status = try await reader.status(.waiting) }
            #expect(status.reason.contains(daemon.address))
            #expect(status.hint.contains("systemctl start gpsd"))
            try await daemon.start()
            #expect(try await reader.reading().latitude == 10.25)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may be restarted while readings come: they go on, and none comes twice")
    func restarted() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            _ = try await reader.reading()
            await daemon.stop()
            let status = try await reader.status(.reconnecting)
            #expect(!status.reason.isEmpty)
            try await daemon.start()
            let before = reader.readings.count
            while reader.readings.count < before + 3 { _ = try await reader.reading() }
            let times = reader.readings.compactMap(\.time.utcNanoseconds)
            #expect(Set(times).count == times.count)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may be starved of data: readings are called stale, and go on when it is fed again")
    func starved() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        let settings = ["gpsd.stale-after": "1"]
        try await reading(LocationFix.self, from: daemon, settings) { reader in
            let last = try await reader.reading()
            feed.pause()
            _ = try await reader.status(.stale)
            feed.resume()
            let next = try await reader.reading()
            #expect(next.instant > last.instant)
            #expect(next.time.source == .device)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may be fed garbage: what is good comes through")
    func garbage() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            _ = try await reader.reading()
            var random = SeededGenerator(seed: 1)
            for _ in 0..<5 {
                feed.add((0..<800).map { _ in UInt8.random(in: 0...255, using: &random) })
                feed.add(
                    Array("$GPRMC,broken*00\r\n{\"class\":\"TPV\",\"mode\":3,\"lat\":NaN}\r\n".utf8)
                )
                let before = reader.readings.count
                while reader.readings.count < before + 2 { _ = try await reader.reading() }
            }
            #expect(reader.readings.allSatisfy { $0.latitude == 10.25 && $0.longitude == 20.5 })
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may pass on a greeting and a goodbye of another gpsd: they are not its own")
    func passedThrough() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            _ = try await reader.reading()
            let lines = [
                #"{"class":"VERSION","release":"0.1","rev":"x","proto_major":0,"proto_minor":1}"#,
                #"{"class":"DEVICES","devices":[]}"#,
                #"{"class":"WATCH","enable":false,"json":false}"#,
            ]
            for line in lines { feed.add(Array("\(line)\r\n".utf8)) }
            let before = reader.readings.count
            while reader.readings.count < before + 5 { _ = try await reader.reading() }
            #expect(!reader.statuses.contains { $0.state == .reconnecting || $0.state == .stale })
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may lose its receiver and get it back")
    func receiverRemoved() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let feed = NMEAFeed(to: daemon.feedPorts[0])
        try await reading(LocationFix.self, from: daemon) { reader in
            _ = try await reader.reading()
            try daemon.remove()
            let status = try await reader.status(.reconnecting)
            #expect(status.reason.contains(daemon.device()))
            try daemon.add()
            #expect(try await reader.reading().latitude == 10.25)
        }
        await feed.end()
        await daemon.stop()
    }

    @Test("may have two receivers: one is chosen, and they are not mixed")
    func twoReceivers() async throws {
        let daemon = try GPSDProcess(receivers: 2)
        try await daemon.start()
        let feeds = [
            NMEAFeed(to: daemon.feedPorts[0], latitude: 10.25),
            NMEAFeed(to: daemon.feedPorts[1], latitude: 40.5),
        ]
        try await reading(LocationFix.self, from: daemon) { reader in
            while reader.readings.count < 10 { _ = try await reader.reading() }
            #expect(Set(reader.readings.map(\.latitude)).count == 1)
        }
        let settings = ["gpsd.device": daemon.device(1)]
        try await reading(LocationFix.self, from: daemon, settings) { reader in
            while reader.readings.count < 5 { _ = try await reader.reading() }
            #expect(reader.readings.allSatisfy { $0.latitude == 40.5 })
        }
        for feed in feeds { await feed.end() }
        await daemon.stop()
    }

    @Test("may play a log of 2018: its fixes are stamped on arrival, and people are told once")
    func oldLog() async throws {
        let daemon = try GPSDProcess()
        try await daemon.start()
        let clock = SystemClock()
        let now = try #require(clock.sample(.realtime)?.time.nanoseconds)
        let start: Int64 = 1_521_310_535  // 2018-03-17T18:15:35Z
        let feed = NMEAFeed(to: daemon.feedPorts[0], offset: start - now / 1_000_000_000)
        try await reading(LocationFix.self, from: daemon) { reader in
            while reader.readings.count < 5 { _ = try await reader.reading() }
            for fix in reader.readings {
                #expect(fix.time.source == .arrival)
                let utc = try #require(fix.time.utcNanoseconds)
                #expect(abs(utc / 1_000_000_000 - start) < 60)
                #expect(abs(fix.instant.duration(to: clock.now).inSeconds) < 10)
            }
        }
        #expect(log.all.filter { $0.contains("behind this host's clock") }.count == 1)
        await feed.end()
        await daemon.stop()
    }

    /// Reads a sensor of the plugin, linked in, through a registry, and ends everything after.
    private func reading<R: SensorReading>(
        _ type: R.Type, from daemon: GPSDProcess, _ settings: [String: String] = [:],
        _ body: (inout UpdateReader<R>) async throws -> Void
    ) async throws {
        let configuration = settings.merging(["gpsd.address": daemon.address]) { first, _ in first }
        let registry = SensorRegistry(
            host: PluginHost(
                configuration: { configuration[$0] }, log: { [log] in log.append("\($0): \($1)") }))
        try await registry.add(GPSD.self)
        let sensor = try #require(registry.preferred(of: type))
        var reader = UpdateReader(sensor)
        do {
            try await body(&reader)
        } catch {
            Issue.record("\(error) after \(reader.readings.count) readings; log: \(log.all)")
        }
        await registry.removeAll()
    }
}
