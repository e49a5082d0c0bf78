import Glibc
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("commands for recordings", .timeLimit(.minutes(1)))
struct RecordingCommandsTests {
    /// 2023-11-14T22:13:20Z.
    private static let utc: Int64 = 1_700_000_000_000_000_000

    /// An accelerometer of 10 Hz with a second missing and a receiver of 1 Hz, for ten seconds.
    private static var walk: MemoryRecording {
        let gps = SensorDescriptor(id: "gps/location", kind: .location, name: "Receiver")
        let imu = SensorDescriptor(id: "imu/acceleration", kind: .acceleration, name: "IMU")
        var recording = MemoryRecording(
            sensors: [RecordedSensor(gps), RecordedSensor(imu)],
            metadata: RecordingMetadata(clock: .utc))
        for tick in 0...100 {
            let instant = SensorInstant(nanoseconds: utc + Int64(tick) * 100_000_000)
            if tick % 10 == 0 {
                recording.append(
                    LocationFix(
                        time: ReadingTime(instant), latitude: 48 + Double(tick) * 1e-5,
                        longitude: 11.5), of: gps.id)
            }
            if tick > 40 && tick < 50 { continue }
            recording.append(
                Acceleration(time: ReadingTime(instant), x: 0, y: Double(tick), z: 9.81),
                of: imu.id)
        }
        return recording
    }

    // MARK: info

    @Test("info says what there is, its rates and its gaps")
    func info() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let bench = CommandBench()
        #expect(await bench.run("info", file.path) == .success)
        let lines = bench.output.lines
        #expect(lines[0].hasPrefix("\(file.path): csv, "))
        #expect(
            lines[1] == "2023-11-14T22:13:20Z to 2023-11-14T22:13:30Z, 10.000 s"
        )
        let rows = lines.dropFirst(3).map { $0.split(separator: " ").map(String.init) }
        #expect(rows.count == 2)
        #expect(
            rows.contains(["gps/location", "location", "11", "1.00", "Hz", "0", "1.000", "s", "0"]))
        #expect(
            rows.contains(
                ["imu/acceleration", "acceleration", "92", "10.00", "Hz", "1", "1.000", "s", "0"]))
    }

    @Test("info says it to programs as JSON, a line for the file and one for each sensor")
    func infoJSON() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let bench = CommandBench()
        #expect(await bench.run("info", file.path, "--json") == .success)
        #expect(bench.output.lines.count == 3)
        #expect(bench.output.lines[0].contains(#""format":"csv""#))
        #expect(bench.output.lines[0].contains(#""seconds":10"#))
        #expect(bench.output.lines[0].contains(#""damaged":false"#))
        let imu = bench.output.lines.first { $0.contains("imu/acceleration") }
        #expect(imu?.contains(#""readings":92"#) == true)
        #expect(imu?.contains(#""gaps":1"#) == true)
    }

    @Test(
        "says what is wrong with a file, and how it ends then",
        arguments: [
            ("info", "", ExitCode.badData, "is empty"),
            ("info", "no recording at all", .badData, "is no recording that can be read"),
            ("replay", "", .badData, "is empty"),
        ])
    func badFiles(
        command: String, text: String, code: ExitCode, sentence: String
    ) async throws {
        let file = try TemporaryFile("walk.bin", holding: text)
        let bench = CommandBench()
        #expect(await bench.run(command, file.path) == code)
        #expect(bench.errors.text.contains(sentence), "\(bench.errors.text)")
        #expect(bench.output.text == "")
    }

    @Test("says of a file that is not there that it is not there")
    func absent() async {
        for arguments in [["info"], ["replay"], ["plot", "-o", "x.svg"], ["convert", "x.gpx"]] {
            let bench = CommandBench()
            var words = arguments
            words.insert("/nonexistent/walk.mcap", at: 1)
            #expect(await bench.run(words) == .noInput, "\(words)")
            #expect(bench.errors.text.contains("no such file or directory"))
        }
    }

    // MARK: convert

    @Test("convert writes what the format has a place for, and says what it left out")
    func convert() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let output = try TemporaryFile("walk.gpx")
        let bench = CommandBench()
        #expect(await bench.run("convert", file.path, output.path) == .success)
        #expect(
            bench.errors.lines == [
                "\(output.path): 11 readings",
                "left out: 92 readings of imu/acceleration: gpx has no place for it",
            ])
        let fixes = try output.content.events.compactMap(\.reading)
        #expect(fixes.count == 11)
        #expect(fixes.allSatisfy { $0.kind == .location })
        #expect(access(output.path + ".part", F_OK) != 0)
    }

    @Test("convert writes one sensor where one is named, and the same as before")
    func convertOne() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let output = try TemporaryFile("imu.csv")
        let bench = CommandBench()
        let code = await bench.run(
            "convert", file.path, output.path, "--sensor", "acceleration")
        #expect(code == .success)
        let wanted = Self.walk.events.filter { $0.sensor == "imu/acceleration" }
        #expect(try output.content.events == wanted)
    }

    @Test("convert does not replace a file, nor the one that it reads")
    func convertOver() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let bench = CommandBench()
        #expect(await bench.run("convert", file.path, file.path, "--force") == .misuse)
        let other = try TemporaryFile("other.csv", holding: "precious")
        #expect(await bench.run("convert", file.path, other.path) == .inputOutput)
        #expect(try other.text == "precious")
        #expect(await bench.run("convert", file.path, other.path, "--force") == .success)
        #expect(try other.content.events.count == Self.walk.events.count)
    }

    @Test("convert leaves nothing behind where there is nothing to write")
    func convertNothing() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let output = try TemporaryFile("imu.gpx")
        let bench = CommandBench()
        let code = await bench.run("convert", file.path, output.path, "--sensor", "acceleration")
        #expect(code == .badData)
        #expect(!output.isThere)
        #expect(access(output.path + ".part", F_OK) != 0)
    }

    // MARK: plot

    @Test("plot draws the track and the accelerations as SVG that is well formed")
    func plot() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let output = try TemporaryFile("walk.svg")
        let bench = CommandBench()
        #expect(await bench.run("plot", file.path, "-o", output.path) == .success)
        let picture = try output.text
        #expect(picture.hasPrefix("<svg ") || picture.hasPrefix("<?xml"))
        #expect(picture.contains("</svg>"))
        #expect(picture.contains("gps/location"))
        #expect(picture.contains("imu/acceleration"))
        #expect(picture.contains("m/s²"))
        #expect(await bench.run("plot", file.path, "location", "-o", "-") == .success)
        #expect(!bench.output.text.contains("imu/acceleration"))
    }

    @Test("plot says so where there is nothing to draw")
    func plotNothing() async throws {
        let key = SensorDescriptor(id: "remote/key", kind: .key, name: "Remote")
        var recording = MemoryRecording(
            sensors: [RecordedSensor(key)], metadata: RecordingMetadata(clock: .utc))
        recording.append(
            KeyEvent(
                time: ReadingTime(SensorInstant(nanoseconds: Self.utc)), code: 164, phase: .pressed),
            of: key.id)
        let file = try TemporaryFile("keys.csv", holding: recording)
        let output = try TemporaryFile("keys.svg")
        let bench = CommandBench()
        #expect(await bench.run("plot", file.path, "-o", output.path) == .badData)
        #expect(bench.errors.text.contains("there is nothing to draw"))
        #expect(!output.isThere)
    }

    // MARK: replay

    @Test("replay shows each reading when its time has come")
    func replay() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let bench = CommandBench()
        try await bench.clock.run {
            bench.start("replay", file.path, "location", "--json")
            await bench.clock.advance(by: .milliseconds(50))
            #expect(bench.output.lines.count == 0)
            await bench.clock.advance(by: .milliseconds(1050))
            #expect(bench.output.lines.count == 2)
            #expect(bench.output.lines[0].contains(#""utc":"2023-11-14T22:13:20Z""#))
            await bench.clock.advance(by: .seconds(10))
            #expect(bench.output.lines.count == 11)
        }
        #expect(bench.exitCode == .success)
    }

    @Test("replay goes faster, from where it is told, and as often as it is told")
    func replaySpeed() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        let bench = CommandBench()
        try await bench.clock.run {
            bench.start(
                "replay", file.path, "location", "--speed", "10", "--from", "5", "--loop", "--json",
                "--count", "20")
            await bench.clock.advance(by: .milliseconds(605))
            #expect(bench.output.lines.count == 6)
            await bench.clock.advance(by: .seconds(5))
        }
        #expect(bench.output.lines.count == 20)
        #expect(bench.exitCode == .success)
    }

    @Test("replay writes all at once with --speed max, twice the same")
    func replayMax() async throws {
        let file = try TemporaryFile("walk.csv", holding: Self.walk)
        var texts: [String] = []
        for _ in 0..<2 {
            let bench = CommandBench()
            #expect(await bench.run("replay", file.path, "--speed", "max", "--json") == .success)
            texts.append(bench.output.text)
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].split(separator: "\n").count == 103)
        let bench = CommandBench()
        #expect(await bench.run("replay", file.path, "--speed", "max", "--loop") == .misuse)
        #expect(await bench.run("replay", file.path, "pressure", "--speed", "max") == .unavailable)
        #expect(bench.errors.text.contains("has no sensor 'pressure'"))
    }
}
