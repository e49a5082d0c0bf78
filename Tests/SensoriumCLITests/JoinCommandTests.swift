import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("join", .timeLimit(.minutes(1)))
struct JoinCommandTests {
    @Test("prints pairs, ends after so many, and tells what became of the readings")
    func pairs() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("join", "location", "acceleration", "--count", "2", "--json")
            for _ in 0..<2 {
                try await gps.deliver(latitude: 48.1, longitude: 11.5)
                await bench.clock.advance(by: .milliseconds(20))
                try await imu.deliver(x: 0, y: 0, z: 9.8)
                await bench.clock.advance(by: .milliseconds(980))
            }
            try await gps.stopped()
            try await imu.stopped()
        }
        #expect(bench.exitCode == .success)
        #expect(bench.output.lines.count == 2)
        #expect(bench.output.lines.allSatisfy { $0.hasPrefix(#"{"location":{"sensor":"gps/loc"#) })
        #expect(bench.output.lines.allSatisfy { $0.hasSuffix(#","skew":0.02}"#) })
        #expect(
            bench.errors.lines == [
                "2 pairs; gps/location: 2 readings, 2 paired; imu/acceleration: 2 readings, 2 paired"
            ])
    }

    @Test("says every 5 s why there is no pair, and what found no partner")
    func diagnosis() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            let command = bench.start("join", "location", "acceleration", "--within", "50")
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await bench.clock.advance(by: .milliseconds(51))
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            await bench.clock.advance(by: .seconds(5))
            command.cancel()
            try await imu.stopped()
        }
        let lines = bench.errors.lines
        #expect(lines.first?.hasPrefix("no pair for 5.0 s: ") == true)
        #expect(lines.last?.hasPrefix("0 pairs; gps/location: 1 reading, 0 paired, 1 ") == true)
        #expect(lines.last?.contains("1 without a partner") == true)
    }

    @Test("follows the policy")
    func policies() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start(
                "join", "gps/location", "imu/acceleration", "--policy", "interpolated", "--json",
                "--count", "1")
            try await imu.deliver(x: 1, y: 0, z: 0)
            await bench.clock.advance(by: .milliseconds(250))
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await bench.clock.advance(by: .milliseconds(750))
            try await imu.deliver(x: 5, y: 0, z: 0)
            try await imu.stopped()
        }
        let line = try #require(bench.output.lines.first)
        #expect(line.contains(#""utc":null,"interpolated":true,"x":2.0,"#))
        #expect(line.hasSuffix(#","skew":-0.25}"#))
    }

    @Test("refuses to interpolate what has nothing between two readings")
    func notBetween() async {
        let bench = CommandBench()
        _ = bench.acceleration()
        _ = bench.add(TouchEvent.self, "panel/touch")
        let code = await bench.run(
            "join", "acceleration", "touch", "--policy", "interpolated")
        #expect(code == .misuse)
        #expect(
            bench.errors.text
                == "sensorium join: there is nothing between two readings of panel/touch, a touch "
                + "sensor; use --policy nearest or latest\n")
    }

    @Test("prefers real sensors, and ends with the error of either side")
    func preferred() async throws {
        let bench = CommandBench()
        let fake = bench.location("a/location", isSimulated: true)
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("join", "location", "acceleration")
            try await gps.started()
            #expect(fake.openCount == 0)
            try await imu.finish(
                .disconnected("imu/acceleration", reason: "it was unplugged", hint: "plug it in"))
            try await gps.stopped()
        }
        #expect(bench.exitCode == .unavailable)
        #expect(
            bench.errors.lines.last
                == "sensorium join: imu/acceleration was disconnected: it was unplugged; plug it in"
        )
    }

    @Test("ends after the time that was asked for")
    func duration() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("join", "location", "acceleration", "--for", "2")
            try await gps.started()
            try await imu.started()
            await bench.clock.advance(by: .seconds(2))
            #expect(!gps.isOpen)
            #expect(!imu.isOpen)
        }
        #expect(bench.exitCode == .success)
    }
}
