import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

/// Bytes that nobody should send, the same ones in every run.
@Suite("gpsd decoder, fuzzed", .timeLimit(.minutes(1)))
struct GPSDFuzzTests {
    static let seeds: [UInt64] = Array(1...8)

    @Test(
        "bears lines in which anything was changed, and loses no good line beside them",
        arguments: seeds)
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = VirtualClock()
        let models = [
            Lines.version, Lines.devices, Lines.watch, Lines.sky(0, count: 5),
            Lines.fix(0, extra: #","altHAE":1e2,"speed":0.5,"x":{"y":[1,"a\u00e9\n",null]}"#),
            #"{"class":"ATT","device":"/dev/c","heading":1.5,"pitch":-2.5,"roll":3e0}"#,
            #"{"class":"POLL","time":"\#(Lines.time(0))","active":1,"tpv":[{"class":"TPV"}]}"#,
        ].map { Array($0.utf8) }
        for round in 0..<400 {
            var decoder = GPSDDecoder(clock: clock)
            var decoded = Decoded()
            var bad = models[Int(random.next() % UInt64(models.count))]
            for _ in 0...Int(random.next() % 4) { mutate(&bad, &random) }
            bad.removeAll { $0 == 0x0a }
            let good = { Lines.bytes([Lines.fix($0, device: "/dev/good", latitude: 77)]) }
            let bytes = good(round % 50) + bad + [0x0a] + good(round % 50 + 1)
            let cut = Int(random.next() % UInt64(bytes.count))
            decoded.add(decoder.decode(Array(bytes[..<cut]), arrivedAt: clock.now))
            decoded.add(decoder.decode(Array(bytes[cut...]), arrivedAt: clock.now))
            decoded.add(decoder.finish())
            #expect(decoded.fixes.filter { $0.latitude == 77 }.count == 2)
            for fix in decoded.fixes {
                #expect(fix.latitude.isFinite && fix.longitude.isFinite)
                #expect(fix.altitudeEllipsoid?.isFinite ?? true)
            }
        }
    }

    @Test("bears bytes that are no text at all", arguments: seeds)
    func noise(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = VirtualClock()
        var decoder = GPSDDecoder(clock: clock)
        let alphabet = Array(#"{}[]",:\0123456789.eE+-truefalsn"class":"TPV""#.utf8)
        for _ in 0..<300 {
            let noise = (0..<Int(random.next() % 300)).map { _ in
                random.next() % 4 == 0
                    ? UInt8(truncatingIfNeeded: random.next())
                    : alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            let outputs = decoder.decode([0x7b] + noise, arrivedAt: clock.now)
            for case .location in outputs { Issue.record("noise gave a position") }
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 7 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: place)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes[place] ^= 1 << UInt8(random.next() % 8)
        case 5:
            let odd = [
                "NaN", "1e999", "-", "null", "\"", "}", "[[[[", "\\u12", "99999999999999999999",
            ]
            bytes.insert(
                contentsOf: Array(odd[Int(random.next() % UInt64(odd.count))].utf8), at: place)
        default:
            let end = min(bytes.count, place + Int(random.next() % 20))
            bytes += bytes[place..<end]
        }
    }
}
