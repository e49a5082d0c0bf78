import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("decode gpsd", .timeLimit(.minutes(1)))
struct DecodeCommandTests {
    /// The time at which the bench's clock starts, in UTC.
    private static let first =
        #"{"class":"TPV","mode":2,"time":"2026-01-01T00:00:00Z","#
        + #""lat":48.1,"lon":11.5}"#
    private static let second =
        #"{"class":"TPV","mode":2,"time":"2026-01-01T00:00:01Z","#
        + #""lat":48.2,"lon":11.6}"#

    private func bytes(_ lines: String...) -> ByteArrival {
        .bytes(Array(lines.map { $0 + "\r\n" }.joined().utf8))
    }

    @Test("prints readings as watch does")
    func readings() async {
        let bench = CommandBench(input: ScriptedInput([bytes(Self.first, Self.second)]))
        #expect(await bench.run("decode", "gpsd", "--json") == .success)
        #expect(bench.output.lines.count == 2)
        #expect(
            bench.output.lines[0].hasPrefix(
                #"{"sensor":"gpsd/location","kind":"location","t":"#))
        #expect(bench.output.lines[0].contains(#""utc":"2026-01-01T00:00:00Z""#))
        #expect(bench.output.lines[1].contains(#""latitude":48.2,"longitude":11.6"#))
        #expect(bench.errors.lines == ["2 readings, 0 lines rejected"])
    }

    @Test("counts rejected lines by reason, and loses no good one beside them")
    func rejected() async {
        let bench = CommandBench(
            input: ScriptedInput([
                bytes(Self.first, "$GPGGA,1", #"{"class":"TPV","mode":"#, #"{"class":nan}"#, "@@"),
                bytes(#"{"class":"TPV","mode":3,"lat":91,"lon":0}"#, Self.second),
            ]))
        #expect(await bench.run("decode", "gpsd") == .success)
        #expect(bench.output.lines.count == 2)
        #expect(
            bench.errors.lines == [
                "2 readings, 5 lines rejected: 1 cut off, 1 no JSON, 1 of NMEA, 1 of noise, "
                    + "1 with a position that is not on the Earth"
            ])
    }

    @Test("says of JSON that is no report what is wrong with it")
    func reasons() async {
        let bench = CommandBench(
            input: ScriptedInput([
                bytes("{}", #"{"mode":3}"#, #"{"class":"SKY","satellites":{}}"#),
                bytes(#"{"class":5}"#, #"{"class":"TPV","device":[],"mode":3}"#, "{5:1}"),
                bytes(#"{"class":"TPV","lat":"north"}"#, #"{"class":"TPV","lat":@}"#),
            ]))
        #expect(await bench.run("decode", "gpsd") == .badData)
        #expect(
            bench.errors.lines == [
                "0 readings, 8 lines rejected: 2 no JSON, 4 with a value of the wrong type, "
                    + "2 without a class"
            ])
    }

    @Test("does not take an empty name for a file's")
    func emptyName() async {
        let bench = CommandBench(input: ScriptedInput([]))
        #expect(await bench.run("decode", "gpsd", "") == .misuse)
        #expect(bench.errors.lines.last?.contains("FILE is empty; name a file") == true)
    }

    @Test("ends with a status of its own where there was nothing but rejected lines")
    func nothing() async {
        let bench = CommandBench(input: ScriptedInput([bytes("noise")]))
        #expect(await bench.run("decode", "gpsd") == .badData)
        let empty = CommandBench()
        #expect(await empty.run("decode", "gpsd") == .success)
        #expect(empty.errors.lines == ["0 readings, 0 lines rejected"])
    }

    @Test("does not blame the line that it was reading when it was asked to end")
    func interrupted() async throws {
        let clock = VirtualClock()
        let half = ByteArrival.bytes(Array(#"{"class":"TPV","mo"#.utf8))
        let bench = CommandBench(clock: clock, input: SlowInput(clock: clock, first: half))
        try await clock.run {
            let command = bench.start("decode", "gpsd")
            await clock.settle()
            command.cancel()
            await command.value
        }
        #expect(bench.errors.lines == ["0 readings, 0 lines rejected"])
    }

    @Test("stamps a recording on arrival, and says so once")
    func recording() async {
        let old = #"{"class":"TPV","mode":2,"time":"2018-06-01T00:00:0"#
        let rest = #"Z","lat":1,"lon":2}"#
        let bench = CommandBench(
            input: ScriptedInput([bytes(old + "1" + rest, old + "2" + rest)]))
        #expect(await bench.run("decode", "gpsd", "--json") == .success)
        for line in bench.output.lines {
            #expect(line.contains(#""utc":"2018-06-01T00:00:0"#))
            #expect(line.contains(#""timeSource":"arrival""#))
        }
        #expect(bench.errors.lines.count == 2)
        #expect(bench.errors.lines[0].contains("behind this host's clock"))
    }

    @Test("gives out a position 100 ms after its first report when nothing follows")
    func silence() async throws {
        let clock = VirtualClock()
        let input = SlowInput(clock: clock, first: bytes(Self.first))
        let bench = CommandBench(clock: clock, input: input)
        try await clock.run {
            let command = bench.start("decode", "gpsd")
            await clock.advance(by: .milliseconds(99))
            #expect(bench.output.lines.isEmpty)
            await clock.advance(by: .milliseconds(1))
            #expect(bench.output.lines.count == 1)
            command.cancel()
        }
    }

    @Test("tells of a receiver without a fix, and of one that is taken away")
    func statuses() async {
        let bench = CommandBench(
            input: ScriptedInput([
                bytes(
                    #"{"class":"TPV","device":"/dev/a","mode":1}"#,
                    #"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
            ]))
        #expect(await bench.run("decode", "gpsd") == .success)
        #expect(
            bench.errors.lines == [
                "gpsd/location: searching: the receiver has no fix",
                "gpsd: the receiver /dev/a is gone", "0 readings, 0 lines rejected",
            ])
    }
}

/// Gives bytes at once, and then nothing, in virtual time.
private struct SlowInput: ByteSource {
    let clock: VirtualClock
    let first: ByteArrival
    private let given = Collected<Bool>()

    init(clock: VirtualClock, first: ByteArrival) {
        self.clock = clock
        self.first = first
    }

    func next(within limit: Duration?) async throws(CommandFailure) -> ByteArrival {
        if given.all.isEmpty {
            given.append(true)
            return first
        }
        let isOver = await clock.pause(for: limit ?? .seconds(1_000_000))
        return isOver ? .silence : .end
    }
}
