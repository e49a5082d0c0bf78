import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("watch shake and orientation", .timeLimit(.minutes(1)))
struct MotionWatchTests {
    @Test("prints each shake, and closes the sensor when it is stopped")
    func shake() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        try await bench.clock.run {
            let command = bench.start("watch", "shake")
            try await imu.rest()
            #expect(imu.requests.map(\.rate) == [50])
            try await imu.shake()
            try await imu.tilt(to: .portrait)
            command.cancel()
            try await imu.stopped()
        }
        let lines = bench.output.lines
        try #require(lines.count == 2)
        #expect(lines[0].contains("  imu/acceleration  shake began  strength "))
        #expect(lines[1].contains("  imu/acceleration  shake ended  strength "))
        #expect(bench.exitCode == .success)
        #expect(bench.errors.text == "")
    }

    @Test("prints how the device is held, as JSON")
    func orientation() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration(isSimulated: true)
        try await bench.clock.run {
            let command = bench.start("watch", "orientation", "--json")
            try await imu.rest()
            try await imu.tilt(to: .landscapeLeft)
            command.cancel()
            try await imu.stopped()
        }
        let lines = bench.output.lines
        try #require(lines.count == 2)
        #expect(
            lines[0].hasPrefix(
                #"{"sensor":"imu/acceleration","event":"orientation","t":1000"#))
        #expect(
            lines[0].hasSuffix(
                #","simulated":true,"orientation":"face-up","previous":null}"#))
        #expect(lines[1].hasSuffix(#""orientation":"landscape-left","previous":"face-up"}"#))
        #expect(bench.exitCode == .success)
    }

    @Test("watches both at once, on the best accelerometer")
    func both() async throws {
        let bench = CommandBench(terminal: Terminal(columns: 60, rows: 20))
        let simulated = bench.acceleration("sim/acceleration", isSimulated: true)
        let imu = bench.acceleration()
        try await bench.clock.run {
            bench.start("watch", "shake", "orientation", "--for", "3.5", "--rate", "100")
            try await imu.rest()
            #expect(imu.requests.map(\.rate) == [100])
            #expect(simulated.openCount == 0)
            try await imu.shake(for: .milliseconds(800))
            try await imu.rest()
            #expect(imu.isOpen)
            await bench.clock.advance(by: .seconds(1))
            try await imu.stopped()
        }
        let words = bench.output.lines.map { $0.split(separator: " ").dropFirst(2).prefix(2) }
        #expect(
            words.map { $0.joined(separator: " ") } == [
                "orientation face-up", "shake began", "shake ended",
            ])
        #expect(bench.screen.pictures.isEmpty)
    }

    @Test("ends after as many events as were asked for")
    func count() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        try await bench.clock.run {
            bench.start("watch", "orientation", "--count", "1")
            try await imu.rest(for: .milliseconds(290))
            #expect(imu.isOpen)
            try await imu.rest(for: .milliseconds(20))
            try await imu.stopped()
        }
        #expect(bench.output.lines.count == 1)
        #expect(bench.exitCode == .success)
    }

    @Test("names what is wrong with the sensor, and cancels the shake under way")
    func failure() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        try await bench.clock.run {
            bench.start("watch", "imu/acceleration", "shake")
            try await imu.report(SensorStatus(.stale, reason: "nothing came"))
            try await imu.lose(2, .device)
            try await imu.suffer(.deny)
        }
        #expect(bench.exitCode == .denied)
        #expect(bench.errors.lines.first == "imu/acceleration: stale: nothing came")
        #expect(bench.errors.lines.last?.hasPrefix("imu/acceleration may not be used") == true)
    }

    @Test("is for accelerometers only, and says so where there is none")
    func misuse() async throws {
        let empty = CommandBench()
        #expect(await empty.run("watch", "shake") == .unavailable)
        let bench = CommandBench()
        _ = bench.location()
        #expect(await bench.run("watch", "shake", "location") == .misuse)
        #expect(
            bench.errors.text.contains(
                "shake can only be watched on an accelerometer, and gps/location is a location"))
    }
}
