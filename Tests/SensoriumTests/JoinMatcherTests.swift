import SensoriumTestKit
import Testing

@testable import Sensorium

func motion(_ milliseconds: Double, z: Double = 0) -> Acceleration {
    Acceleration(time: at(milliseconds), x: 0, y: 0, z: z)
}

func pressure(_ milliseconds: Double, _ value: Double = 0) -> Pressure {
    Pressure(time: at(milliseconds), value: value)
}

/// Milliseconds after an instant that is a second after boot.
func at(_ milliseconds: Double) -> ReadingTime {
    ReadingTime(SensorInstant(nanoseconds: 1_000_000_000 + Int64(milliseconds * 1e6)))
}

/// A matcher with its pairs, as (first, second) in milliseconds.
struct Bench {
    var matcher: JoinMatcher<Acceleration, Pressure>
    var pairs: [Joined<Acceleration, Pressure>] = []

    init(_ policy: JoinPolicy<Pressure>, capacity: Int = 8192) {
        matcher = JoinMatcher(policy, capacity: capacity)
    }

    mutating func a(_ times: Double...) {
        for time in times { matcher.add(first: motion(time)) { pairs.append($0) } }
    }

    mutating func b(_ times: Double...) {
        for time in times { matcher.add(second: pressure(time, time)) { pairs.append($0) } }
    }

    var times: [[Double]] {
        pairs.map { pair in
            [pair.first.instant, pair.second.instant].map {
                Double($0.nanoseconds - 1_000_000_000) / 1e6
            }
        }
    }

    /// Nothing may get lost: what came is paired, waits, or has a reason.
    func balances() -> Bool {
        [matcher.statistics.first, matcher.statistics.second].allSatisfy { side in
            side.received
                == side.paired + side.waiting + side.unmatched + side.late + side.dropped
        }
    }
}

@Suite("join matcher", .timeLimit(.minutes(1)))
struct JoinMatcherTests {
    @Test("a phase of 1 ms does not make pairs a period stale (TIM-05)")
    func phase() {
        var bench = Bench(.nearest(within: .milliseconds(10)))
        for k in 0..<5 {
            bench.a(Double(k) * 1000)
            bench.b(Double(k) * 1000 + 1)
        }
        let wanted: [[Double]] = [
            [0, 1], [1000, 1001], [2000, 2001], [3000, 3001], [4000, 4001],
        ]
        #expect(bench.times == wanted)
        #expect(bench.pairs.allSatisfy { $0.skew == .milliseconds(1) })
        #expect(bench.balances())
    }

    @Test("latest gives the age with each pair, and never looks ahead")
    func latest() {
        var bench = Bench(.latest(maxAge: .milliseconds(500)))
        bench.a(0)
        bench.b(100, 200)
        bench.a(150, 250, 701)
        #expect(bench.times == [[150, 100], [250, 200]])
        #expect(bench.pairs.map(\.skew) == [.milliseconds(-50), .milliseconds(-50)])
        #expect(bench.matcher.statistics.first[.noPartner] == 2)
        #expect(bench.balances())
    }

    @Test("of two equally near the earlier wins, of equal stamps the first to arrive")
    func ties() {
        var bench = Bench(.nearest(within: .milliseconds(10)))
        bench.a(10)
        bench.b(5, 15)
        #expect(bench.times == [[10, 5]])
        var equal = Bench(.nearest(within: .milliseconds(10)))
        equal.matcher.add(second: pressure(9, 1)) { _ in }
        equal.matcher.add(second: pressure(9, 2)) { _ in }
        equal.a(10, 10)
        equal.b(20)
        #expect(equal.pairs.map(\.second.value) == [1, 1])
        #expect(equal.pairs.count == 2)
        #expect(bench.balances() && equal.balances())
    }

    @Test("interpolates to the first's time, flags it, and takes an exact reading as it is")
    func interpolation() {
        var bench = Bench(.interpolated(maxGap: .milliseconds(100)))
        bench.b(0, 100)
        bench.a(25, 100)
        bench.b(300)
        bench.a(200)
        #expect(bench.pairs.map(\.second.value) == [25, 100])
        #expect(bench.pairs[0].second.flags == .interpolated)
        #expect(bench.pairs[0].skew == .milliseconds(-25))
        #expect(bench.pairs[1].second.flags == [])
        #expect(bench.matcher.statistics.first[.gapTooWide] == 1)
        #expect(bench.balances())
    }

    @Test("disorder is counted as late; a step back starts the side anew")
    func steps() {
        var bench = Bench(.nearest(within: .milliseconds(5)))
        bench.a(5000, 4990)
        #expect(bench.matcher.statistics.first.late == 1)
        bench.b(5000)
        bench.b(4999)
        #expect(bench.matcher.statistics.second.late == 1)
        bench.a(6000)
        // A looped log: both start again.
        bench.b(100)
        bench.a(100)
        bench.b(200)
        bench.a(200)
        #expect(bench.times == [[5000, 5000], [100, 100], [200, 200]])
        #expect(bench.matcher.statistics.first[.timeStepped] == 1)
        #expect(bench.balances())
    }

    @Test("a silent side costs a bounded memory, and output comes back with it (TIM-04)")
    func silence() {
        var bench = Bench(.nearest(within: .milliseconds(5)), capacity: 100)
        // 200 Hz beside 0.2 Hz, which pauses for 60 s.
        for tick in 0..<20_000 {
            let time = Double(tick) * 5
            bench.matcher.add(first: motion(time)) { bench.pairs.append($0) }
            let pauses = time >= 20_000 && time < 80_000
            if tick % 1000 == 0, !pauses {
                bench.matcher.add(second: pressure(time)) { bench.pairs.append($0) }
            }
        }
        let after = bench.times.filter { $0[0] > 79_000 }.count
        #expect(after >= 4)
        let first = bench.matcher.statistics.first
        #expect(first.received == 20_000)
        #expect(first[.noRoom] > 0)
        #expect(first.waiting <= 100)
        #expect(bench.balances())
    }

    @Test("a reading without a time matches nothing (TIM-04)")
    func noTime() {
        var bench = Bench(.nearest(within: .seconds(1_000_000)))
        let unknown = ReadingTime(SensorInstant(nanoseconds: 0))
        bench.matcher.add(first: Acceleration(time: unknown, x: 0, y: 0, z: 0)) {
            bench.pairs.append($0)
        }
        bench.matcher.add(second: Pressure(time: unknown, value: 1)) { bench.pairs.append($0) }
        bench.b(1)
        bench.a(1)
        #expect(bench.pairs.count == 1)
        #expect(bench.matcher.statistics.first[.noTime] == 1)
        #expect(bench.matcher.statistics.second[.noTime] == 1)
        #expect(bench.balances())
    }

    @Test("rates of 1000 to 1, either way round", arguments: [true, false])
    func rates(fastFirst: Bool) {
        var bench = Bench(.nearest(within: .milliseconds(2)))
        for tick in 0..<10_000 {
            if fastFirst || tick % 1000 == 0 { bench.a(Double(tick)) }
            if !fastFirst || tick % 1000 == 0 { bench.b(Double(tick)) }
        }
        if fastFirst {
            bench.matcher.endSecond { bench.pairs.append($0) }
            // Each slow reading serves the fast ones within 2 ms on either side of it.
            #expect(bench.pairs.count == 3 + 9 * 5)
        } else {
            #expect(bench.pairs.count == 10)
        }
        #expect(bench.balances())
    }

    @Test("the end of the second side settles what waits")
    func ending() {
        var bench = Bench(.nearest(within: .milliseconds(10)))
        bench.b(1)
        bench.a(5, 50)
        bench.matcher.endSecond { bench.pairs.append($0) }
        #expect(bench.times == [[5, 1]])
        #expect(bench.matcher.statistics.first[.otherSideEnded] == 1)
        #expect(bench.balances())
    }
}
