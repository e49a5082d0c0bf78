import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("list", .timeLimit(.minutes(1)))
struct ListCommandTests {
    private static let accelerometer = SensorDescriptor(
        id: "iio/lid/acceleration", kind: .acceleration, name: "BMA253", vendor: "Bosch",
        range: 39.2, resolution: 0.0096, rates: .listed([12.5, 25, 50, 100, 200]),
        placement: .display, needs: "/dev/iio:device0", isPreferred: true)

    private func bench() -> CommandBench {
        let bench = CommandBench()
        _ = bench.location(isSimulated: true)
        bench.registry.add(
            MotionSensorSpy<Acceleration>(clock: bench.clock, descriptor: Self.accelerometer))
        return bench
    }

    @Test("shows the sensors in columns, and opens none")
    func columns() async {
        let bench = bench()
        #expect(await bench.run("list") == .success)
        #expect(
            bench.output.lines == [
                "SENSOR                KIND          RATE                      ABOUT",
                "gps/location          location      -                         Spy, simulated",
                "iio/lid/acceleration  acceleration  12.5 to 200 Hz (5 steps)  BMA253, by Bosch, "
                    + "over /dev/iio:device0, in the display, preferred",
            ])
    }

    @Test("prints a JSON line for each, without what is unknown")
    func json() async {
        let bench = bench()
        #expect(await bench.run("list", "--json") == .success)
        #expect(
            bench.output.lines == [
                #"{"sensor":"gps/location","kind":"location","simulated":true,"name":"Spy","#
                    + #""authorization":"authorized"}"#,
                #"{"sensor":"iio/lid/acceleration","kind":"acceleration","preferred":true,"#
                    + #""name":"BMA253","vendor":"Bosch","range":39.2,"resolution":0.0096,"#
                    + #""rates":[12.5,25.0,50.0,100.0,200.0],"placement":"display","#
                    + #""needs":"/dev/iio:device0","authorization":"authorized"}"#,
            ])
    }

    @Test("says on standard error that there is none, which is no failure")
    func none() async {
        let bench = CommandBench()
        #expect(await bench.run("list") == .success)
        #expect(bench.output.text == "")
        #expect(bench.errors.text == "there is no sensor: no plugin is loaded\n")
    }

    @Test(
        "shows rates as people write them",
        arguments: [
            (.unknown, "-"), (.range(0.1...10), "0.1 to 10 Hz"), (.listed([]), "-"),
            (.listed([1]), "1 Hz"), (.listed([1, 12.5]), "1, 12.5 Hz"),
        ] as [(SamplingRates, String)])
    func rates(rates: SamplingRates, words: String) {
        #expect(rates.words == words)
    }
}
