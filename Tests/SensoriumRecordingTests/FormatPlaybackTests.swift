import NMEAPlugin
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

/// Files of every text format as the sensors of an app under test.
@Suite("recording spy over files", .timeLimit(.minutes(1)))
struct FormatPlaybackTests {
    /// What an app gets of a file's positions.
    private func played(
        _ text: String, as name: String, _ options: PlaybackOptions = PlaybackOptions()
    ) async throws -> (start: Int64?, fixes: [LocationFix]) {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(text.utf8), as: name)
        let spy = try RecordingSpy(path, options: options)
        let got = Collected<LocationFix>()
        try await spy.clock.run {
            let sensor = try #require(spy.sensor(of: LocationFix.self))
            spy.clock.spawn("app") {
                do {
                    for try await fix in sensor.readings() { got.append(fix) }
                } catch {}
            }
            await spy.playAll()
        }
        return (spy.player.utcStart, got.all)
    }

    /// Whole seconds between the first reading and each, as the app saw them.
    private func seconds(_ fixes: [LocationFix]) -> [Double] {
        fixes.map { fixes[0].instant.duration(to: $0.instant).inSeconds }
    }

    private static let noon: Int64 = 1_704_110_400_000_000_000

    @Test("a GPX track is a location sensor on its own times")
    func gpx() async throws {
        let points = [0, 1, 3].map {
            "<trkpt lat='1\($0)' lon='2'><time>2024-01-01T12:00:0\($0)Z</time></trkpt>"
        }
        let (start, fixes) = try await played(
            "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>", as: "track.gpx")
        #expect(fixes.map(\.latitude) == [10, 11, 13])
        #expect(seconds(fixes) == [0, 1, 3])
        #expect(
            fixes.map(\.time.utcNanoseconds) == [0, 1, 3].map { Self.noon + $0 * 1_000_000_000 })
        #expect(start == Self.noon)
    }

    @Test("a route without times is played at the rate that the test gives")
    func route() async throws {
        let (start, fixes) = try await played(
            "<gpx><wpt lat='1' lon='0'/><wpt lat='2' lon='0'/><wpt lat='3' lon='0'/></gpx>",
            as: "route.gpx", PlaybackOptions(rate: 2))
        #expect(fixes.map(\.latitude) == [1, 2, 3])
        #expect(seconds(fixes) == [0, 0.5, 1])
        // Not 1970.
        #expect(start == nil)
        #expect(fixes.allSatisfy { $0.time.utcNanoseconds == nil })
    }

    @Test("REC-06: time that goes back is played at once, and nothing waits for it")
    func backwards() async throws {
        let points = [0, 2, 1, 2, 3].map {
            "<trkpt lat='1\($0)' lon='2'><time>2024-01-01T12:00:0\($0)Z</time></trkpt>"
        }
        let (_, fixes) = try await played(
            "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>", as: "back.gpx")
        #expect(fixes.map(\.latitude) == [10, 12, 11, 12, 13])
        #expect(seconds(fixes) == [0, 2, 1, 2, 3])
    }

    @Test("an NMEA log is a receiver")
    func nmea() async throws {
        let lines = (0..<3).map {
            NMEAEncoder.sentence("GPRMC,12000\($0).00,A,1\($0)00.0,N,00200.0,E,,,010124,,,A")
                + "\r\n"
        }
        let (start, fixes) = try await played(lines.joined(), as: "log.nmea")
        #expect(fixes.map(\.latitude) == [10, 11, 12])
        #expect(seconds(fixes) == [0, 1, 2])
        #expect(start == Self.noon)
    }

    @Test("a capture of gpsd is a receiver")
    func gpsd() async throws {
        let lines = (0..<3).map {
            #"{"class":"TPV","mode":2,"time":"2024-01-01T12:00:0\#($0)Z","lat":1\#($0),"lon":2}"#
                + "\n"
        }
        let (start, fixes) = try await played(lines.joined(), as: "capture.json")
        #expect(fixes.map(\.latitude) == [10, 11, 12])
        #expect(seconds(fixes) == [0, 1, 2])
        #expect(start == Self.noon)
    }

    @Test("a simple table is a sensor, from its own beginning")
    func csv() async throws {
        let (start, fixes) = try await played(
            "t_ms,lat,lon\n0,10,2\n250,11,2\n1000,12,2\n", as: "table.csv")
        #expect(fixes.map(\.latitude) == [10, 11, 12])
        #expect(seconds(fixes) == [0, 0.25, 1])
        #expect(start == nil)
    }
}
