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

    @Test("reads a report alike whatever reports it has read before", arguments: seeds)
    func memory(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let members = [
            #""device":"/dev/a""#, #""mode":3"#, #""mode":2"#, #""time":"\#(Lines.time(1))""#,
            #""lat":48.1"#, #""lon":11.5"#, #""alt":-3"#, #""altHAE":567.25"#, #""altMSL": 5e2"#,
            #""speed":1"#, #""status":2"#, #""geoidSep":47.5"#, #""leapseconds":18"#, #" "eph":1"#,
            #""a name of many letters":0"#, #""track":"#, #""epx":null"#, #""climb":true"#,
        ]
        var old = ReportParser()
        for _ in 0..<2000 {
            let count = Int(random.next() % 12)
            let chosen = (0..<count).map { _ in members[Int(random.next() % 18)] }
            let isFirst = random.next() % 8 != 0
            let all = isFirst ? [#""class":"TPV""#] + chosen : chosen + [#""class":"TPV""#]
            var line = Array("{\(all.joined(separator: ","))}".utf8)
            if random.next() % 4 == 0 { mutate(&line, &random) }
            let fresh = outcome(of: line, ReportParser())
            let again = outcome(of: line, old)
            #expect(fresh == again, "\(String(decoding: line, as: UTF8.self))")
            line.withUnsafeBufferPointer { _ = try? old.parse($0) }
        }
    }

    /// What a parser makes of a TPV, as text.
    private func outcome(of line: [UInt8], _ parser: ReportParser) -> String {
        var parser = parser
        return line.withUnsafeBufferPointer { line in
            do throws(JSONFault) {
                guard case .position = try parser.parse(line) else { return "another" }
                let report = parser.lastPosition
                let values = report.values.indices.map { report.values[$0] }
                let (time, status) = (report.time ?? -1, report.status ?? -1)
                return
                    "\(parser.name(of: report.device)) \(report.mode) \(time) \(status) \(values)"
            } catch {
                return "\(error)"
            }
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
