import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Gaps between scans", .timeLimit(.minutes(1)))
struct GapCounterTests {
    /// How many scans are missing before each stamp, given in milliseconds.
    private func missing(
        _ stamps: [Double], rate: Double? = 100, domain: ClockDomain = .boottime
    ) -> Int? {
        guard var counter = GapCounter(rate: rate, domain: domain) else { return nil }
        return stamps.map { Int64($0 * 1e6) }.withUnsafeBufferPointer { stamps in
            // In pieces, as refills come.
            stride(from: 0, to: stamps.count, by: 7).reduce(0) { sum, start in
                let piece = stamps[start..<min(start + 7, stamps.count)]
                return sum + counter.missing(before: UnsafeBufferPointer(rebasing: piece))
            }
        }
    }

    private func steady(_ count: Int, every period: Double = 10, jitter: Double = 0) -> [Double] {
        (0..<count).map { Double($0) * period + ($0 % 2 == 0 ? jitter : -jitter) }
    }

    @Test("counts what is missing in a gap of whole periods", arguments: [1, 2, 17, 60, 500])
    func counts(lost: Int) {
        var stamps = steady(50, jitter: 0.3)
        stamps.removeAll { $0 > 405 }
        stamps += steady(40, jitter: 0.3).map { $0 + 400 + 10 * Double(lost + 1) }
        #expect(missing(stamps) == lost)
    }

    @Test("counts also where the device runs beside its rate")
    func slow() {
        let stamps = steady(100, every: 11.2) + steady(50, every: 11.2).map { $0 + 11.2 * 103 }
        #expect(missing(stamps) == 3)
    }

    @Test("counts no pause that is not clear")
    func unclear() {
        // Half a period too long, before the device was steady, after a sleep, and a step back.
        #expect(missing(steady(50) + steady(50).map { $0 + 515 }) == 0)
        #expect(missing(steady(20) + steady(50).map { $0 + 500 }) == 0)
        #expect(missing(steady(50) + steady(50).map { $0 + 60_000 }) == 0)
        #expect(missing(steady(50) + steady(50)) == 0)
        // Another rate than the one that was said.
        #expect(missing(steady(50, every: 20) + steady(50, every: 20).map { $0 + 2000 }) == 0)
    }

    @Test("tells nothing without a rate, or of a clock that can be set")
    func unknown() {
        #expect(missing([], rate: nil) == nil)
        #expect(missing([], rate: 0) == nil)
        #expect(missing([], domain: .realtime) == nil)
        #expect(missing([], domain: .foreign) == nil)
        #expect(missing([], domain: .monotonic) == 0)
    }

    @Test("are losses of each sensor at its own rate, but not where a device tells changes only")
    func losses() async throws {
        for isEager in [true, false] {
            var device = ScriptedDevice.imu(
                frequency: "100",
                feed: .signal { number in
                    // From the 50th on, as if twelve had been lost.
                    let turn = Int64(number + (number >= 50 ? 13 : 1))
                    return ["timestamp": 1_000_000_000_000 + turn * 10_000_000]
                })
            if !isEager { device.channels[0].attributes["hysteresis"] = "0.1" }
            let bench = Bench([device])
            try await bench.clock.run {
                let fast = try await bench.open(
                    try await bench.sensor(of: Acceleration.self), rate: 100)
                let slow = try await bench.open(
                    try await bench.sensor(of: AngularVelocity.self), rate: 50)
                await bench.clock.advance(by: .seconds(1))
                let lost = ReadingLoss(count: 12, reason: .device)
                #expect(fast.losses == (isEager ? [lost] : []))
                #expect(slow.losses.map(\.count) == (isEager ? [6] : []))
                #expect(fast.readings.count > 60)
                await fast.session.close()
                await slow.session.close()
            }
        }
    }
}
