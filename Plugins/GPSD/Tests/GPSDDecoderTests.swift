import GPSDSpy
import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

/// What a decoder makes of a text, with the clock at the text's time.
struct Decoded {
    var fixes: [LocationFix] = []
    var satellites: [Satellites] = []
    var notes: [String] = []
    var rejected: [GPSDDecoder.Rejection: Int] = [:]

    init(_ text: String, cutAt cuts: [Int] = [], clock: any SensorClock = VirtualClock()) {
        var decoder = GPSDDecoder(clock: clock)
        let bytes = Array(text.utf8)
        var start = 0
        for end in cuts + [bytes.count] {
            take(decoder.decode(Array(bytes[start..<end]), arrivedAt: clock.now))
            start = end
        }
        take(decoder.finish(isFile: true))
        rejected = decoder.rejected
    }

    private mutating func take(_ outputs: [GPSDDecoder.Output]) {
        for output in outputs {
            switch output {
            case .location(let fix): fixes.append(fix)
            case .satellites(let list): satellites.append(list)
            case .complaint(let text), .diagnostic(let text): notes.append(text)
            default: break
            }
        }
    }
}

@Suite("gpsd decoder", .timeLimit(.minutes(1)))
struct GPSDDecoderTests {
    static let stream: String = {
        let satellites = (1...32).map {
            #"{"PRN":\#($0),"gnssid":0,"svid":\#($0),"az":\#($0 * 11).0,"el":\#($0 * 2).0,"ss":\#($0).0,"used":\#($0 % 2 == 0),"health":1}"#
        }
        return [
            GPSDLine.version, GPSDLine.devices("/dev/ttyACM0"), GPSDLine.watch,
            #"{"class":"SKY","device":"/dev/ttyACM0","hdop":0.8,"satellites":[\#(satellites.joined(separator: ","))]}"#,
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2024-01-01T12:00:00.000Z","lat":10.25,"lon":20.5,"altHAE":146.0,"speed":0.257}"#,
        ].map { $0 + "\r\n" }.joined()
    }()

    @Test(
        "reads a stream the same however it is cut (LOC-13)",
        arguments: [[], [1], [83], [700], [1448], [2896], Array(1..<stream.utf8.count)])
    func cutting(cuts: [Int]) {
        let decoded = Decoded(Self.stream, cutAt: cuts)
        #expect(decoded.fixes.map(\.latitude) == [10.25])
        #expect(decoded.satellites.first?.inView.count == 32)
        #expect(decoded.satellites.first?.usedCount == 16)
        #expect(decoded.rejected.isEmpty)
    }

    @Test("takes validity from the mode alone, and leaves bad lines out (LOC-14)")
    func validity() {
        let decoded = Decoded(
            """
            {"class":"TPV","mode":0}
            {"class":"TPV","device":"/dev/a","mode":1}
            {"class":"TPV","mode":1,"time":"2024-01-01T12:00:00.000Z","lat":10.0,"lon":20.0}
            {"class":"TPV","mode":2,"time":"2024-01-01T12:00:01.000Z","lat":10.25,"lon":20.5}
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:02.000Z","lat":0.0,"lon":0.0,"altHAE":12.0}
            {"class":"TPV","mode":3,"lat":10.25,"lon":20.5,"alt":100.0}
            {"class":"POLL","time":"2024-01-01T12:00:03.000Z","active":0,"tpv":[],"gst":[],"sky":[]}
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:04.000Z","lat":10.25,"lon":20.5,"alt":null,"speed":null}
            {"class":"NEWCLASS","x":1}
            {"class":"ERROR","message":"Unrecognized request"}
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:05.000Z","lat":NaN,"lon":20.5}
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:06.000Z","lat":10.26,"lon":20.51,"altHAE":146.0}
            """)
        #expect(decoded.fixes.map(\.latitude) == [10.25, 0, 10.25, 10.25, 10.26])
        #expect(decoded.fixes.map(\.altitudeEllipsoid) == [nil, 12, nil, nil, 146])
        #expect(decoded.fixes[0].fix == .twoDimensional)
        #expect(decoded.fixes[2].time.original == nil)
        #expect(decoded.fixes[2].time.source == .arrival)
        #expect(decoded.rejected == [.syntax: 1])
        #expect(decoded.notes.contains("Unrecognized request"))
    }

    @Test(
        "keeps the two altitudes apart (LOC-15)",
        arguments: [
            (#""altHAE":146.0"#, 146.0, nil), (#""altHAE":146.0,"altMSL":106.2"#, 146.0, 106.2),
            (#""alt":106.2"#, nil, 106.2), (#""altHAE":146.0,"geoidSep":39.8"#, 146.0, 106.2),
        ] as [(String, Double?, Double?)])
    func altitudes(members: String, ellipsoid: Double?, sea: Double?) throws {
        let fix = try #require(
            Decoded(#"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0,\#(members)}"# + "\n").fixes.first
        )
        #expect(fix.altitudeEllipsoid == ellipsoid)
        #expect((fix.altitudeMSL.map { ($0 * 10).rounded() / 10 }) == sea)
    }

    @Test("goes on after broken lines and sentences amid the JSON (LOC-19)")
    func broken() {
        let decoded = Decoded(
            """
            {"class":"SKY","satellites":[{"PRN":1,"el":10,"az":20,"ss":30,"used":true},]}
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:00.000Z","lat":10.25,"lon":20.5}
            {"class":"TPV","mode":3,"lat":10.25
            $GPGGA,120000.00,,,,,0,00,99.99,,,,,,*65
            {"class":"TPV","mode":3,"time":"2024-01-01T12:00:01.000Z","lat":10.25,"lon":20.5}

            """)
        let times = decoded.fixes.compactMap(\.time.utcNanoseconds)
        #expect(times == [1_704_110_400_000_000_000, 1_704_110_401_000_000_000])
        #expect(decoded.rejected == [.syntax: 1, .truncated: 1, .nmea: 1])
    }

    @Test("makes one fix of the reports of one epoch, the early ones without altitude included")
    func epochs() {
        let decoded = Decoded(
            """
            {"class":"TPV","device":"/dev/a","mode":2,"time":"2024-01-01T12:00:00.000Z","lat":10.1,"lon":20.1,"speed":3.0}
            {"class":"TPV","device":"/dev/a","mode":3,"time":"2024-01-01T12:00:00.000Z","lat":10.25,"lon":20.5,"altMSL":5.0}
            {"class":"TPV","device":"/dev/a","mode":2,"time":"2024-01-01T12:00:00.000Z","lat":10.2,"lon":20.2,"track":90.0}
            {"class":"GST","device":"/dev/a","time":"2024-01-01T12:00:00.000Z","lat":3.0,"lon":4.0,"alt":6.0}
            {"class":"TPV","device":"/dev/a","mode":3,"time":"2024-01-01T12:00:01.000Z","lat":10.3,"lon":20.6}
            """)
        #expect(decoded.fixes.count == 2)
        let fix = decoded.fixes[0]
        #expect(fix.latitude == 10.25 && fix.altitudeMSL == 5 && fix.speed == 3 && fix.course == 90)
        #expect(fix.horizontalAccuracy == Accuracy(5, .drms))
        #expect(fix.verticalAccuracy == Accuracy(6, .sixtyEightPercent))
    }

    @Test("does not mix receivers, and takes another when the first has no position for 10 s")
    func receivers() {
        let clock = VirtualClock()
        var decoder = GPSDDecoder(clock: clock)
        func feed(_ device: String, _ latitude: Double, at second: Int) -> Int {
            let line = GPSDLine.position(latitude: latitude, longitude: 0, device: device) + "\n"
            let at = clock.now.advanced(by: .seconds(second))
            return decoder.decode(Array(line.utf8), arrivedAt: at)
                .filter { if case .location = $0 { true } else { false } }.count
        }
        #expect(feed("/dev/a", 1, at: 0) == 1)
        #expect(feed("/dev/b", 2, at: 1) == 0)
        #expect(feed("/dev/b", 2, at: 9) == 0)
        #expect(feed("/dev/b", 2, at: 10) == 1)
        #expect(feed("/dev/a", 1, at: 11) == 0)
        #expect(decoder.foreign == 3)
    }

    @Test("stamps a log of 2018 on arrival, keeps its UTC, and says so once")
    func oldLog() {
        let decoded = Decoded(
            """
            {"class":"TPV","mode":3,"time":"2018-03-17T18:15:35.000Z","lat":1.0,"lon":2.0}
            {"class":"TPV","mode":3,"time":"2018-03-17T18:15:36.000Z","lat":1.0,"lon":2.0}

            """)
        #expect(decoded.fixes.map(\.time.source) == [.arrival, .arrival])
        #expect(decoded.fixes[0].time.utcNanoseconds == 1_521_310_535_000_000_000)
        #expect(decoded.notes.count == 1)
    }

    @Test("trusts a receiver's time with its third 3D fix")
    func trust() {
        let lines = (0..<4).map { tenth in
            #"{"class":"TPV","mode":3,"time":"2026-01-01T00:00:00.\#(tenth)00Z","lat":1.0,"lon":2.0}"#
        }
        let decoded = Decoded(lines.joined(separator: "\n") + "\n")
        #expect(
            decoded.fixes.map { $0.flags.contains(.untrustedTime) } == [true, true, false, false])
        #expect(decoded.fixes.map(\.time.source).allSatisfy { $0 == .device })
    }

    @Test("counts a line that is longer than any report, and reads the next")
    func overlong() {
        let line = #"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0}"#
        let decoded = Decoded("{" + String(repeating: "x", count: 300_000) + "\n" + line + "\n")
        #expect(decoded.rejected == [.overlong: 1])
        #expect(decoded.fixes.count == 1)
    }

    @Test("bears every single-byte change of a real report, and every cut")
    func mutations() {
        let line = Array(
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-01-01T12:00:00.000Z","lat":-10.25e1,"alt":[{"a":null}],"lon":20.5}"#
                .utf8)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var changed = line
            changed[Int.random(in: 0..<line.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            let cut = Int.random(in: 0...line.count, using: &random)
            _ = Decoded(String(decoding: changed, as: UTF8.self) + "\n", cutAt: [cut])
        }
        for end in 0...line.count {
            _ = Decoded(String(decoding: line[..<end], as: UTF8.self) + "\n")
        }
        let deep = String(repeating: "[", count: 10_000)
        #expect(Decoded(#"{"class":"X","x":"# + deep + "\n").rejected.count == 1)
    }
}

@Suite("gpsd scanner")
struct JSONScannerTests {
    @Test(
        "reads numbers exactly as the standard library does",
        arguments: [
            "0", "-0", "1", "-1.5", "10.25", "48.1234567891", "1e3", "1.5E-7", "123456789012345678",
            "1234567890123456789012", "0.1", "3.14159265358979323846", "9007199254740993", "1e22",
            "1e23", "4.9e-324", "179.99999999999997", "-122.41941550000001",
        ])
    func numbers(text: String) throws {
        var scanner = Array(text.utf8).withUnsafeBufferPointer { bytes in
            JSONScanner(UnsafeBufferPointer(start: strdup(bytes), count: bytes.count))
        }
        #expect(try scanner.number() == Double(text))
    }

    /// A copy that outlives the call, for a test.
    private func strdup(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        for (place, byte) in bytes.enumerated() { copy[place] = byte }
        return UnsafePointer(copy)
    }

    @Test(
        "reads UTC stamps",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2018-03-17T18:15:35.000Z", 1_521_310_535_000_000_000),
            ("2000-02-29T23:59:59.123456789Z", 951_868_799_123_456_789),
            ("2016-12-31T23:59:60.5Z", 1_483_228_800_500_000_000),
            ("1969-12-31T23:59:59.500Z", -500_000_000),
            ("2018-13-17T18:15:35.000Z", nil), ("2018-02-29T18:15:35Z", nil),
            ("2018-03-17T24:15:35.000Z", nil), ("2018-03-17T18:15:35.000", nil),
            ("2018-03-17T18:15:35.Z", nil), ("", nil),
        ] as [(String, Int64?)])
    func stamps(text: String, nanoseconds: Int64?) {
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBufferPointer { UTCStamp.nanoseconds($0) } == nanoseconds)
    }

    @Test("makes the stamps that it reads", arguments: [0, 951_868_799_123, 1_521_310_535_000])
    func roundTrip(milliseconds: Int64) {
        let line = GPSDLine.position(latitude: 0, longitude: 0, utc: milliseconds * 1_000_000)
        #expect(Decoded(line + "\n").fixes.first?.time.utcNanoseconds == milliseconds * 1_000_000)
    }
}
