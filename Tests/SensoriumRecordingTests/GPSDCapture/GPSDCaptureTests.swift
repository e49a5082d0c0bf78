import Sensorium
import SensoriumRecording
import Testing

@Suite("gpsd capture", .timeLimit(.minutes(1)))
struct GPSDCaptureTests {
    private static let head =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        + "\r\n" + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS1"}]}"#
        + "\r\n"

    private static func tpv(_ second: Int, mode: Int = 3, _ rest: String = "") -> String {
        let time =
            "2024-01-01T12:\(second / 600)\(second / 60 % 10):\(second / 10 % 6)\(second % 10).000Z"
        return #"{"class":"TPV","device":"/dev/ttyS1","mode":\#(mode),"time":"\#(time)","#
            + #""lat":10.25,"lon":20.5,"altHAE":\#(second).5\#(rest)}"# + "\r\n"
    }

    private static let noon = 1_704_110_400.0

    @Test("gives fixes, satellites and attitudes on UTC, and what gpsd wrote it")
    func readings() throws {
        let sky =
            #"{"class":"SKY","device":"/dev/ttyS1","time":"2024-01-01T12:00:00.000Z","hdop":0.9,"#
            + #""satellites":[{"PRN":7,"el":45.0,"az":120.0,"ss":33.0,"used":true}]}"# + "\r\n"
        let attitude =
            #"{"class":"ATT","device":"/dev/ttyS2","time":"2024-01-01T12:00:01.500Z","#
            + #""heading":90.0,"pitch":1.0,"roll":2.0}"# + "\r\n"
        let file = try TemporaryFolder().reading(
            Self.head + sky + Self.tpv(0) + Self.tpv(1) + attitude + Self.tpv(2), as: "capture.txt")
        #expect(file.format == "gpsd")
        #expect(file.fixes.map(\.altitudeEllipsoid) == [0.5, 1.5, 2.5])
        #expect(file.fixes.map { $0.time.instant.nanoseconds % 1_000_000_000 } == [0, 0, 0])
        #expect(file.readings(Satellites.self).map(\.usedCount) == [1])
        #expect(file.readings(Heading.self).map(\.trueNorth) == [90])
        #expect(file.readings(Attitude.self).count == 1)
        #expect(file.content.metadata.writer == "gpsd 3.22")
        #expect(
            file.content.sensors.map(\.id)
                == ["gpsd/location", "gpsd/satellites", "gpsd/heading", "gpsd/attitude"])
        #expect(file.damage.isEmpty)
    }

    @Test(
        "leaves out the times that gpspipe -t and -T put before each line",
        arguments: ["2024-01-01T12:00:07.123456: ", "1704110407.5: ", "Mon Jan  1 12:00:07 2024: "])
    func prefixed(prefix: String) throws {
        let lines = (Self.head + Self.tpv(0) + Self.tpv(1)).split(separator: "\r\n")
        let text = lines.map { "\(prefix)\($0)\n" }.joined()
        let file = try TemporaryFolder().reading(text, as: "stamped.txt")
        #expect(file.seconds == [Self.noon, Self.noon + 1])
        #expect(file.damage.isEmpty)
    }

    @Test("a fix without a time lies between its neighbours, and says so")
    func withoutTime() throws {
        let bare =
            #"{"class":"TPV","device":"/dev/ttyS1","mode":2,"lat":11.0,"lon":20.5}"# + "\r\n"
        let file = try TemporaryFolder().reading(
            Self.head + Self.tpv(0) + Self.tpv(1) + bare + bare + Self.tpv(3), as: "bare.json")
        let middle = file.fixes.filter { $0.latitude == 11 }
        #expect(middle.count == 2)
        #expect(middle.allSatisfy { $0.flags.contains(.untrustedTime) && $0.time.original == nil })
        #expect(file.seconds == file.seconds.sorted { ($0 ?? 0) < ($1 ?? 0) })
    }

    @Test("LOC-14: nothing of a report without a fix is a position")
    func noFix() throws {
        let file = try TemporaryFolder().reading(
            Self.head + Self.tpv(0) + Self.tpv(1, mode: 1) + Self.tpv(2, mode: 0) + Self.tpv(3),
            as: "nofix.json")
        #expect(file.seconds == [Self.noon, Self.noon + 3])
        let states = file.content.events.compactMap { event -> SensorStatus.State? in
            if case .status(let status) = event.content { status.state } else { nil }
        }
        #expect(states == [.searching, .running])
    }

    @Test("LOC-19: counts bad lines, passes over sentences, and keeps the good reports")
    func badLines() throws {
        let file = try TemporaryFolder().reading(
            Self.head + Self.tpv(0) + "{\"class\":\"TPV\",\"mode\":3,\"la\r\n"
                + "$GPGGA,120000,,,,,0,00,99.99,,,,,,*65\r\nnoise\r\n" + Self.tpv(1),
            as: "bad.json")
        #expect(file.seconds == [Self.noon, Self.noon + 1])
        #expect(file.damage.skippedRecords == 2)
        #expect(file.damage.notes.contains("1 lines left out: nmea"))
    }

    @Test("a capture longer than a piece of the file gives every fix once")
    func long() throws {
        let text = Self.head + (0..<2000).map { Self.tpv($0) }.joined()
        let file = try TemporaryFolder().reading(text, as: "long.json")
        #expect(file.fixes.map(\.altitudeEllipsoid) == (0..<2000).map { Double($0) + 0.5 })
        #expect(file.seconds == (0..<2000).map { Self.noon + Double($0) })
    }

    @Test("says that other JSON is no capture")
    func other() throws {
        let error = recordingError {
            _ = try TemporaryFolder().reading("[{\"a\": 1}]\n", as: "other.json")
        }
        #expect(error?.condition == .malformed)
    }
}
