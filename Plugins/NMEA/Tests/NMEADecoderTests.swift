import Sensorium
import SensoriumTestKit
import Testing

@testable import NMEAPlugin

@Suite("NMEA decoder", .timeLimit(.minutes(1)))
struct NMEADecoderTests {
    private let place = "1015.2500,N,02030.5000,E"

    @Test("dates epochs around midnight once, whichever sentence comes first (LOC-01)")
    func midnight() {
        let decoded = Decoded(
            bodies: ["235901.00 010124", "000001.00 020124", "000101.00 020124"].flatMap { text in
                let parts = text.split(separator: " ")
                return [
                    "GPGGA,\(parts[0]),\(place),1,08,1.0,100.0,M,40.0,M,,",
                    "GPRMC,\(parts[0]),A,\(place),0.5,90.0,\(parts[1]),,,A",
                ]
            })
        #expect(
            decoded.utc == ["2024-01-01T23:59:01Z", "2024-01-02T00:00:01Z", "2024-01-02T00:01:01Z"])
        #expect(decoded.fixes.allSatisfy { $0.latitude == 10.0 + 15.25 / 60 })
        #expect(decoded.fixes.allSatisfy { $0.altitudeMSL == 100 && $0.altitudeEllipsoid == 140 })
        #expect(decoded.fixes.allSatisfy { !$0.flags.contains(.untrustedTime) })
    }

    @Test("goes on over midnight from the last date, when only times of day follow")
    func midnightWithoutDate() {
        let decoded = Decoded(bodies: [
            "GPRMC,235959.00,A,\(place),0.5,90.0,311225,,,A",
            "GPGGA,000000.00,\(place),1,08,1.0,100.0,M,40.0,M,,",
            "GPGLL,\(place),000001.00,A,A",
        ])
        #expect(
            decoded.utc == ["2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"])
        #expect(decoded.fixes.allSatisfy { !$0.flags.contains(.untrustedTime) })
    }

    @Test(
        "takes the day within twelve hours of the host's clock for a time without a date",
        arguments: [
            ("000003.00", "2026-01-01T00:00:03Z"), ("235958.00", "2025-12-31T23:59:58Z"),
            ("115900.00", "2026-01-01T11:59:00Z"), ("120100.00", "2025-12-31T12:01:00Z"),
        ])
    func inferred(time: String, utc: String) throws {
        // The virtual clock begins at 2026-01-01T00:00:00Z.
        let decoded = Decoded(bodies: ["GPGGA,\(time),\(place),1,08,1.0,100.0,M,40.0,M,,"])
        #expect(decoded.utc == [utc])
        #expect(try #require(decoded.fixes.first).flags.contains(.untrustedTime))
    }

    @Test("lets the validity decide, never the values (LOC-03)")
    func validity() {
        let decoded = Decoded(bodies: [
            "GPGGA,010222.00,,,,,0,00,99.99,,,,,,",
            "GPRMC,000000.00,A,0.000,N,0.000,E,0.0,0.0,050505,0.0,E",
            "GPRMC,010223.00,V,\(place),,,010124,,,N",
            "GPGLL,,,,,010222.00,V,N",
            "GPGGA,010224.00,0000.0000,N,00000.0000,E,1,08,1.0,0.0,M,0.0,M,,",
        ])
        #expect(decoded.fixes.map(\.latitude) == [0, 0])
        #expect(decoded.fixes.map(\.longitude) == [0, 0])
        #expect(decoded.fixes[0].speed == 0)
        #expect(decoded.fixes[1].altitudeMSL == 0)
        #expect(decoded.noFixCount == 3)
        #expect(decoded.rejected.isEmpty)
    }

    @Test("compares checksums as numbers (LOC-05)", arguments: ["5F", "5f"])
    func checksum(digits: String) {
        let body = "GPRMC,173140.00,A,1015.10001,N,02030.5000,E,0.5,90.0,170318,,,A"
        #expect(Decoded("$\(body)*\(digits)\r\n").fixes.count == 1)
    }

    @Test("refuses what is no checksum", arguments: ["*5", "*5F0", "*5G", "*", "*5E", "*-5"])
    func badChecksum(end: String) {
        let body = "GPRMC,173140.00,A,1015.10001,N,02030.5000,E,0.5,90.0,170318,,,A"
        let decoded = Decoded("$\(body)\(end)\r\n")
        #expect(decoded.fixes.isEmpty)
        #expect(decoded.rejected == [.checksum: 1])
    }

    @Test("takes sentences without a checksum only where it is told to")
    func withoutChecksum() {
        let line = "$GPRMC,173140.00,A,1015.10001,N,02030.5000,E,0.5,90.0,170318,,,A\r\n"
        #expect(Decoded(line).rejected == [.noChecksum: 1])
        #expect(Decoded(line, requiresChecksum: false).fixes.count == 1)
        let wrong = line.replacing("\r\n", with: "*00\r\n")
        #expect(Decoded(wrong, requiresChecksum: false).rejected == [.checksum: 1])
    }

    @Test("counts corrupted lines by reason, and changes nothing for them (LOC-06)")
    func corrupted() {
        let good = "$GPRMC,181535.00,A,\(place),0.5,90.0,170318,,,A*63"
        let short = NMEAEncoder.sentence("GPRMC,181536.000,A,1036.79K,D")
        let odd = NMEAEncoder.sentence("GPRMC,181536.00-A,A,\(place),0.5,90.0,170318,,,A")
        let decoded = Decoded(
            [
                good, short, good.replacing(",90.0,", with: ",q0.0,"),
                good.replacing("*63", with: "*1q"), odd, good.replacing("$G", with: "$g"),
                good.replacing("*63", with: "j63"), "$GPRMC,181535.00,A,1015.2500,N", "$", "*",
                "$*00", "$GPGGA", good,
            ].map { $0 + "\r\n" }.joined())
        #expect(decoded.utc == ["2018-03-17T18:15:35Z", "2018-03-17T18:15:35Z"])
        #expect(decoded.fixes.allSatisfy { abs($0.latitude - 10.254167) < 1e-6 })
        #expect(decoded.fixes.allSatisfy { abs($0.longitude - 20.508333) < 1e-6 })
        #expect(
            decoded.rejected == [
                .incomplete: 1, .checksum: 3, .malformed: 2, .noChecksum: 4, .noise: 1,
            ])
    }

    @Test(
        "takes the two digits left of the point as minutes (LOC-07)",
        arguments: [
            ("1026.6634,E", 10.444390), ("0852.22587,E", 8.870431), ("00026.5,W", -0.441667),
            ("159.931976,W", -1.998866), ("02652.25,E", 26.870833), ("01652,E", 16.866667),
            ("0.000,E", 0), ("17959.9999,W", -179.999998),
            ("01652.12345678901234567890,E", 16.868724),
        ])
    func degrees(text: String, longitude: Double) throws {
        let decoded = Decoded(bodies: ["GPGLL,01048.3822990,S,\(text),120000.00,A,A"])
        let fix = try #require(decoded.fixes.first)
        #expect(abs(fix.longitude - longitude) < 5e-7)
        #expect(abs(fix.latitude + 10.806372) < 5e-7)
    }

    @Test(
        "refuses positions that are not on the Earth",
        arguments: [
            "5260.0000,N,01652.0000,E", "9100.0000,N,18100.0000,E", "9000.0001,N,01652.0000,E",
            "5230.0000,N,18000.0001,E", "5230.0000,N,01660.0000,E",
        ])
    func beyond(position: String) {
        let decoded = Decoded(bodies: ["GPGLL,\(position),120006.00,A,A"])
        #expect(decoded.fixes.isEmpty)
        #expect(decoded.rejected == [.implausible: 1])
    }

    @Test("leaves an altitude that was not given unknown; a time needs no fraction (LOC-09)")
    func flat() throws {
        let decoded = Decoded(bodies: [
            "GPGGA,160545,1008.6263,N,02022.4224,E,1,03,3.6,,M,45.0,M,,",
            "GPGGA,004646,1008.6263,N,02022.4224,E,1,05,3.6,120.5,M,45.0,M,,",
            "GPGSA,A,2,01,02,03,,,,,,,,,,3.7,3.6,1.0",
        ])
        #expect(decoded.fixes.count == 2)
        let first = try #require(decoded.fixes.first)
        #expect(first.altitudeMSL == nil && first.altitudeEllipsoid == nil)
        #expect(first.verticalAccuracy == nil)
        #expect(first.fix == .twoDimensional)
        #expect(first.satellitesUsed == 3)
        let second = decoded.fixes[1]
        #expect(second.altitudeMSL == 120.5)
        #expect(second.altitudeEllipsoid == 165.5)
        #expect(second.fix == .twoDimensional)
        #expect(decoded.utc[1].hasSuffix("T00:46:46Z"))
    }

    @Test(
        "gives the speed in m/s, of knots and of km/h (LOC-11)",
        arguments: [
            ["GPRMC,120000.00,A,1015.2500,N,02030.5000,E,10.0,90.0,170318,,,A"],
            [
                "GPRMC,120000.00,A,1015.2500,N,02030.5000,E,,,170318,,,A",
                "GPVTG,90.0,T,,M,10.0,N,18.52,K,A",
            ],
            [
                "GPVTG,90.0,T,,M,,N,18.52,K,A",
                "GPRMC,120000.00,A,1015.2500,N,02030.5000,E,,,170318,,,A",
            ],
        ])
    func speed(bodies: [String]) throws {
        let fix = try #require(Decoded(bodies: bodies).fixes.first)
        #expect(abs((fix.speed ?? 0) - 5.144444) < 1e-6)
        #expect(fix.course == 90)
    }

    @Test("gives one fix for each epoch, with the satellites of several GSA (LOC-16)")
    func epochs() throws {
        let decoded = Decoded(bodies: [
            "GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,170318,,,A",
            "GNGGA,120000.00,1015.2500,N,02030.5000,E,1,09,0.9,100.0,M,40.0,M,,",
            "GNGSA,A,3,23,02,27,10,08,,,,,,,,1.7,0.9,1.4,1",
            "GNGSA,A,3,,,,,,,,,,,,,1.7,0.9,1.4,4",
            "GNGSA,A,3,301,312,,,,,,,,,,,1.7,0.9,1.4,3",
            "GNRMC,120001.00,A,1015.2501,N,02030.5001,E,0.5,90.0,170318,,,A",
        ])
        #expect(decoded.utc == ["2018-03-17T12:00:00Z", "2018-03-17T12:00:01Z"])
        let fix = try #require(decoded.fixes.first)
        #expect(fix.satellitesUsed == 7)
        #expect(fix.fix == .threeDimensional)
        let sky = try #require(decoded.satellites.first)
        #expect(sky.inView.filter { $0.system == .gps }.map(\.number) == [23, 2, 27, 10, 8])
        #expect(sky.inView.filter { $0.system == .galileo }.map(\.number) == [1, 12])
        #expect(sky.dilution.position == 1.7 && sky.dilution.vertical == 1.4)
        #expect(sky.time == fix.time)
        #expect(decoded.satellites.count == 1)
    }

    @Test("gives the same for every cutting")
    func cuttings() {
        let bytes = Array(Decoded.epoch(second: 1).utf8) + Array(Decoded.epoch(second: 2).utf8)
        let whole = Decoded(bytes)
        #expect(whole.fixes.count == 2 && whole.satellites.count == 2)
        for size in 1...97 {
            let cut = Decoded(bytes, pieces: size)
            #expect(cut.fixes == whole.fixes && cut.satellites == whole.satellites, "\(size)")
            #expect(cut.rejected == whole.rejected)
        }
    }

    @Test("begins anew at each start of a sentence, also in the middle of one")
    func resynchronises() {
        let good = NMEAEncoder.sentence("GPGLL,\(place),120000.00,A,A")
        let decoded = Decoded("xyz\r\n$GPRMC,120000.00,A,10\(good)\r\n")
        #expect(decoded.fixes.count == 1)
        #expect(decoded.rejected == [.noise: 1, .interrupted: 1])
    }

    @Test("bounds what it keeps of a stream without line ends, and finds the next sentence")
    func overlong() {
        let good = NMEAEncoder.sentence("GPGLL,\(place),120000.00,A,A")
        let flood = String(repeating: "A", count: 5000)
        for size in [1, 700, 10_000] {
            let decoded = Decoded(Array("$GPTXT,\(flood)\(good)\r\n".utf8), pieces: size)
            #expect(decoded.fixes.count == 1)
            #expect(decoded.rejected == [.overlong: 1], "in pieces of \(size)")
        }
    }

    @Test("counts makers' own sentences, AIS and others apart, and takes none for bad")
    func others() {
        let decoded = Decoded(
            bodies: [
                "PUBX,00,120000.00", "PMTK001,314,3", "PGRME,15.0,M,45.0,M,25.0,M",
                "GPTXT,01,01,02,ANTSTATUS=OK", "IIDPT,12.5,0.5",
            ], extra: "!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n")
        #expect(decoded.decoder.proprietary == 3)
        #expect(decoded.decoder.skipped == 3)
        #expect(decoded.rejected.isEmpty && decoded.readingCount == 0)
    }

    @Test("gives satellites that come after the fix of their time that time, and no second fix")
    func lateSatellites() {
        let clock = VirtualClock()
        var decoder = NMEADecoder(clock: clock)
        var decoded = Decoded(bodies: [], clock: clock)
        let gga = "GPGGA,000000.00,\(place),1,08,1.0,100.0,M,40.0,M,,"
        let gsv = "GPGSV,1,1,01,05,45,090,40"
        for bodies in [["GPRMC,000000.00,A,\(place),0.5,90.0,010126,,,A"], [gga, gsv, gga]] {
            let text = bodies.map { NMEAEncoder.sentence($0) + "\r\n" }.joined()
            decoded.add(decoder.decode(Array(text.utf8), arrivedAt: clock.now))
            decoded.add(decoder.closeEpoch(quietSince: clock.now))
        }
        #expect(decoded.fixes.count == 1)
        #expect(decoder.late == 2)
        #expect(decoded.satellites.map(\.time) == decoded.fixes.map(\.time))
    }

    @Test("holds a list of satellites back to the one before it, which came without a time")
    func listsInOrder() throws {
        let clock = VirtualClock()
        var decoded = Decoded(bodies: [], clock: clock)
        var decoder = NMEADecoder(clock: clock)
        let start = clock.now
        for (bodies, delay) in [
            // The fix of this time is given out already when the list comes.
            (["GPRMC,000000.00,A,\(place),0.5,90.0,010126,,,A"], 100),
            (["GPGSV,1,1,01,05,45,090,40"], 300),
            (["GPRMC,000000.20,A,\(place),0.5,90.0,010126,,,A", "GPGSV,1,1,01,05,45,090,40"], 320),
        ] {
            let text = bodies.map { NMEAEncoder.sentence($0) + "\r\n" }.joined()
            let arrival = start.advanced(by: .milliseconds(delay))
            decoded.add(decoder.decode(Array(text.utf8), arrivedAt: arrival))
            decoded.add(decoder.closeEpoch(quietSince: arrival))
        }
        func after(_ times: [Int64]) -> [SensorInstant] {
            times.map { start.advanced(by: .milliseconds($0)) }
        }
        #expect(decoded.satellites.map(\.time.instant) == after([300, 300]))
        let last = try #require(decoded.satellites.last)
        #expect(last.time.utcNanoseconds == 1_767_225_600_200_000_000)
        #expect(try #require(last.time.uncertainty) >= .milliseconds(100))
        // Another sensor's readings have an order of their own.
        #expect(decoded.fixes.map(\.time.instant) == after([0, 200]))
    }
}
