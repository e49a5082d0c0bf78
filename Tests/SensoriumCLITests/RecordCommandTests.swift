import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("record", .timeLimit(.minutes(1)))
struct RecordCommandTests {
    @Test("records what comes, for as long as was asked, and says how much it was")
    func records() async throws {
        let file = try TemporaryFile("walk.csv")
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("record", "-o", file.path, "--for", "3", "--rate", "50")
            try await imu.started()
            #expect(imu.requests.map(\.rate) == [50])
            for _ in 0..<4 {
                try await imu.deliver(x: 0, y: 0, z: 9.8)
                await bench.clock.advance(by: .milliseconds(250))
            }
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await bench.clock.advance(by: .seconds(2))
            #expect(!gps.isOpen && !imu.isOpen)
        }
        #expect(bench.exitCode == .success)
        #expect(
            bench.errors.lines[0].hasPrefix("\(file.path): 5 readings in 3.000 s, "),
            "\(bench.errors.text)")
        #expect(
            bench.errors.lines.dropFirst() == [
                "  gps/location: 1 reading", "  imu/acceleration: 4 readings",
            ])
        let content = try file.content
        #expect(content.events.compactMap(\.reading).count == 5)
        #expect(Set(content.sensors.map(\.id)) == [gps.id, imu.id])
    }

    @Test("finishes the file when it is ended, and can then be asked about it")
    func ended() async throws {
        let file = try TemporaryFile("walk.csv")
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            let command = bench.start("record", "location", "-o", file.path)
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            command.cancel()
            try await gps.stopped()
        }
        #expect(bench.exitCode == .success)
        let reader = CommandBench()
        #expect(await reader.run("info", file.path, "--json") == .success)
        #expect(reader.output.lines[1].contains(#""sensor":"gps/location""#))
        #expect(reader.output.lines[1].contains(#""readings":1"#))
    }

    @Test("shows on a terminal how each sensor does")
    func table() async throws {
        let file = try TemporaryFile("walk.csv")
        let bench = CommandBench(terminal: Terminal(columns: 100, rows: 20))
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            let command = bench.start("record", "-o", file.path)
            try await imu.started()
            for _ in 0..<200 {
                try await imu.deliver(x: 0, y: 0, z: 9.8)
                await bench.clock.advance(by: .milliseconds(10))
            }
            try await imu.lose(7, .device)
            await bench.clock.advance(by: .milliseconds(250))
            let picture = try #require(bench.screen.pictures.last)
            #expect(picture[0].hasPrefix("\(file.path) · 0:02 · "))
            #expect(picture[2] == "SENSOR            RATE    READINGS  LOST  STATE")
            #expect(
                picture[3]
                    == "gps/location      -       0         0     waiting for the first reading")
            #expect(picture[4] == "imu/acceleration  100 Hz  200       7     recording")
            command.cancel()
            try await imu.stopped()
            try await gps.stopped()
        }
        #expect(!bench.screen.isEntered)
        #expect(bench.errors.text.contains("  imu/acceleration: 200 readings, 7 lost"))
    }

    @Test("leaves out what the format has no place for, and says so")
    func places() async throws {
        let file = try TemporaryFile("track.gpx")
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("record", "-o", file.path, "--for", "1")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            #expect(!imu.isOpen)
            await bench.clock.advance(by: .seconds(1))
        }
        #expect(bench.errors.lines[0] == "left out: imu/acceleration: gpx has no place for it")
        #expect(bench.exitCode == .success)
        let other = CommandBench()
        let force = other.acceleration()
        #expect(await other.run("record", "acceleration", "-o", "x.gpx") == .misuse)
        #expect(!force.isOpen)
    }

    @Test("does not replace a file unless it is told to")
    func replaces() async throws {
        let file = try TemporaryFile("walk.csv", holding: "precious")
        let bench = CommandBench()
        let gps = bench.location()
        #expect(await bench.run("record", "-o", file.path) == .inputOutput)
        #expect(bench.errors.text.contains("is there already; --force replaces it"))
        #expect(!gps.isOpen)
        try await bench.clock.run {
            bench.start("record", "-o", file.path, "--force", "--for", "1")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await bench.clock.advance(by: .seconds(1))
        }
        #expect(try file.content.events.count == 1)
    }

    @Test("goes on with the other sensors when one ends, and ends when all have")
    func sensorEnds() async throws {
        let file = try TemporaryFile("walk.csv")
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("record", "-o", file.path)
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            try await imu.finish(.disconnected(imu.id, reason: "it was pulled out", hint: "-"))
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            #expect(bench.exitCode == nil)
            try await gps.finish()
            await bench.clock.settle()
        }
        #expect(bench.exitCode == .success)
        #expect(
            bench.errors.lines.last
                == "  imu/acceleration: 1 reading, ended: it was pulled out")
    }

    @Test("ends with why no sensor could be opened")
    func nothing() async throws {
        let file = try TemporaryFile("walk.csv")
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            try await gps.suffer(.deny)
            bench.start("record", "-o", file.path)
            await bench.clock.settle()
        }
        #expect(bench.exitCode == .denied)
    }

    @Test(
        "says what is wrong with the command line",
        arguments: [
            (["record"], "sensorium record: say where to write the recording; -o FILE.mcap"),
            (
                ["record", "-o", "walk.xyz"],
                "sensorium record: the name 'walk.xyz' does not say what to write"
            ),
        ])
    func misuse(arguments: [String], sentence: String) async {
        let bench = CommandBench()
        #expect(await bench.run(arguments) == .misuse)
        #expect(bench.errors.lines[0].hasPrefix(sentence), "\(bench.errors.text)")
    }

    @Test("says that nothing can be written, and where")
    func unwritable() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        #expect(await bench.run("record", "-o", "/nonexistent/walk.csv") == .inputOutput)
        #expect(bench.errors.text.contains("/nonexistent/walk.csv cannot be written"))
        #expect(!gps.isOpen)
    }
}
