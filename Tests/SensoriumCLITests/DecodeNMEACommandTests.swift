import NMEAPlugin
import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("decode nmea", .timeLimit(.minutes(1)))
struct DecodeNMEACommandTests {
    private static let first = "GPRMC,000000.00,A,4806.0000,N,01130.0000,E,1.0,90.0,010126,,,A"
    private static let second = "GPRMC,000001.00,A,4812.0000,N,01136.0000,E,1.0,90.0,010126,,,A"

    private func bytes(_ bodies: String..., raw: String = "") -> ByteArrival {
        let lines = bodies.map { NMEAEncoder.sentence($0) + "\r\n" }.joined()
        return .bytes(Array((lines + raw).utf8))
    }

    @Test("prints readings as watch does")
    func readings() async {
        let bench = CommandBench(
            input: ScriptedInput([bytes(Self.first, "HEHDT,12.5,T", Self.second)]))
        #expect(await bench.run("decode", "nmea", "--json") == .success)
        #expect(bench.output.lines.count == 3)
        #expect(bench.output.lines[0].hasPrefix(#"{"sensor":"nmea/heading","kind":"heading","#))
        #expect(bench.output.lines[1].contains(#""utc":"2026-01-01T00:00:00Z""#))
        #expect(bench.output.lines[1].contains(#""latitude":48.1,"longitude":11.5"#))
        #expect(bench.output.lines[2].contains(#""latitude":48.2,"longitude":11.6"#))
        #expect(bench.errors.lines == ["3 readings, 0 sentences rejected"])
    }

    @Test("counts rejected sentences by reason, and others that it does not read")
    func rejected() async {
        let bench = CommandBench(
            input: ScriptedInput([
                bytes(
                    Self.first, "GPRMC,0", "PUBX,00", "GPTXT,01,01,02,OK",
                    raw: "$GPGGA,1\r\n@@\r\n$GPGGA,1*00\r\n")
            ]))
        #expect(await bench.run("decode", "nmea") == .success)
        #expect(
            bench.errors.lines == [
                "1 reading, 4 sentences rejected: 1 with a wrong checksum, 1 without a checksum, "
                    + "1 with too few fields, 1 of noise; 1 of makers' own; 1 of other kinds"
            ])
    }

    @Test("ends with a status of its own where there was nothing but noise")
    func nothing() async {
        let bench = CommandBench(input: ScriptedInput([bytes(raw: "noise\r\n")]))
        #expect(await bench.run("decode", "nmea") == .badData)
        #expect(await CommandBench().run("decode", "nmea") == .success)
    }

    @Test("takes sentences without checksums where it is told to")
    func settings() async {
        let input = ScriptedInput([bytes(raw: "$\(Self.first)\r\n")])
        let bench = CommandBench(input: input)
        #expect(
            await bench.run("decode", "nmea", "--set", "nmea.checksum=optional") == .success)
        #expect(bench.output.lines.count == 1)
    }
}
