import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin

@Suite("Frame clock", .timeLimit(.minutes(1)))
struct FrameClockTests {
    private let clock = VirtualClock()
    private var arrival: SensorInstant { clock.now }

    private func stamp(_ domain: ClockDomain, ago: Duration) throws -> Int64 {
        try #require(clock.sample(domain)).time.nanoseconds - ago.wholeNanoseconds
    }

    @Test("maps the monotonic clock to boot time, over a suspend too")
    func monotonic() async throws {
        await clock.suspend(for: .seconds(100))
        var frames = FrameClock(clock: clock)
        let stamp = try stamp(.monotonic, ago: .milliseconds(20))
        let time = frames.time(of: stamp, flags: .monotonic, arrival: arrival)
        #expect(time.instant == arrival.advanced(by: .milliseconds(-20)))
        #expect(time.original == ClockTime(nanoseconds: stamp, domain: .monotonic))
        #expect(time.source == .device)
        #expect(frames.doubt == nil)
    }

    @Test("finds out which clock an unnamed stamp is of", arguments: [V4L2BufferFlags(), .copied])
    func unnamed(flags: V4L2BufferFlags) throws {
        for domain in [ClockDomain.monotonic, .realtime] {
            var frames = FrameClock(clock: clock)
            let time = frames.time(
                of: try stamp(domain, ago: .milliseconds(5)), flags: flags, arrival: arrival)
            #expect(time.instant == arrival.advanced(by: .milliseconds(-5)))
            #expect(time.original?.domain == domain)
            #expect(time.source == .device)
        }
    }

    @Test(
        "takes the arrival for a stamp that makes no sense, says so, and keeps it",
        arguments: [0, -5, 12_345, Int64.max, Int64.min] as [Int64])
    func nonsense(stamp: Int64) {
        for flags in [V4L2BufferFlags.monotonic, .copied, []] {
            var frames = FrameClock(clock: clock)
            let time = frames.time(of: stamp, flags: flags, arrival: arrival)
            #expect(time.instant == arrival)
            #expect(time.source == .arrival)
            #expect(time.original?.nanoseconds == stamp)
            #expect(frames.doubt != nil)
        }
    }

    @Test("never goes back, whatever the driver does")
    func order() async throws {
        var frames = FrameClock(clock: clock)
        var last = SensorInstant(nanoseconds: .min)
        var isArrival = false
        for ago in [20, 10, 500, 0, 3, 3, -100, 20] {
            await clock.advance(by: .milliseconds(5))
            let time = frames.time(
                of: try stamp(.monotonic, ago: .milliseconds(ago)), flags: .monotonic,
                arrival: arrival)
            #expect(time.instant >= last)
            last = time.instant
            isArrival = isArrival || time.source == .arrival
        }
        #expect(isArrival)
    }

    @Test("says of which moment a stamp is")
    func reference() {
        #expect(FrameClock.reference([.monotonic, .startOfExposure]) == .startOfExposure)
        #expect(FrameClock.reference(.monotonic) == .endOfFrame)
    }
}

@Suite("Frame count", .timeLimit(.minutes(1)))
struct FrameCountTests {
    private func missing(_ numbers: [UInt32]) -> [Int] {
        var count = FrameCount()
        return numbers.map { count.take($0).missing }
    }

    @Test("counts what is missing between two frames, not before the first one")
    func gaps() {
        #expect(missing([7, 8, 10, 11, 15]) == [0, 0, 1, 0, 3])
    }

    @Test("goes on when the count does from its highest number")
    func wraps() {
        #expect(missing([.max - 1, .max, 0, 2]) == [0, 0, 0, 1])
    }

    @Test("takes a count that begins anew for no loss")
    func restarts() {
        #expect(missing([500, 501, 0, 1, 1_000_000]) == [0, 0, 0, 0, 0])
    }

    @Test("gives no number where the driver does not count")
    func constant() {
        var count = FrameCount()
        #expect(count.take(0).sequence == 0)
        #expect(count.take(0).sequence == nil)
        #expect(count.take(0).sequence == nil)
        #expect(count.take(5).sequence == nil)
    }
}
