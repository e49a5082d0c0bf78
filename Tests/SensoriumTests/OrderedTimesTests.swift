import Sensorium
import Testing

@Suite("ordered times", .timeLimit(.minutes(1)))
struct OrderedTimesTests {
    private func arrived(_ milliseconds: Int64) -> ReadingTime {
        ReadingTime(SensorInstant(nanoseconds: milliseconds * 1_000_000), source: .arrival)
    }

    /// A time that was measured at `milliseconds` by both clocks, 1 ms more or less.
    private func measured(_ milliseconds: Int64, domain: ClockDomain = .realtime) -> ReadingTime {
        ReadingTime(
            SensorInstant(nanoseconds: milliseconds * 1_000_000),
            original: ClockTime(nanoseconds: milliseconds * 1_000_000, domain: domain),
            uncertainty: .milliseconds(1))
    }

    @Test("gives times that are in order as they are")
    func inOrder() {
        var times = OrderedTimes()
        for time in [measured(10), measured(20), arrived(25), arrived(25), measured(30)] {
            #expect(times.next(time) == time)
        }
    }

    @Test("holds a measured time back to the arrival before it, and says how far it is off")
    func afterArrival() throws {
        var times = OrderedTimes()
        _ = times.next(arrived(50))
        let held = times.next(measured(40))
        #expect(held.instant == arrived(50).instant)
        #expect(held.original == measured(40).original)
        #expect(held.source == .device)
        let uncertainty = try #require(held.uncertainty)
        #expect((uncertainty - .milliseconds(11)).magnitude < .nanoseconds(10))
        #expect(times.next(measured(60)) == measured(60))
    }

    @Test("holds an arrival back to the measured time before it, of unknown uncertainty")
    func beforeMeasured() {
        var times = OrderedTimes()
        _ = times.next(measured(50))
        let held = times.next(arrived(40))
        #expect(held.instant == measured(50).instant)
        #expect(held.uncertainty == nil)
        #expect(held.source == .arrival)
    }

    @Test("lets what the source says is older stay older, and goes on from the newest")
    func older() {
        var times = OrderedTimes()
        _ = times.next(measured(50))
        #expect(times.next(measured(40)) == measured(40))
        #expect(times.next(arrived(45)).instant == measured(50).instant)
    }

    @Test("begins anew when the source goes back by more than a second")
    func playedAgain() {
        var times = OrderedTimes()
        _ = times.next(measured(5000))
        #expect(times.next(measured(3000)) == measured(3000))
        #expect(times.next(measured(3010)) == measured(3010))
    }

    @Test("compares times of one clock only")
    func domains() {
        var times = OrderedTimes()
        _ = times.next(measured(50))
        #expect(times.next(measured(40, domain: .foreign)).instant == measured(50).instant)
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
