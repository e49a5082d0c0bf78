import Sensorium
import SensoriumTestKit
import Testing

@Suite("clock mapping", .timeLimit(.minutes(1)))
struct ClockMappingTests {
    @Test("a monotonic camera and a boottime accelerometer meet on one axis (TIM-01)")
    func monotonicToBoottime() {
        let clock = VirtualClock(start: SensorInstant(nanoseconds: 181_727_623_633_029))
        clock.step(.monotonic, by: .nanoseconds(44_057_405_311_086 - 181_727_623_633_029))
        let image = ClockMapping(clock: clock)
            .map(ClockTime(nanoseconds: 44_057_166_311_000, domain: .monotonic)).time
        #expect(image.instant.nanoseconds == 181_727_384_632_943)
        #expect(image.source == .device)
        #expect(image.original == ClockTime(nanoseconds: 44_057_166_311_000, domain: .monotonic))
        let acceleration = SensorInstant(nanoseconds: 181_727_627_713_798)
        #expect(image.instant.duration(to: acceleration) == .nanoseconds(243_080_855))
    }

    @Test("a camera that has boottime already is not mapped (TIM-01)")
    func boottime() {
        let clock = VirtualClock(start: SensorInstant(nanoseconds: 65_299_506_914_160))
        clock.step(.monotonic, by: .seconds(-40_000))
        let image = ClockMapping(clock: clock)
            .map(ClockTime(nanoseconds: 65_299_452_327_413, domain: .boottime)).time
        #expect(image.instant.nanoseconds == 65_299_452_327_413)
        #expect(image.instant.duration(to: clock.now) == .nanoseconds(54_586_747))
    }

    @Test("the offset is taken anew after a suspend")
    func suspend() async {
        let clock = VirtualClock()
        let mapping = ClockMapping(clock: clock)
        let before = clock.now
        await clock.suspend(for: .seconds(100))
        let stamp = clock.sample(.monotonic)?.time ?? ClockTime(nanoseconds: 0, domain: .foreign)
        #expect(stamp.nanoseconds == before.nanoseconds)
        #expect(mapping.map(stamp).time.instant == clock.now)
    }

    @Test("UTC within 2 s of this host's is mapped, other UTC is stamped on arrival and kept")
    func plausibility() {
        let clock = VirtualClock()
        let mapping = ClockMapping(clock: clock)
        let utc = clock.sample(.realtime)?.time.nanoseconds ?? 0
        let near = mapping.map(ClockTime(nanoseconds: utc - 1_500_000_000, domain: .realtime))
        #expect(near.time.instant == clock.now.advanced(by: .milliseconds(-1500)))
        #expect(near.time.source == .device)
        let old = ClockTime(nanoseconds: 1_521_310_535_000_000_000, domain: .realtime)
        let far = mapping.map(old)
        guard case .arrival(let time, because: .utcGap(let gap, _)) = far else {
            Issue.record("mapped \(far)")
            return
        }
        #expect(time.instant == clock.now)
        #expect(time.source == .arrival)
        #expect(time.original == old)
        #expect(time.utcNanoseconds == old.nanoseconds)
        #expect(gap < .zero)
    }

    @Test("two clocks that start together join through their offset (TIM-02)")
    func offsetOfTwoClocks() {
        let clock = VirtualClock(
            start: SensorInstant(nanoseconds: 94_704_300_000_000),
            utc: 1_721_820_000_000_000_000)
        let fix = ClockMapping(clock: clock)
            .map(ClockTime(nanoseconds: 1_721_820_000_000_000_000, domain: .realtime)).time
        #expect(fix.instant == clock.now)
    }

    @Test("the age of a fix counts a suspend, and setting the clock changes no age (TIM-07)")
    func ages() async {
        let clock = VirtualClock()
        let mapping = ClockMapping(clock: clock)
        let utc = clock.sample(.realtime)?.time ?? ClockTime(nanoseconds: 0, domain: .foreign)
        let fix = mapping.map(utc).time
        await clock.advance(by: .seconds(10))
        await clock.suspend(for: .seconds(28_800))
        #expect(fix.instant.duration(to: clock.now) == .seconds(28_810))
        clock.step(.realtime, by: .seconds(-3600))
        #expect(fix.instant.duration(to: clock.now) == .seconds(28_810))
    }

    @Test("a stamp ahead of its own clock is refused with the reason (TIM-07)")
    func future() {
        let clock = VirtualClock()
        let unix = clock.sample(.realtime)?.time.nanoseconds ?? 0
        let doubled = ClockTime(nanoseconds: unix + clock.now.nanoseconds, domain: .boottime)
        guard
            case .arrival(_, because: .future(let domain, let gap)) = ClockMapping(clock: clock)
                .map(doubled)
        else {
            Issue.record("was mapped")
            return
        }
        #expect(domain == .boottime)
        #expect(gap > .seconds(86_400))
    }

    @Test("times of two clocks have no difference")
    func domains() throws {
        let a = ClockTime(nanoseconds: 5, domain: .monotonic)
        let b = ClockTime(nanoseconds: 9, domain: .realtime)
        #expect(throws: ClockDomainMismatch.self) {
            try a.duration(to: b)
        }
        #expect(
            try a.duration(to: ClockTime(nanoseconds: 9, domain: .monotonic)) == .nanoseconds(4))
    }
}
