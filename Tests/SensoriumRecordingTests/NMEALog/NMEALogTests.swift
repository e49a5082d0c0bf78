import Glibc
import NMEAPlugin
import Sensorium
import SensoriumRecording
import Testing

@Suite("NMEA log", .timeLimit(.minutes(1)))
struct NMEALogTests {
    /// 2024-01-01T00:00:00Z.
    private static let newYear = 1_704_067_200.0

    private static func log(_ bodies: String...) -> String {
        bodies.map { NMEAEncoder.sentence($0) + "\r\n" }.joined()
    }

    private static func rmc(_ time: String, _ date: String = "010124") -> String {
        "GPRMC,\(time),A,1015.25,N,02030.5,E,10.0,90.0,\(date),,,A"
    }

    private static func gga(_ time: String, altitude: String = "100.0") -> String {
        "GPGGA,\(time),1015.25,N,02030.5,E,1,08,0.9,\(altitude),M,47.0,M,,"
    }

    @Test("gives one fix for each time, on UTC, whatever the name of the file")
    func fixes() throws {
        let file = try TemporaryFolder().reading(
            "logger started\r\n"
                + Self.log(
                    Self.rmc("120000.00"), Self.gga("120000.00"), Self.rmc("120001.50"),
                    Self.gga("120001.50")), as: "log.txt")
        #expect(file.format == "nmea")
        #expect(file.seconds == [Self.newYear + 43_200, Self.newYear + 43_201.5])
        #expect(file.fixes.map(\.altitudeMSL) == [100, 100])
        #expect(file.content.metadata.clock == .utc)
        #expect(file.content.sensors.map(\.id) == ["nmea/location"])
        #expect(file.damage.isEmpty)
        #expect(file.summary?.start == SensorInstant(nanoseconds: 1_704_110_400_000_000_000))
    }

    @Test("LOC-01: a midnight makes one new day, in sentences with a date and without")
    func midnight() throws {
        let file = try TemporaryFolder().reading(
            Self.log(
                Self.gga("235901"), Self.rmc("235901"), Self.gga("000001"),
                Self.rmc("000001", "020124"), Self.gga("000101"), Self.rmc("000101", "020124")),
            as: "midnight.nmea")
        #expect(file.seconds == [-59, 1, 61].map { Self.newYear + 86_400 + $0 })
    }

    @Test("a log without dates is of the day on which its file was last changed, and says so")
    func undated() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Array(Self.log(Self.gga("235959"), Self.gga("000001"), Self.gga("000003")).utf8),
            as: "undated.nmea")
        var times = [timespec(tv_sec: 1_704_067_203, tv_nsec: 0)]
        times.append(times[0])
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        let file = try RecordingFile(path)
        #expect(file.seconds == [-1, 1, 3].map { Self.newYear + $0 })
        #expect(file.fixes.allSatisfy { $0.flags.contains(.untrustedTime) })
        #expect(file.summary?.start?.nanoseconds == 1_704_067_199_000_000_000)
    }

    @Test("what comes before the first date is of the day of that date")
    func lateDate() throws {
        let file = try TemporaryFolder().reading(
            Self.log(Self.gga("120000"), Self.gga("120001"), Self.rmc("120002")),
            as: "late.nmea")
        #expect(file.seconds == [0, 1, 2].map { Self.newYear + 43_200 + $0 })
        #expect(file.fixes.map { $0.flags.contains(.untrustedTime) } == [true, true, false])
    }

    @Test("headings have no time of their own, and get one between the times around them")
    func headings() throws {
        let file = try TemporaryFolder().reading(
            Self.log(
                "HEHDT,10.0,T", Self.rmc("120000"), "HEHDT,20.0,T", "HEHDT,30.0,T",
                Self.rmc("120001"), "HEHDT,40.0,T", Self.rmc("120002")), as: "heading.nmea")
        let headings = file.content.events.filter { $0.reading?.kind == .heading }
        #expect(
            headings.compactMap { $0.reading.flatMap(Heading.init)?.trueNorth } == [10, 20, 30, 40])
        let noon = Self.newYear + 43_200
        #expect(
            headings.map { $0.instant.map { Double($0.nanoseconds) / 1e9 } }
                == [nil, nil, nil, noon + 1])
        #expect(file.fixes.count == 3)
    }

    @Test("tells of lost and found fixes as a status")
    func noFix() throws {
        let file = try TemporaryFolder().reading(
            Self.log(
                Self.rmc("120000"), "GPRMC,120001,V,,,,,,,010124,,,N",
                "GPRMC,120002,V,,,,,,,010124,,,N", Self.rmc("120003")), as: "tunnel.nmea")
        let states = file.content.events.compactMap { event -> SensorStatus.State? in
            if case .status(let status) = event.content { status.state } else { nil }
        }
        #expect(states == [.searching, .running])
        #expect(file.fixes.count == 2)
    }

    @Test("reads a log without checksums; beside sentences with one, those without are left out")
    func checksums() throws {
        let folder = try TemporaryFolder()
        let bare = "$\(Self.rmc("120000"))\r\n$\(Self.rmc("120001"))\r\n"
        let file = try folder.reading(bare, as: "bare.nmea")
        #expect(file.fixes.count == 2)
        #expect(file.damage.isEmpty)
        #expect(file.damage.notes == ["its sentences have no checksums"])
        let mixed = try folder.reading(Self.log(Self.rmc("115900")) + bare, as: "mixed.nmea")
        #expect(mixed.fixes.count == 1)
        #expect(mixed.damage.skippedRecords == 2)
    }

    @Test("LOC-06: counts what is corrupt, and keeps what is not")
    func corrupt() throws {
        let good = Self.log(Self.rmc("120000"), Self.rmc("120001"))
        let file = try TemporaryFolder().reading(
            good + "$GPRMC,120002,A,1q15.25,N*00\r\n$\r\n$GPGGA\r\n"
                + Self.log("GPRMC,120003,A,1015.25"), as: "corrupt.nmea")
        #expect(file.fixes.count == 2)
        #expect(file.damage.skippedRecords == 4)
    }

    @Test("says that a file of other sentences has no readings")
    func other() throws {
        let error = recordingError {
            _ = try TemporaryFolder().reading("hello\r\n", as: "other.nmea")
        }
        #expect(error?.condition == .malformed)
    }

    @Test("a log longer than a piece of the file gives every fix once, from anywhere in it")
    func long() throws {
        let text = (0..<3000).map { second -> String in
            let (minute, rest) = (second / 60, second % 60)
            let time = "12\(minute / 10)\(minute % 10)\(rest / 10)\(rest % 10)"
            return Self.log(Self.rmc(time), Self.gga(time, altitude: "\(second)"))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(text.joined().utf8), as: "long.nmea")
        let file = try RecordingFile(path)
        #expect(file.fixes.map(\.altitudeMSL) == (0..<3000).map { Double($0) })
        let reader = try RecordingFormat.open(path)
        try reader.seek(to: SensorInstant(nanoseconds: 1_704_110_400_000_000_000).after(2000))
        let fix = try #require(try reader.next()?.reading.flatMap(LocationFix.init))
        #expect(fix.altitudeMSL == 2000)
    }
}

@Suite("NMEA log writer", .timeLimit(.minutes(1)))
struct NMEALogWriterTests {
    private static func time(_ seconds: Double) -> ReadingTime {
        let utc = Int64(1_704_110_400_000_000_000) + Int64(seconds * 1e9)
        return ReadingTime(
            SensorInstant(nanoseconds: utc),
            original: ClockTime(nanoseconds: utc, domain: .realtime))
    }

    private static func fix(_ seconds: Double) -> LocationFix {
        LocationFix(
            time: time(seconds), latitude: -10.254_166_666, longitude: 20.508_333_333,
            altitudeMSL: 100.25, altitudeEllipsoid: 147.5,
            horizontalAccuracy: Accuracy(1.5, .drms),
            verticalAccuracy: Accuracy(2.5, .sixtyEightPercent), speed: 5.1, course: 271.25,
            fix: .twoDimensional, quality: .differential, satellitesUsed: 2)
    }

    private static func sky(_ seconds: Double) -> Satellites {
        Satellites(
            time: time(seconds),
            inView: [
                Satellite(
                    system: .gps, number: 7, elevation: 45, azimuth: 120, signal: 33, isUsed: true),
                Satellite(
                    system: .glonass, number: 3, elevation: 5, azimuth: 300, signal: 20,
                    isUsed: true),
                Satellite(
                    system: .galileo, number: 30, elevation: 60, azimuth: 10, isUsed: false),
            ], dilution: Satellites.Dilution(horizontal: 0.9, vertical: 1.2, position: 1.5))
    }

    private static var empty: MemoryRecording {
        MemoryRecording(
            sensors: [SensorKind.location, .satellites, .heading].map {
                RecordedSensor(
                    SensorDescriptor(id: SensorID("r/\($0.name)"), kind: $0, name: $0.name))
            }, metadata: RecordingMetadata(clock: .utc))
    }

    @Test(
        "positions, satellites and headings come back, satellites at their own time",
        arguments: [
            // By tenths of seconds: fixes; satellites before, at and after their time.
            ([0, 10, 20], [10, 20]), ([0, 10], [0, 5, 12, 15]), ([], [3, 4]), ([0, 1, 2], []),
        ])
    func roundTrip(fixes: [Int], skies: [Int]) throws {
        for skyFirst in [true, false] {
            var recording = Self.empty
            for tick in 0..<30 {
                let second = Double(tick) / 10
                if skyFirst, skies.contains(tick) {
                    recording.append(Self.sky(second), of: "r/satellites")
                }
                if fixes.contains(tick) { recording.append(Self.fix(second), of: "r/location") }
                if !skyFirst, skies.contains(tick) {
                    recording.append(Self.sky(second), of: "r/satellites")
                }
            }
            let file = try TemporaryFolder().roundTrip(recording, as: "trip.nmea")
            #expect(file.damage.isEmpty, "\(file.damage.notes)")
            #expect(file.readings(Satellites.self) == skies.map { Self.sky(Double($0) / 10) })
            try #require(file.fixes.count == fixes.count)
            for (read, tick) in zip(file.fixes, fixes) { check(read, Self.fix(Double(tick) / 10)) }
        }
    }

    private func check(_ read: LocationFix, _ written: LocationFix) {
        func isNear(_ a: Double?, _ b: Double?, _ limit: Double) -> Bool {
            guard let a, let b else { return a == nil && b == nil }
            return abs(a - b) <= limit
        }
        #expect(read.time == written.time)
        #expect(isNear(read.latitude, written.latitude, 1e-9))
        #expect(isNear(read.longitude, written.longitude, 1e-9))
        #expect(isNear(read.altitudeMSL, written.altitudeMSL, 1e-4))
        #expect(isNear(read.altitudeEllipsoid, written.altitudeEllipsoid, 1e-4))
        #expect(isNear(read.speed, written.speed, 1e-4))
        #expect(isNear(read.course, written.course, 1e-4))
        #expect(isNear(read.horizontalAccuracy?.value, written.horizontalAccuracy?.value, 1e-3))
        #expect(read.horizontalAccuracy?.confidence == written.horizontalAccuracy?.confidence)
        #expect(read.verticalAccuracy == written.verticalAccuracy)
        #expect(read.fix == written.fix)
        #expect(read.quality == written.quality)
        #expect(read.satellitesUsed == written.satellitesUsed)
    }

    @Test("writes a heading, a lost fix, and a checksum that is right")
    func others() throws {
        let folder = try TemporaryFolder()
        var recording = Self.empty
        recording.append(Self.fix(0), of: "r/location")
        if let heading = Heading(
            time: Self.time(0.5), trueNorth: 93.5, magneticNorth: 90.25, declination: 3.25)
        {
            recording.append(heading, of: "r/heading")
        }
        recording.events.append(
            RecordedEvent(
                sensor: "r/location", instant: Self.time(1).instant,
                content: .status(SensorStatus(.searching))))
        recording.append(Self.fix(2), of: "r/location")
        let file = try folder.roundTrip(recording, as: "other.nmea")
        #expect(file.damage.isEmpty)
        let heading = try #require(file.readings(Heading.self).first)
        #expect(heading.trueNorth == 93.5)
        #expect(heading.declination == 3.25)
        #expect(file.content.events.contains { $0.content == .status(SensorStatus(.running)) })
        let text = String(decoding: try folder.read("other.nmea"), as: UTF8.self)
        #expect(text.contains("$GNRMC,120001.00,V,,,,,,,010124,,,N*"))
    }

    @Test("holds one receiver, and says so")
    func twoReceivers() throws {
        let folder = try TemporaryFolder()
        var recording = Self.empty
        recording.sensors.append(
            RecordedSensor(SensorDescriptor(id: "s/location", kind: .location, name: "second")))
        let error = recordingError { _ = try folder.roundTrip(recording, as: "two.nmea") }
        #expect(error?.condition == .unsupported)
        #expect(error?.reason.contains("r/location") == true)
    }
}
