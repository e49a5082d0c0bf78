import Sensorium
import SensoriumTestKit
import Testing

@Suite("accuracy")
struct AccuracyTests {
    @Test("is converted from a known confidence only")
    func conversions() throws {
        let drms = try #require(Accuracy(1.414_213_562, .drms))
        #expect(abs((drms.radius(at: .ninetyFivePercent) ?? 0) - 2.4477) < 0.001)
        #expect(abs((drms.radius(at: .sixtyEightPercent) ?? 0) - 1.5096) < 0.001)
        #expect(abs((drms.radius(at: .fiftyPercent) ?? 0) - 1.1774) < 0.001)
        let sigma = try #require(Accuracy(1, .drms))
        #expect(abs((sigma.halfWidth(at: .ninetyFivePercent) ?? 0) - 1.96) < 0.001)
        let unknown = try #require(Accuracy(5, .unspecified))
        #expect(unknown.radius(at: .drms) == nil && drms.radius(at: .unspecified) == nil)
    }

    @Test("is never negative or not a number", arguments: [-1, .nan, .infinity] as [Double])
    func refused(value: Double) { #expect(Accuracy(value, .drms) == nil) }
}

@Suite("interpolated readings")
struct InterpolationTests {
    func fix(_ latitude: Double, _ longitude: Double, course: Double? = nil) -> LocationFix {
        LocationFix(
            time: ReadingTime(SensorInstant(nanoseconds: 1)), latitude: latitude,
            longitude: longitude, course: course)
    }

    @Test(
        "goes the short way round the Earth and the compass",
        arguments: [
            (179.0, -179.0, 0.5, 180.0), (-179, 179, 0.25, -179.5), (10, 20, 0.5, 15),
        ])
    func longitudes(a: Double, b: Double, fraction: Double, wanted: Double) throws {
        let between = try #require(LocationFix.interpolate(fix(0, a), fix(0, b), fraction))
        #expect(abs(abs(between.longitude) - abs(wanted)) < 1e-9)
        let turned = try #require(
            LocationFix.interpolate(fix(0, 0, course: 350), fix(0, 0, course: 20), 0.5))
        #expect(abs((turned.course ?? -1) - 5) < 1e-9)
    }

    @Test("makes nothing up at a pole, and keeps what only one side knows out")
    func limits() throws {
        #expect(LocationFix.interpolate(fix(89.95, 0), fix(89.95, 90), 0.5) == nil)
        var known = fix(1, 1)
        known.altitudeMSL = 100
        #expect(try #require(LocationFix.interpolate(known, fix(2, 2), 0.5)).altitudeMSL == nil)
    }
}

@Suite("sensor error")
struct SensorErrorTests {
    @Test("reads as a sentence that says what, why and what to do")
    func sentences() {
        let error = SensorError.denied(
            "iio/x", reason: "/dev/iio:device0 belongs to root", hint: "install the udev rules")
        #expect(
            error.description
                == "iio/x may not be used by this process: /dev/iio:device0 belongs to root; install the udev rules"
        )
        let late = SensorError.timedOut("a/b", after: .milliseconds(1500), hint: "wait")
        #expect(late.description == "a/b gave nothing: nothing came within 1.500 s; wait")
        #expect(
            SensorError.cancelled("a/b").description == "a/b was cancelled: the task was cancelled")
    }
}

@Suite("system clock")
struct SystemClockTests {
    @Test("samples each clock of the kernel close to boot time, and no foreign one")
    func samples() throws {
        let clock = SystemClock()
        for domain in ClockDomain.allCases where domain != .foreign {
            let sample = try #require(clock.sample(domain))
            #expect(sample.uncertainty >= .zero)
            #expect(sample.time.domain == domain)
        }
        #expect(clock.sample(.foreign) == nil)
        let realtime = try #require(clock.sample(.realtime)).time
        #expect(ClockMapping(clock: clock).map(realtime).time.source == .device)
    }

    @Test("a wait until the past ends at once, and a cancelled one too")
    func waits() async {
        let clock = SystemClock()
        #expect(await clock.pause(for: .zero))
        let task = clock.spawn("waiter") { await clock.pause(for: .seconds(3600)) }
        task.cancel()
        await task.value
    }
}

@Suite("durations and instants")
struct InstantTests {
    @Test("saturate instead of trapping")
    func saturation() {
        let last = SensorInstant(nanoseconds: .max)
        #expect(last.advanced(by: .seconds(1)) == last)
        let first = SensorInstant(nanoseconds: .min)
        #expect(first.duration(to: last) == .nanoseconds(Int64.max))
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        let longest = Duration.seconds(1e19)
        #expect(longest.wholeNanoseconds == .max)
        #expect((.zero - longest).wholeNanoseconds == .min)
        #expect(longest.inSeconds == 1e19)
        #expect((Duration.nanoseconds(Int64.max) - .nanoseconds(1)).wholeNanoseconds == .max - 1)
        #expect(last.advanced(by: longest) == last)
        #expect(SensorInstant(nanoseconds: -1_500_000_000).description == "boot+-1.500000s")
    }
}
