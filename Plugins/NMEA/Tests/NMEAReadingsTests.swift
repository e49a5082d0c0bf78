import Sensorium
import SensoriumTestKit
import Testing

@testable import NMEAPlugin

@Suite("readings from NMEA", .timeLimit(.minutes(1)))
struct NMEAReadingsTests {
    private let rmc = "GPRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,A"

    @Test("puts GSV together over parts, talkers and signals, and marks what GSA uses")
    func satellites() throws {
        let decoded = Decoded(bodies: [
            rmc, "GNGSA,A,3,01,03,,,,,,,,,,,1.7,0.9,1.4,1", "GNGSA,A,3,66,,,,,,,,,,,,1.7,0.9,1.4,2",
            "GPGSV,2,1,05,01,40,083,46,02,17,308,41,03,07,344,39,46,22,228,45,1",
            "GPGSV,2,2,05,05,,,,1", "GPGSV,1,1,01,01,40,083,48,8",
            "GLGSV,1,1,01,66,05,100,,1", "GAGSV,1,1,00,7", "GQGSV,1,1,01,02,10,20,30,1",
        ])
        let sky = try #require(decoded.satellites.first)
        #expect(
            sky.inView == [
                Satellite(
                    system: .gps, number: 1, elevation: 40, azimuth: 83, signal: 48, isUsed: true),
                Satellite(
                    system: .gps, number: 2, elevation: 17, azimuth: 308, signal: 41,
                    isUsed: false),
                Satellite(
                    system: .gps, number: 3, elevation: 7, azimuth: 344, signal: 39, isUsed: true),
                Satellite(
                    system: .sbas, number: 133, elevation: 22, azimuth: 228, signal: 45,
                    isUsed: false),
                Satellite(system: .gps, number: 5, isUsed: false),
                Satellite(
                    system: .glonass, number: 2, elevation: 5, azimuth: 100, isUsed: true),
                Satellite(
                    system: .qzss, number: 2, elevation: 10, azimuth: 20, signal: 30,
                    isUsed: false),
            ])
        #expect(decoded.fixes.first?.satellitesUsed == 3)
    }

    @Test("leaves out a row of satellites of which a part was lost")
    func lostPart() throws {
        let decoded = Decoded(bodies: [
            rmc, "GPGSV,3,1,09,01,40,083,46", "GPGSV,3,3,09,09,07,344,39",
            "GLGSV,1,1,01,66,05,100,30",
        ])
        #expect(decoded.satellites.first?.inView.map(\.system) == [.glonass])
    }

    @Test("takes an empty count of parts as it was in the part before")
    func emptyCount() {
        let decoded = Decoded(bodies: [
            rmc, "GPGSV,2,1,05,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45",
            "GPGSV,,2,,05,10,20,30",
        ])
        #expect(decoded.satellites.first?.inView.count == 5)
    }

    @Test("knows who has which numbers, in old and in new ways of counting")
    func numbering() {
        func name(_ number: Int, _ system: Satellite.System?) -> String {
            let one = SatelliteNumbering.satellite(number, of: system)
            return "\(one.system.map { "\($0)" } ?? "?") \(one.number)"
        }
        #expect(name(7, .gps) == "gps 7")
        #expect(name(33, .gps) == "sbas 120")
        #expect(name(70, nil) == "glonass 6")
        #expect(name(70, .glonass) == "glonass 6")
        #expect(name(6, .glonass) == "glonass 6")
        #expect(name(301, .galileo) == "galileo 1")
        #expect(name(36, .galileo) == "galileo 36")
        #expect(name(45, .beiDou) == "beiDou 45")
        #expect(name(201, .beiDou) == "beiDou 1")
        #expect(name(193, .gps) == "qzss 1")
    }

    @Test("takes accuracies from GST, and says what they are; a dilution is never metres")
    func accuracy() throws {
        let decoded = Decoded(bodies: [
            "GPGGA,120000.00,1015.2500,N,02030.5000,E,4,08,0.6,100.0,M,40.0,M,,",
            "GPGST,120000.00,5.6,3.2,2.1,12.0,3.0,4.0,7.5",
            "GPGGA,120001.00,1015.2500,N,02030.5000,E,5,08,0.6,100.0,M,40.0,M,,",
            "GPGBS,120001.00,6.0,8.0,9.0,,,,",
            "GPGGA,120002.00,1015.2500,N,02030.5000,E,1,08,0.6,100.0,M,40.0,M,,",
        ])
        #expect(
            decoded.fixes.map(\.horizontalAccuracy) == [
                Accuracy(5, .drms), Accuracy(10, .unspecified), nil,
            ])
        #expect(
            decoded.fixes.map(\.verticalAccuracy) == [
                Accuracy(7.5, .sixtyEightPercent), Accuracy(9, .unspecified), nil,
            ])
        #expect(decoded.fixes.map(\.quality) == [.rtkFixed, .rtkFloat, .autonomous])
    }

    @Test(
        "knows the modes of RMC, GNS and GLL",
        arguments: [
            ("GNRMC,120000.00,D,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,D,V", .differential),
            ("GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,R,S", .rtkFixed),
            ("GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,F", .rtkFloat),
            ("GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,P", .precise),
            ("GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,", .unknown),
            ("GNGNS,120000.00,1015.2500,N,02030.5000,E,ADNN,13,0.9,25.6,18.0,,", .differential),
            ("GNGNS,120000.00,1015.2500,N,02030.5000,E,NNR,13,0.9,25.6,18.0,,,V", .rtkFixed),
            ("GNGLL,1015.2500,N,02030.5000,E,120000.00,A,S", .simulated),
            ("GNGGA,120000.00,1015.2500,N,02030.5000,E,6,08,0.6,100.0,M,40.0,M,,", .deadReckoning),
        ] as [(String, FixQuality)])
    func modes(body: String, quality: FixQuality) throws {
        let fix = try #require(Decoded(bodies: [body]).fixes.first)
        #expect(fix.quality == quality)
        #expect(fix.isSimulated == (quality == .simulated))
    }

    @Test(
        "takes no fix from void sentences, whatever position they hold",
        arguments: [
            "GNRMC,120000.00,V,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,A",
            "GNRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,N",
            "GNGNS,120000.00,1015.2500,N,02030.5000,E,NN,00,99.9,25.6,18.0,,",
            "GNGLL,1015.2500,N,02030.5000,E,120000.00,V,N",
            "GNGGA,120000.00,1015.2500,N,02030.5000,E,0,08,0.6,100.0,M,40.0,M,,",
        ])
    func void(body: String) {
        let decoded = Decoded(bodies: [
            body, "GNGLL,1015.2500,N,02030.5000,E,120001.00,A,A",
        ])
        #expect(decoded.fixes.count == 1)
        #expect(decoded.noFixCount == 1)
    }

    @Test("prefers what several constellations say together")
    func talkers() {
        let decoded = Decoded(bodies: [
            "GPGGA,120000.00,1015.2500,N,02030.5000,E,1,08,0.6,100.0,M,40.0,M,,",
            "GNGNS,120000.00,1015.3000,N,02030.6000,E,DD,13,0.9,25.6,18.0,,",
            "GPGLL,1015.2500,N,02030.5000,E,120000.00,A,A",
            "GLGGA,120000.00,1015.2500,N,02030.5000,E,0,00,,,M,,M,,",
        ])
        #expect(decoded.fixes.map(\.latitude) == [10 + 15.3 / 60])
        #expect(decoded.fixes.map(\.altitudeMSL) == [25.6])
    }

    @Test(
        "gives headings from true and from magnetic north",
        arguments: [
            ("HEHDT,123.4,T", 123.4, nil, nil), ("HCHDM,200.5,M", nil, 200.5, nil),
            ("GPTHS,77.5,A", 77.5, nil, nil), ("HCHDG,350.0,15.0,E,7.5,W", 357.5, 5, -7.5),
            ("HCHDG,98.3,0.0,E,12.6,W", 85.7, 98.3, -12.6),
            ("HCHDG,101.1,,,7.1,E", 108.2, 101.1, 7.1),
            ("HCHDG,101.1,,,,", nil, 101.1, nil),
        ] as [(String, Double?, Double?, Double?)])
    func headings(body: String, true: Double?, magnetic: Double?, declination: Double?) throws {
        let heading = try #require(Decoded(bodies: [body]).headings.first)
        func near(_ a: Double?, _ b: Double?) -> Bool {
            a == nil ? b == nil : abs((a ?? 0) - (b ?? 999)) < 1e-9
        }
        #expect(near(heading.trueNorth, `true`))
        #expect(near(heading.magneticNorth, magnetic))
        #expect(near(heading.declination, declination))
        #expect(heading.time.source == .arrival)
    }

    @Test("gives no heading where there is none", arguments: ["GPTHS,77.5,V", "HEHDT,,T"])
    func noHeading(body: String) {
        let decoded = Decoded(bodies: [body])
        #expect(decoded.readingCount == 0 && decoded.rejected.isEmpty)
    }

    @Test("reports a date that lacks 1024 weeks, and corrects it where it is told to")
    func rollover() throws {
        // 2026-01-01 is 2006-05-18 and 1024 weeks.
        let body = "GPRMC,000001.00,A,1015.2500,N,02030.5000,E,0.5,90.0,180506,,,A"
        let plain = Decoded(bodies: [body])
        #expect(plain.utc == ["2006-05-18T00:00:01Z"])
        #expect(plain.fixes.first?.flags == .untrustedTime)
        #expect(plain.fixes.first?.time.source == .arrival)
        #expect(plain.diagnostics.first?.contains("1024 weeks") == true)
        let corrected = Decoded(bodies: [body], correctsRollover: true)
        #expect(corrected.utc == ["2026-01-01T00:00:01Z"])
        #expect(corrected.fixes.first?.flags == [])
        #expect(corrected.fixes.first?.time.source == .device)
        #expect(corrected.diagnostics.count == 1)
    }

    @Test("maps a leap second to the second after it")
    func leapSecond() {
        let decoded = Decoded(bodies: [
            "GPRMC,235960.00,A,1015.2500,N,02030.5000,E,0.5,90.0,311216,,,A",
            "GPRMC,000000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,010117,,,A",
        ])
        #expect(decoded.utc == ["2017-01-01T00:00:00Z", "2017-01-01T00:00:00Z"])
    }

    @Test("takes the date of ZDA, with all digits of its year")
    func zda() {
        let decoded = Decoded(bodies: [
            "GPZDA,120000.00,05,06,2031,00,00",
            "GPGGA,120000.00,1015.2500,N,02030.5000,E,1,08,0.6,100.0,M,40.0,M,,",
        ])
        #expect(decoded.utc == ["2031-06-05T12:00:00Z"])
    }

    @Test("takes years from 80 on as of the last century")
    func pivot() {
        func body(_ year: String) -> String {
            "GPRMC,120000.00,A,1015.2500,N,02030.5000,E,0.5,90.0,0101\(year),,,A"
        }
        #expect(Decoded(bodies: [body("80")]).utc == ["1980-01-01T12:00:00Z"])
        #expect(Decoded(bodies: [body("79")]).utc == ["2079-01-01T12:00:00Z"])
    }

    @Test(
        "maps UTC near the host's clock to boot time, and stamps anything else on arrival, said once"
    )
    func mapping() throws {
        let clock = VirtualClock()
        let now = Decoded(
            bodies: ["GPRMC,000000.50,A,1015.2500,N,02030.5000,E,0.5,90.0,010126,,,A"],
            clock: clock)
        let fix = try #require(now.fixes.first)
        #expect(fix.time.source == .device)
        #expect(fix.instant == clock.now.advanced(by: .milliseconds(500)))
        let old = Decoded(bodies: [
            "GPRMC,000000.50,A,1015.2500,N,02030.5000,E,0.5,90.0,010120,,,A",
            "GPRMC,000001.50,A,1015.2500,N,02030.5000,E,0.5,90.0,010120,,,A",
        ])
        #expect(old.fixes.allSatisfy { $0.time.source == .arrival })
        #expect(old.diagnostics.count == 1)
    }

    @Test("ends an epoch when the line has been quiet, and takes nothing late into the next")
    func silence() {
        let clock = VirtualClock()
        var decoder = NMEADecoder(clock: clock)
        let rmc = NMEAEncoder.sentence(self.rmc) + "\r\n"
        #expect(decoder.decode(Array(rmc.utf8), arrivedAt: clock.now).isEmpty)
        #expect(decoder.quietSince == clock.now)
        #expect(
            decoder.closeEpoch(quietSince: clock.now.advanced(by: .nanoseconds(-1))).isEmpty)
        // The fix, and that its time is not the host's.
        #expect(decoder.closeEpoch(quietSince: clock.now).count == 2)
        #expect(decoder.quietSince == nil)
        let late = NMEAEncoder.sentence("GPGLL,1015.2500,N,02030.5000,E,120000.00,A,A") + "\r\n"
        #expect(decoder.decode(Array(late.utf8), arrivedAt: clock.now).isEmpty)
        #expect(decoder.finish().isEmpty)
        #expect(decoder.late == 1)
    }

    @Test("says that positions are not in WGS 84")
    func datum() {
        #expect(Decoded(bodies: ["GPDTM,W84,,0.0,N,0.0,E,0.0,W84"]).diagnostics.isEmpty)
        let other = Decoded(bodies: ["GPDTM,999,,0.08,N,0.07,E,-47.7,W84", "GPDTM,999,,,,,,,W84"])
        #expect(other.diagnostics.count == 1)
    }
}
