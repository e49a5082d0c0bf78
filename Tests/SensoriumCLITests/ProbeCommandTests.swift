import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("probe", .timeLimit(.minutes(1)))
struct ProbeCommandTests {
    @Test("says that a sensor works, with its first reading")
    func works() async throws {
        let bench = CommandBench()
        let imu = bench.acceleration()
        imu.grantRate(104)
        try await bench.clock.run {
            bench.start("probe", "imu/acceleration")
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            try await imu.stopped()
        }
        #expect(bench.exitCode == .success)
        #expect(bench.output.lines[0] == "imu/acceleration (Spy): works")
        #expect(bench.output.lines[1].hasSuffix("x 0.000 m/s²  y 0.000 m/s²  z 9.800 m/s²"))
        #expect(bench.output.lines[2] == "  runs at 104 Hz")
    }

    @Test("says what a silent sensor waits for, and what to do")
    func waits() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            bench.start("probe", "location")
            try await gps.report(
                SensorStatus(
                    .waiting, reason: "gpsd refused the connection", hint: "start gpsd"))
            await bench.clock.advance(by: .seconds(5))
            try await gps.stopped()
        }
        #expect(bench.exitCode == .unavailable)
        #expect(
            bench.output.lines == [
                "gps/location (Spy): gave no reading within 5.0 s",
                "  waiting: gpsd refused the connection", "  what to do: start gpsd",
            ])
    }

    @Test("takes a screen that nobody touches for one that works", arguments: [false, true])
    func quiet(json: Bool) async throws {
        let bench = CommandBench()
        let screen = bench.add(TouchEvent.self, "screen/touch")
        try await bench.clock.run {
            if json {
                bench.start("probe", "touch", "--json")
            } else {
                bench.start("probe", "touch")
            }
            try await screen.report(SensorStatus(.running))
            await bench.clock.advance(by: .seconds(5))
            try await screen.stopped()
        }
        #expect(bench.exitCode == .success)
        if json {
            #expect(bench.output.lines[0].contains(#""works":true,"state":"running""#))
        } else {
            #expect(
                bench.output.lines == [
                    "screen/touch (Spy): works",
                    "  it was opened, and nobody used it within 5.0 s",
                ])
        }
    }

    @Test("has an advice also where the sensor has none")
    func searching() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        try await bench.clock.run {
            bench.start("probe", "location", "--for", "1")
            try await gps.report(SensorStatus(.searching, reason: "no fix"))
            await bench.clock.advance(by: .seconds(1))
        }
        #expect(
            bench.output.lines.last
                == "  what to do: give the receiver a clear view of the sky, and wait longer "
                + "(--for 60)")
    }

    @Test("of sensors that nobody named, one that searches does not count where another works")
    func compass() async throws {
        for isNamed in [false, true] {
            let bench = CommandBench()
            let gps = bench.location("gpsd/location")
            let compass = bench.location("gpsd/heading")
            try await bench.clock.run {
                if isNamed {
                    bench.start("probe", "gpsd/location", "gpsd/heading")
                } else {
                    bench.start("probe")
                }
                try await gps.deliver(latitude: 48.1, longitude: 11.5)
                try await compass.report(SensorStatus(.searching, reason: "no heading yet"))
                await bench.clock.advance(by: .seconds(5))
            }
            #expect(bench.exitCode == (isNamed ? .unavailable : .success))
            #expect(
                bench.output.lines.contains {
                    $0.hasPrefix("gpsd/heading (Spy): gave no reading")
                })
        }
    }

    @Test("says which right is missing, with the status for it")
    func denied() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        gps.authorization(.denied)
        try await bench.clock.run { await bench.start("probe", "location").value }
        #expect(bench.exitCode == .denied)
        #expect(bench.output.lines.first == "gps/location (Spy): does not work")
        #expect(bench.output.lines.last == "  this process's right to read it: denied")
    }

    @Test("asks for the right where nobody was asked yet")
    func asks() async throws {
        let bench = CommandBench()
        let gps = bench.location()
        gps.authorization(.notDetermined)
        try await bench.clock.run {
            bench.start("probe")
            try await gps.deliver(latitude: 1, longitude: 2)
        }
        #expect(bench.exitCode == .success)
        #expect(gps.events.contains(.askedForAuthorization))
    }

    @Test("looks at all sensors at once, and tells of them in order")
    func all() async throws {
        let bench = CommandBench()
        let (gps, imu) = (bench.location(), bench.acceleration())
        try await bench.clock.run {
            bench.start("probe")
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            #expect(bench.output.text == "")
            try await gps.deliver(latitude: 1, longitude: 2)
            #expect(bench.output.lines.filter { $0.hasSuffix("works") }.count == 2)
        }
        #expect(bench.output.lines[0] == "gps/location (Spy): works")
        #expect(bench.exitCode == .success)
    }

    @Test("prints what it found as JSON lines")
    func json() async throws {
        let bench = CommandBench()
        let (imu, gps) = (bench.acceleration(), bench.location())
        imu.grantRate(104)
        try await bench.clock.run {
            bench.start("probe", "imu/acceleration", "gps/location", "--json")
            try await imu.deliver(x: 0, y: 0, z: 9.8)
            try await gps.report(
                SensorStatus(.waiting, reason: "gpsd refused the connection", hint: "start gpsd"))
            await bench.clock.advance(by: .seconds(5))
        }
        #expect(bench.exitCode == .unavailable)
        #expect(
            bench.output.lines == [
                #"{"sensor":"imu/acceleration","kind":"acceleration","works":true,"rate":104.0"#
                    + #","authorization":"authorized"}"#,
                #"{"sensor":"gps/location","kind":"location","works":false,"state":"waiting","#
                    + #""reason":"gpsd refused the connection","hint":"start gpsd","#
                    + #""authorization":"authorized"}"#,
            ])
    }

    @Test("says that there is nothing to probe")
    func nothing() async {
        let bench = CommandBench()
        #expect(await bench.run("probe") == .unavailable)
        #expect(bench.errors.text.hasPrefix("sensorium probe: there is no sensor: no plugin is"))
    }
}
