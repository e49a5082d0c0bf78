import Sensorium
import SensoriumTestKit
import Testing

@testable import NMEAPlugin

/// Bytes that nobody should send, the same ones in every run.
@Suite("NMEA decoder, fuzzed", .timeLimit(.minutes(1)))
struct NMEAFuzzTests {
    static let seeds: [UInt64] = Array(1...8)

    @Test(
        "bears sentences in which anything was changed, and loses no good one beside them",
        arguments: seeds)
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = VirtualClock()
        let models =
            Decoded.epoch(second: 1).split(whereSeparator: \.isNewline).map(String.init)
            + [
                "HCHDG,350.0,15.0,E,7.5,W", "GPZDA,120000.00,05,06,2031,00,00",
                "GPGST,120000.00,5.6,3.2,2.1,12.0,3.0,4.0,7.5", "GPTHS,77.5,A",
                "GNGNS,120000.00,1015.2500,N,02030.5000,E,ADNN,13,0.9,25.6,18.0,,",
                "GPGBS,120001.00,6.0,8.0,9.0,,,,",
            ].map { NMEAEncoder.sentence($0) }
        for round in 0..<300 {
            var body = Array(models[Int(random.next() % UInt64(models.count))].utf8.dropFirst())
            body.removeLast(3)
            for _ in 0...Int(random.next() % 4) { mutate(&body, &random) }
            // Half of them have the right checksum, so that the fields are looked at.
            let text = String(decoding: body, as: UTF8.self)
            let bad = round % 2 == 0 ? NMEAEncoder.sentence(text) : "$\(text)*5A"
            let good = { (second: Int) in
                NMEAEncoder.sentence(
                    "XXRMC,0700\(Timestamp.padded(second, 2)),A,7700.0,N,00000.0,E,,,010126,,,A")
            }
            let lines = [good(round % 50), bad, good(round % 50 + 1)]
            let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
            let cut = 1 + Int(random.next() % UInt64(bytes.count))
            let decoded = Decoded(bytes, pieces: cut, clock: clock)
            #expect(decoded.fixes.filter { $0.latitude == 77 }.count >= 2, "\(text)")
            for fix in decoded.fixes {
                #expect(abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180)
                #expect(fix.altitudeEllipsoid?.isFinite ?? true)
                #expect(fix.speed.map { $0 >= 0 && $0.isFinite } ?? true)
                #expect(fix.course.map { (0...360).contains($0) } ?? true)
            }
        }
    }

    @Test("bears bytes that are no text at all", arguments: seeds)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("$!*,.GPRMCAVNSEW0123456789\r\n\\".utf8)
        var decoder = NMEADecoder(clock: VirtualClock(), requiresChecksum: seed % 2 == 0)
        for _ in 0..<200 {
            let noise = (0..<Int(random.next() % 2000)).map { _ in
                random.next() % 8 == 0
                    ? UInt8(truncatingIfNeeded: random.next())
                    : alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            for case .location in decoder.decode(noise, arrivedAt: SensorInstant(nanoseconds: 1)) {
                Issue.record("noise gave a position")
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 7 {
        case 0: bytes[place] = 0x20 + UInt8(random.next() % 94)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: place)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes[place] ^= 1 << UInt8(random.next() % 7)
        case 5:
            let odd = ["NaN", "1e999", "-", ",,", "99999999999999999999", ".", "-0", "*00"]
            bytes.insert(
                contentsOf: Array(odd[Int(random.next() % UInt64(odd.count))].utf8), at: place)
        default:
            let end = min(bytes.count, place + Int(random.next() % 20))
            bytes += bytes[place..<end]
        }
    }
}
