import Sensorium
import SensoriumTestKit
import Testing

@testable import NMEAPlugin

@Suite("NMEA encoder", .timeLimit(.minutes(1)))
struct NMEAEncoderTests {
    private let time = ReadingTime(
        SensorInstant(nanoseconds: 5),
        original: ClockTime(nanoseconds: 1_767_225_601_250_000_000, domain: .realtime))

    private func decoded(_ lines: [String]) -> Decoded {
        Decoded(Array(lines.map { $0 + "\r\n" }.joined().utf8))
    }

    @Test("writes a fix that is read as it was")
    func fix() throws {
        let fix = LocationFix(
            time: time, latitude: -48.123456789, longitude: 11.987654321, altitudeMSL: 519.9,
            altitudeEllipsoid: 567, horizontalAccuracy: Accuracy(5, .drms),
            verticalAccuracy: Accuracy(7.5, .sixtyEightPercent), speed: 1.25, course: 271.5,
            fix: .threeDimensional, quality: .rtkFixed, satellitesUsed: 12)
        let again = try #require(decoded(NMEAEncoder().sentences(for: fix)).fixes.first)
        #expect(abs(again.latitude - fix.latitude) < 1e-9)
        #expect(abs(again.longitude - fix.longitude) < 1e-9)
        #expect(again.altitudeMSL == 519.9)
        #expect(abs((again.altitudeEllipsoid ?? 0) - 567) < 1e-9)
        #expect(abs((again.horizontalAccuracy?.value ?? 0) - 5) < 1e-3)
        #expect(again.verticalAccuracy == fix.verticalAccuracy)
        #expect(abs((again.speed ?? 0) - 1.25) < 1e-4)
        #expect(again.course == 271.5)
        #expect(again.fix == .threeDimensional)
        #expect(again.quality == .rtkFixed)
        #expect(again.satellitesUsed == 12)
        #expect(again.time.utcNanoseconds == fix.time.utcNanoseconds)
    }

    @Test("leaves out what is not known")
    func unknown() throws {
        let fix = LocationFix(
            time: ReadingTime(SensorInstant(nanoseconds: 5)), latitude: 0, longitude: -0.5,
            fix: .twoDimensional)
        let lines = NMEAEncoder(talker: "GP").sentences(for: fix)
        #expect(lines.dropFirst().first == "$GPRMC,,A,0000.0000000,N,00030.0000000,W,,,,,,A*61")
        let again = try #require(decoded(lines).fixes.first)
        #expect(again.altitudeMSL == nil && again.speed == nil && again.satellitesUsed == nil)
        #expect(again.horizontalAccuracy == nil && again.time.utcNanoseconds == nil)
        #expect(again.fix == .twoDimensional)
        #expect(again.longitude == -0.5)
    }

    @Test("writes satellites that are read as they were")
    func satellites() throws {
        let list = (1...5).map {
            Satellite(
                system: .gps, number: $0, elevation: 40, azimuth: 359, signal: 31, isUsed: $0 > 2)
        }
        let others = [
            Satellite(system: .sbas, number: 133, elevation: 5, isUsed: false),
            Satellite(system: .glonass, number: 9, signal: 20, isUsed: true),
            Satellite(system: .galileo, number: 36, isUsed: true),
            Satellite(system: .beiDou, number: 45, isUsed: false),
            Satellite(system: .qzss, number: 2, isUsed: false),
        ]
        let sky = Satellites(
            time: time, inView: list + others,
            dilution: Satellites.Dilution(horizontal: 0.75, vertical: 1.5, position: 1.25))
        let lines = NMEAEncoder().sentences(for: sky)
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        let again = try #require(decoded(lines).satellites.first)
        #expect(again.inView == sky.inView)
        #expect(again.dilution == sky.dilution)
    }

    @Test("writes headings that are read as they were")
    func headings() throws {
        for heading in [
            Heading(time: time, trueNorth: 12.5), Heading(time: time, magneticNorth: 350.25),
            Heading(time: time, trueNorth: 357.5, magneticNorth: 5, declination: -7.5),
        ] {
            let heading = try #require(heading)
            let again = try #require(
                decoded(NMEAEncoder().sentences(for: heading)).headings.first)
            #expect(again.trueNorth == heading.trueNorth)
            #expect(again.magneticNorth == heading.magneticNorth)
            #expect(again.declination == heading.declination)
        }
    }
}
