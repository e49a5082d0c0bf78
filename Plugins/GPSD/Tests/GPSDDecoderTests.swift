import GPSDSpy
import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

/// The cases that clients of gpsd have met, each with its right answer.
@Suite("gpsd decoder", .timeLimit(.minutes(1)))
struct GPSDDecoderTests {
    let clock = VirtualClock()

    // MARK: Framing

    @Test("gives the same wherever the network cuts the bytes (LOC-13)")
    func cuts() {
        let bytes = Lines.bytes([
            Lines.version, Lines.devices, Lines.watch, Lines.sky(0, count: 32), Lines.fix(0),
        ])
        #expect(bytes.count > 2500)
        let inSky = bytes.count - 700
        let beforeLineFeed = bytes.count - 1
        for cuts in [
            [], [1], [83], [700], [1448], [inSky], [beforeLineFeed], Array(1..<bytes.count),
        ] {
            let decoded = Decoded(bytes, cuts: cuts, clock: clock)
            #expect(decoded.releases == ["3.25"])
            #expect(decoded.satellites.map(\.inView.count) == [32])
            #expect(decoded.fixes.map(\.latitude) == [10.25])
            #expect(decoded.rejectedCount == 0)
        }
    }

    @Test("forgets half a line when the connection breaks")
    func halfLine() {
        let sky = Lines.bytes([Lines.sky(0, count: 32)])
        var decoder = GPSDDecoder(clock: clock)
        var decoded = Decoded()
        decoded.add(decoder.decode(Array(sky.prefix(1000)), arrivedAt: clock.now))
        decoded.add(decoder.finish())
        decoded.add(
            decoder.decode(Lines.bytes([Lines.version, Lines.fix(0)]), arrivedAt: clock.now))
        decoded.add(decoder.finish())
        #expect(decoded.releases == ["3.25"])
        #expect(decoded.fixes.count == 1)
        #expect(decoded.satellites.isEmpty)
        #expect(decoder.rejected.isEmpty)
    }

    @Test("skips bad lines and NMEA between good ones, and counts them (LOC-19)")
    func badLines() {
        let decoded = Decoded(
            [
                Lines.version,
                #"{"class":"SKY","satellites":[{"PRN":1,"el":10,"az":20,"ss":30,"used":true},]}"#,
                Lines.fix(0), #"{"class":"TPV","mode":3,"lat":10.25"#,
                "$GPGGA,120000.00,,,,,0,00,99.99,,,,,,*65", "!AIVDM,1,1,,A,x,0*00", "garbage",
                #"{"class":"TPV"}{"class":"TPV"}"#, Lines.fix(1),
            ], clock: clock)
        #expect(decoded.fixes.compactMap(\.time.utcNanoseconds) == [utc(0), utc(1)])
        #expect(decoded.satellites.isEmpty)
        #expect(decoded.rejected == [.syntax: 2, .truncated: 1, .nmea: 2, .noise: 1])
    }

    @Test("counts a line that is longer than any report, and goes on")
    func overlong() {
        let decoded = Decoded(
            [Lines.fix(0), #"{"x":""# + String(repeating: "x", count: 300_000), Lines.fix(1)],
            clock: clock)
        #expect(decoded.fixes.count == 2)
        #expect(decoded.rejected == [.overlong: 1])
    }

    // MARK: Members that are missing or odd

    @Test("gives positions of modes 2 and 3, and nothing else (LOC-14)")
    func modes() throws {
        func line(_ body: String) -> String { #"{"class":"TPV",\#(body)}"# }
        func at(_ second: Int) -> String { #""time":"\#(Lines.time(second))""# }
        let decoded = Decoded(
            [
                line(#""mode":0"#), line(#""device":"/dev/ttyACM0","mode":1"#),
                line(#""mode":1,\#(at(0)),"lat":10.0,"lon":20.0"#),
                line(#""mode":2,\#(at(1)),"lat":10.25,"lon":20.5"#),
                line(#""mode":3,\#(at(2)),"lat":0.0,"lon":0.0,"altHAE":12.0"#),
                line(#""mode":3,"lat":10.25,"lon":20.5,"alt":100.0"#),
                #"{"class":"POLL",\#(at(3)),"active":0,"tpv":[],"gst":[],"sky":[]}"#,
                line(#""mode":3,\#(at(4)),"lat":10.25,"lon":20.5,"alt":null,"speed":null"#),
                #"{"class":"NEWCLASS","x":1}"#,
                #"{"class":"ERROR","message":"Unrecognized request"}"#,
                line(#""mode":3,\#(at(5)),"lat":NaN,"lon":20.5"#), line(#""mode":3,"lat":1"#),
                line(#""lat":10.25,"lon":20.5"#),
                line(#""mode":3,\#(at(6)),"lat":10.26,"lon":20.51,"altHAE":146.0"#),
            ], clock: clock)
        try #require(decoded.fixes.count == 5)
        #expect(decoded.fixes.map(\.latitude) == [10.25, 0, 10.25, 10.25, 10.26])
        #expect(decoded.fixes.map(\.longitude) == [20.5, 0, 20.5, 20.5, 20.51])
        #expect(decoded.fixes.map(\.altitudeEllipsoid) == [nil, 12, nil, nil, 146])
        #expect(decoded.fixes.map(\.altitudeMSL) == [nil, nil, 100, nil, nil])
        #expect(decoded.fixes[0].fix == .twoDimensional)
        #expect(decoded.fixes[2].time.source == .arrival)
        #expect(decoded.fixes[2].time.original == nil)
        // On arrival, but not before the fix that the receiver dated ahead of this host's clock.
        #expect(decoded.fixes[2].time.instant == decoded.fixes[1].time.instant)
        #expect(decoded.fixes[3].speed == nil)
        #expect(decoded.complaints == ["Unrecognized request"])
        #expect(decoded.rejected == [.syntax: 1])
        #expect(decoded.noFixCount == 5)
    }

    @Test("keeps the two altitudes apart, over all releases (LOC-15)")
    func altitudes() {
        let decoded = Decoded(
            [
                Lines.fix(0, extra: #","altHAE":146.0"#),
                Lines.fix(1, extra: #","altHAE":146.0,"altMSL":106.2"#),
                Lines.fix(2, extra: #","alt":106.2"#),
                Lines.fix(3, extra: #","altHAE":146.0,"geoidSep":39.8"#),
                Lines.fix(4, extra: #","alt":1.0,"altMSL":106.2"#),
            ], clock: clock)
        #expect(decoded.fixes.map(\.altitudeEllipsoid) == [146, 146, nil, 146, nil])
        let heights = decoded.fixes.map { $0.altitudeMSL.map { ($0 * 10).rounded() / 10 } }
        #expect(heights == [nil, 106.2, 106.2, 106.2, 106.2])
    }

    @Test(
        "takes quality from status, and validity from mode alone",
        arguments: [
            (nil, FixQuality.unknown), (2, .differential), (3, .rtkFixed), (4, .rtkFloat),
            (5, .deadReckoning), (6, .combined), (7, .surveyed), (8, .simulated), (9, .precise),
            (99, .unknown),
        ] as [(Int?, FixQuality)])
    func quality(status: Int?, expected: FixQuality) throws {
        let extra = status.map { #","status":\#($0)"# } ?? ""
        let decoded = Decoded([Lines.fix(0, extra: extra)], clock: clock)
        let fix = try #require(decoded.fixes.first)
        #expect(fix.quality == expected)
        #expect(fix.isSimulated == (expected == .simulated))
        let withoutFix = Decoded([Lines.fix(0, mode: 1, extra: extra)], clock: clock)
        #expect(withoutFix.fixes.isEmpty)
    }

    @Test(
        "refuses a position that is not on the Earth",
        arguments: [
            (90.1, 0.0), (-91, 0), (0, 180.5), (0, -1e300),
        ])
    func offTheEarth(latitude: Double, longitude: Double) {
        let decoded = Decoded(
            [Lines.fix(0, latitude: latitude, longitude: longitude), Lines.fix(1)], clock: clock)
        #expect(decoded.fixes.map(\.latitude) == [10.25])
        #expect(decoded.rejected == [.implausible: 1])
    }

    @Test("takes members in any order, the class last too")
    func order() {
        let line = #"{"lon":20.5,"mode":3,"lat":10.25,"time":"\#(Lines.time(0))","class":"TPV"}"#
        let decoded = Decoded([line], clock: clock)
        #expect(decoded.fixes.map(\.longitude) == [20.5])
    }

    @Test("steps over numbers and nests that it does not need")
    func unneeded() {
        let decoded = Decoded(
            [
                #"{"class":"RTCM3","MaskSat":18446744073709551615,"a":[[1,{"b":[true,null]}]]}"#,
                Lines.fix(0, extra: #","deep":{"a":[1,2,{"b":"]}"}]},"big":123456789012345678901"#),
            ], clock: clock)
        #expect(decoded.fixes.count == 1)
        #expect(decoded.rejectedCount == 0)
        #expect(decoded.skipped == 1)
    }

    @Test("says that accuracy is of unknown confidence, unless a GST tells standard deviations")
    func accuracy() throws {
        let noise =
            #"{"class":"GST","device":"/dev/ttyUSB0","time":"\#(Lines.time(1))","#
            + #""rms":1.0,"lat":3.0,"lon":4.0,"alt":7.0}"#
        let errors = #","altHAE":1,"eph":9.5,"epv":12.5,"eps":0.5,"epd":3.5"#
        let decoded = Decoded(
            [
                Lines.fix(0, extra: errors), Lines.fix(1, extra: errors), noise,
                Lines.fix(2, extra: #","epx":3.0,"epy":4.0"#),
            ], clock: clock)
        try #require(decoded.fixes.count == 3)
        #expect(decoded.fixes[0].horizontalAccuracy == Accuracy(9.5, .unspecified))
        #expect(decoded.fixes[0].verticalAccuracy == Accuracy(12.5, .unspecified))
        #expect(decoded.fixes[0].speedAccuracy == Accuracy(0.5, .unspecified))
        #expect(decoded.fixes[0].courseAccuracy == Accuracy(3.5, .unspecified))
        #expect(decoded.fixes[1].horizontalAccuracy == Accuracy(5, .drms))
        #expect(decoded.fixes[1].verticalAccuracy == Accuracy(7, .sixtyEightPercent))
        #expect(decoded.fixes[2].horizontalAccuracy == Accuracy(5, .unspecified))
    }

    @Test(
        "reads the lines that the spies write", arguments: [0, 951_868_799_123, 1_521_310_535_000])
    func spyLines(milliseconds: Int64) {
        let line = GPSDLine.position(
            latitude: -1.5, longitude: 2, altitude: 3, speed: 4, utc: milliseconds * 1_000_000)
        let fix = Decoded([line], clock: clock).fixes.first
        #expect(fix?.latitude == -1.5 && fix?.altitudeMSL == 3 && fix?.speed == 4)
        #expect(fix?.time.utcNanoseconds == milliseconds * 1_000_000)
    }

    /// UTC of a second in `Lines`, in nanoseconds since 1970.
    private func utc(_ second: Int64) -> Int64 { (1_767_225_600 + second) * 1_000_000_000 }
}
