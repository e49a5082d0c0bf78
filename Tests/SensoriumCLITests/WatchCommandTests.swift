import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("watch", .timeLimit(.minutes(1)))
struct WatchCommandTests {
    @Test("prints one line per reading, and closes the sensor when it is stopped")
    func lines() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            let command = bench.start("watch", "location")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            try await gps.deliver(latitude: 48.2, longitude: 11.6)
            #expect(bench.output.lines.count == 2)
            #expect(bench.output.lines[0].contains("gps/location  latitude 48.1000000°"))
            command.cancel()
            try await gps.stopped()
        }
        #expect(bench.exitCode == .success)
        #expect(bench.errors.text == "")
    }

    @Test("ends after as many readings as were asked for, of all sensors together")
    func count() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("watch", "--count", "3", "--json")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            #expect(bench.exitCode == nil)
            try await imu.deliver((0..<9).map { _ in Samples.acceleration })
            try await gps.stopped()
            try await imu.stopped()
        }
        #expect(bench.output.lines.count == 3)
        #expect(bench.exitCode == .success)
    }

    @Test("takes up a sensor that is plugged in later, where the words stand for it")
    func arrival() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            let command = bench.start("watch", "location")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            let imu = bench.acceleration()
            let late = bench.location("late/location")
            try await late.deliver(latitude: 48.2, longitude: 11.6)
            #expect(bench.output.lines.count == 2)
            #expect(bench.output.lines.last?.contains("late/location  latitude 48.2") == true)
            #expect(!imu.isOpen)
            command.cancel()
            try await late.stopped()
            try await gps.stopped()
        }
        #expect(bench.exitCode == .success)
        #expect(bench.errors.lines == ["late/location arrived"])
    }

    @Test("says when only a simulated sensor stands in for a kind, but not for its own id")
    func standIn() async throws {
        for word in ["location", "simulated/location"] {
            let bench = CommandBench()
            let gps = bench.location("simulated/location", isSimulated: true)
            try await bench.clock.run {
                bench.start("watch", word, "--count", "1")
                try await gps.deliver(latitude: 48.1, longitude: 11.5)
            }
            let notice = "there is no real location sensor; a simulated one stands in"
            #expect(bench.errors.lines == (word == "location" ? [notice] : []))
        }
    }

    @Test("ends after the time that was asked for")
    func duration() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            bench.start("watch", "location", "--for", "2.5")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await bench.clock.advance(by: .milliseconds(2499))
            #expect(gps.isOpen)
            await bench.clock.advance(by: .milliseconds(1))
            #expect(!gps.isOpen)
        }
        #expect(bench.exitCode == .success)
    }

    @Test("asks for the rate")
    func rate() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        try await bench.clock.run {
            bench.start("watch", "imu/acceleration", "--rate", "50", "--count", "1")
            try await imu.started()
            #expect(imu.requests.map(\.rate) == [50])
            try await imu.deliver(x: 0, y: 0, z: 9.8)
        }
    }

    @Test("tells statuses and losses on standard error, in words")
    func notices() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        try await bench.clock.run {
            let command = bench.start("watch", "acceleration", "--json")
            try await imu.report(SensorStatus(.running))
            try await imu.report(SensorStatus(.stale, reason: "nothing came", hint: "plug it in"))
            try await imu.report(SensorStatus(.stale, reason: "nothing came", hint: "plug it in"))
            try await imu.report(SensorStatus(.running))
            try await imu.lose(1, .malformed)
            try await imu.lose(4, .device)
            try await imu.lose(5, .device)
            await bench.clock.advance(by: .seconds(1))
            try await imu.lose(1, .device)
            command.cancel()
            try await imu.stopped()
        }
        #expect(
            bench.errors.lines == [
                "imu/acceleration: stale: nothing came; plug it in",
                "imu/acceleration: running",
                "imu/acceleration: 1 reading lost: what came could not be understood",
                "imu/acceleration: 4 readings lost: the device, its driver or its daemon dropped "
                    + "them",
                "imu/acceleration: 6 readings lost: the device, its driver or its daemon dropped "
                    + "them",
            ])
        #expect(bench.output.text == "")
    }

    @Test("goes on with the other sensors when one fails, and ends with its status")
    func failure() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        gps.authorization(.denied)
        try await bench.clock.run {
            bench.start("watch")
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            #expect(bench.output.lines.count == 1)
            #expect(bench.exitCode == nil)
            try await imu.finish()
        }
        #expect(bench.exitCode == .denied)
        #expect(bench.errors.text.hasPrefix("gps/location may not be used by this process: "))
    }

    @Test("shows a table on a terminal, at most ten times a second, and leaves it behind")
    func table() async throws {
        let bench = CommandBench(terminal: Terminal(columns: 60, rows: 20))
        let imu = bench.acceleration()
        try await bench.clock.run {
            let command = bench.start("watch", "acceleration")
            try await imu.started()
            #expect(bench.screen.isEntered)
            for step in 0..<1000 {
                try await imu.deliver(x: 0, y: 0, z: Double(step))
                await bench.clock.advance(by: .milliseconds(1))
            }
            #expect(bench.screen.pictures.count <= 11)
            #expect(bench.output.text == "")
            command.cancel()
            try await imu.stopped()
        }
        #expect(!bench.screen.isEntered)
        #expect(bench.output.lines.last?.hasPrefix("  z                 999.000 m/s²") == true)
    }

    @Test("tells why a sensor failed also after the table is gone")
    func tableFailure() async throws {
        let bench = CommandBench(terminal: Terminal(columns: 60, rows: 20))
        let imu = bench.acceleration()
        imu.refuse(
            with: .busy("imu/acceleration", reason: "another program has it", hint: "end that"))
        try await bench.clock.run { await bench.start("watch", "acceleration").value }
        #expect(bench.exitCode == .unavailable)
        #expect(
            bench.errors.lines == ["imu/acceleration is busy: another program has it; end that"])
        #expect(bench.output.text.contains("ended: another program has it"))
    }

    @Test("prints JSON lines also on a terminal when asked to")
    func jsonOnTerminal() async throws {
        let bench = CommandBench(terminal: Terminal(columns: 60, rows: 20))
        let imu = bench.acceleration()
        try await bench.clock.run {
            bench.start("watch", "acceleration", "--json", "--count", "1")
            try await imu.deliver(x: 0, y: 0, z: 9.8)
        }
        #expect(bench.output.lines.count == 1)
        #expect(bench.screen.pictures.isEmpty)
    }
}
