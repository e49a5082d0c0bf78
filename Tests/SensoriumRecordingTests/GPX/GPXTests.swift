import Sensorium
import SensoriumRecording
import Testing

@Suite("GPX", .timeLimit(.minutes(1)))
struct GPXTests {
    /// 2024-01-01T12:00:00Z.
    private static let noon = 1_704_110_400.0

    private static func track(_ points: String, around: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">\(around)<trk>
        <trkseg>
        \(points)
        </trkseg></trk></gpx>
        """
    }

    private static func point(_ latitude: String, _ inside: String) -> String {
        "<trkpt lat=\"\(latitude)\" lon=\"20.5\">\(inside)</trkpt>"
    }

    @Test("REC-03: points without time get one between their neighbours', and say so")
    func someWithoutTime() throws {
        let file = try TemporaryFolder().reading(
            Self.track(
                """
                <trkpt lat="10.2500" lon="20.5"><time>2024-01-01T12:00:00Z</time></trkpt>
                <trkpt lat="10.2501" lon="20.5"><ele>101.0</ele></trkpt>
                <trkpt lat="10.2502" lon="20.5"><time>2024-01-01T12:00:02Z</time></trkpt>
                <trkpt lat="10.2503" lon="20.5"><ele>103.0</ele></trkpt>
                <trkpt lat="10.2504" lon="20.5"></trkpt>
                <trkpt lat="10.2505" lon="20.5"><ele>105</ele><time>2024-01-01T12:00:05Z</time>\
                </trkpt>
                """), as: "some.gpx")
        #expect(file.fixes.map(\.latitude) == [10.25, 10.2501, 10.2502, 10.2503, 10.2504, 10.2505])
        #expect(file.fixes.map(\.altitudeMSL) == [nil, 101, nil, 103, nil, 105])
        #expect(file.seconds == [0, 1, 2, 3, 4, 5].map { Self.noon + $0 })
        #expect(
            file.fixes.map { $0.flags.contains(.untrustedTime) }
                == [false, true, false, true, true, false])
        #expect(
            file.fixes.map { $0.time.original == nil } == [false, true, false, true, true, false])
    }

    @Test("REC-03: without any time there is an order and no time, and playing needs a rate")
    func noTimeAtAll() throws {
        let folder = try TemporaryFolder()
        let text = Self.track((0..<4).map { Self.point("10.\($0)", "") }.joined())
        let file = try folder.reading(text, as: "none.gpx")
        #expect(file.fixes.map(\.latitude) == [10, 10.1, 10.2, 10.3])
        #expect(file.seconds == [nil, nil, nil, nil])
        #expect(file.fixes.allSatisfy { !$0.time.isKnown })
        let error = recordingError {
            _ = try RecordingPlayer(path: "\(folder.path)/none.gpx", clock: SystemClock())
        }
        #expect(error?.condition == .unsupported)
    }

    @Test("points before the first time and after the last one stay without a time")
    func openEnds() throws {
        let file = try TemporaryFolder().reading(
            Self.track(
                Self.point("1", "") + Self.point("2", "<time>2024-01-01T12:00:00Z</time>")
                    + Self.point("3", "")), as: "ends.gpx")
        #expect(file.seconds == [nil, Self.noon, nil])
    }

    @Test(
        "REC-04: reads every form of a time zone",
        arguments: [
            ("2018-03-19T15:49:10-07:00", 0.0), ("2018-03-19T22:49:11.5Z", 1.5),
            ("2018-03-19T23:49:12+0100", 2), ("2018-03-19T22:49:13+00:00", 3),
            ("2018-03-19T22:49:14", 4), ("\n 2018-03-20t04:19:15+05:30 ", 5),
            ("2018-03-19T24:49:00Z", nil), ("2018-02-29T00:00:00Z", nil), ("yesterday", nil),
        ])
    func zones(text: String, offset: Double?) throws {
        let file = try TemporaryFolder().reading(
            Self.track(Self.point("10", "<time>\(text)</time>")), as: "zone.gpx")
        #expect(file.seconds == [offset.map { 1_521_499_750 + $0 }])
        #expect(file.damage.isEmpty == (offset != nil))
        #expect(file.damage.notes.isEmpty == (offset != nil && offset != 4))
    }

    @Test("REC-06: keeps points whose time goes back, and counts the steps")
    func backwards() throws {
        let times = [0, 2, 1, 2, 3]
        let points = times.map { Self.point("10", "<time>2024-01-01T12:00:0\($0)Z</time>") }
        let file = try TemporaryFolder().reading(Self.track(points.joined()), as: "back.gpx")
        #expect(file.seconds == times.map { Self.noon + Double($0) })
        #expect(file.damage.backwardSteps == 1)
        #expect(file.damage.isEmpty)
    }

    @Test("a route for Xcode is its waypoints; beside a track they are only places")
    func waypoints() throws {
        let folder = try TemporaryFolder()
        let places = """
            <wpt lat="1" lon="2"><name>A &amp; B</name><time>2024-01-01T12:00:00Z</time></wpt>
            <wpt lat="3" lon="4"><time>2024-01-01T12:00:10Z</time></wpt>
            """
        let route = try folder.reading("<gpx version=\"1.1\">\(places)</gpx>", as: "xcode.gpx")
        #expect(route.fixes.map(\.latitude) == [1, 3])
        #expect(route.seconds == [Self.noon, Self.noon + 10])
        let track = try folder.reading(
            Self.track(Self.point("10", ""), around: places), as: "both.gpx")
        #expect(track.fixes.map(\.latitude) == [10])
        #expect(track.summary?.readings == ["gpx/location": 1])
        let planned = try folder.reading(
            "<gpx><rte><rtept lat='5' lon='6'/><rtept lat='7' lon='8'/></rte></gpx>",
            as: "planned.gpx")
        #expect(planned.fixes.map(\.longitude) == [6, 8])
    }

    @Test("reads altitude, geoid, satellites, kind of fix, speed and course, of GPX and of Garmin")
    func details() throws {
        let file = try TemporaryFolder().reading(
            Self.track(
                Self.point(
                    "10",
                    """
                    <ele>100.5</ele><geoidheight>47</geoidheight><fix>dgps</fix><sat>7</sat>
                    <hdop>0.9</hdop><vdop>1</vdop><pdop>1.3</pdop><extensions>
                    <gpxtpx:TrackPointExtension><gpxtpx:hr>150</gpxtpx:hr>
                    <gpxtpx:speed>3.5</gpxtpx:speed><gpxtpx:course>271.5</gpxtpx:course>
                    </gpxtpx:TrackPointExtension></extensions>
                    """)
                    + Self.point("11", "<course>12</course><speed>1.5</speed><fix>2d</fix>")
                    + Self.point("12", "<fix>none</fix>")),
            as: "garmin.gpx")
        let fixes = file.fixes
        try #require(fixes.count == 2)
        #expect(fixes[0].altitudeMSL == 100.5)
        #expect(fixes[0].altitudeEllipsoid == 147.5)
        #expect(fixes[0].satellitesUsed == 7)
        #expect(fixes[0].quality == .differential)
        #expect(fixes[0].fix == .threeDimensional)
        #expect(fixes[0].speed == 3.5)
        #expect(fixes[0].course == 271.5)
        #expect(fixes[1].speed == 1.5)
        #expect(fixes[1].course == 12)
        #expect(fixes[1].fix == .twoDimensional)
        #expect(file.damage.isEmpty)
    }

    @Test("every field of a fix comes back, its time in UTC")
    func roundTrip() throws {
        let utc: Int64 = 1_700_000_000_123_456_789
        let time = ReadingTime(
            SensorInstant(nanoseconds: utc),
            original: ClockTime(nanoseconds: utc, domain: .realtime))
        var recording = MemoryRecording(
            sensors: [
                RecordedSensor(
                    SensorDescriptor(id: "gpsd/\"<&>\"", kind: .location, name: "Receiver")),
                RecordedSensor(SensorDescriptor(id: "other", kind: .location, name: "Other")),
            ], metadata: RecordingMetadata(clock: .utc))
        recording.append(EveryReading.fix(time), of: "gpsd/\"<&>\"")
        recording.append(LocationFix(time: time, latitude: 90, longitude: -180), of: "other")
        recording.append(LocationFix(time: time, latitude: 1e-7, longitude: -1e-9), of: "other")
        let file = try TemporaryFolder().roundTrip(recording, as: "trip.gpx")
        #expect(file.damage.isEmpty)
        #expect(file.content.events.filter { $0.reading != nil } == recording.events)
        #expect(file.content.sensors.map(\.id) == recording.sensors.map(\.id))
        let again = try TemporaryFolder().roundTrip(file.content, as: "again.gpx")
        #expect(again.content == file.content)
    }

    @Test("boot time is written as UTC where the recording knows it, and else not at all")
    func bootTime() throws {
        let folder = try TemporaryFolder()
        var recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "l", kind: .location, name: "l"))])
        recording.append(
            LocationFix(time: ReadingTime(.now(5)), latitude: 1, longitude: 2), of: "l")
        #expect(try folder.roundTrip(recording, as: "boot.gpx").seconds == [nil])
        recording.metadata.clock.utcOffset = 1_700_000_000_000_000_000
        #expect(try folder.roundTrip(recording, as: "boot.gpx").seconds == [1_700_000_005])
    }

    @Test("a gap begins a new segment, and a new segment is a gap")
    func segments() throws {
        let folder = try TemporaryFolder()
        let inner = Self.point("1", "") + "</trkseg><trkseg>" + Self.point("2", "")
        let file = try folder.reading(Self.track(inner), as: "two.gpx")
        let gaps = file.content.events.filter { if case .gap = $0.content { true } else { false } }
        #expect(gaps.count == 1)
        let again = try folder.roundTrip(file.content, as: "again.gpx")
        #expect(again.content.events == file.content.events)
    }
}
