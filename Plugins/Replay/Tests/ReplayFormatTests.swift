import Glibc
import ReplayPlugin
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

/// The plugin over real files of each text format.
@Suite("replay plugin over files", .timeLimit(.minutes(1)))
struct ReplayFormatTests {
    private static let files: [(name: String, text: String)] = [
        (
            "track.gpx",
            "<gpx><trk><trkseg><trkpt lat='10' lon='2'><time>2024-01-01T12:00:00Z</time></trkpt>"
                + "<trkpt lat='11' lon='2'><time>2024-01-01T12:00:02Z</time></trkpt></trkseg></trk></gpx>"
        ),
        (
            "log.nmea",
            "$GPRMC,120000,A,1000,N,00200,E,,,010124,,,A\n$GPRMC,120002,A,1100,N,00200,E,,,010124,,,A\n"
        ),
        (
            "capture.json",
            #"{"class":"TPV","mode":2,"time":"2024-01-01T12:00:00Z","lat":10,"lon":2}"# + "\n"
                + #"{"class":"TPV","mode":2,"time":"2024-01-01T12:00:02Z","lat":11,"lon":2}"# + "\n"
        ),
        ("table.csv", "time,lat,lon\n2024-01-01T12:00:00Z,10,2\n2024-01-01T12:00:02Z,11,2\n"),
    ]

    @Test("plays GPX, NMEA, captures of gpsd and CSV as sensors", arguments: files.map(\.name))
    func plays(name: String) async throws {
        let path = "/tmp/sensorium-replay-\(getpid())-\(name)"
        let file = try OutputFile(path)
        let text = try #require(Self.files.first { $0.name == name }?.text)
        try file.write(Array(text.utf8))
        try file.finish()
        defer { unlink(path) }
        let clock = VirtualClock()
        try await clock.run {
            let registry = SensorRegistry(
                host: PluginHost(
                    clock: clock, configuration: { $0 == "replay.file" ? path : nil }))
            try await registry.add(Replay.self)
            let sensor = try #require(registry.preferred(of: LocationFix.self))
            #expect(sensor.id.rawValue.hasPrefix("replay/"))
            let fixes = try await clock.advance {
                var fixes: [LocationFix] = []
                for try await fix in sensor.readings() { fixes.append(fix) }
                return fixes
            }
            try #require(fixes.map(\.latitude) == [10, 11])
            #expect(fixes[0].instant.duration(to: fixes[1].instant) == .seconds(2))
            #expect(fixes[0].time.utcNanoseconds == 1_704_110_400_000_000_000)
            await registry.removeAll()
        }
        #expect(clock.sleeperCount == 0)
    }
}
