import IIOPlugin
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Scan clock", .timeLimit(.minutes(1)))
struct ScanClockTests {
    private let clock = VirtualClock()

    /// The instants of scans with those stamps that arrive now.
    private func instants(_ clock: inout ScanClock, _ stamps: [Int64], at arrival: SensorInstant)
        -> (
            [Int64], ScanStamps
        )
    {
        var copy = stamps
        return copy.withUnsafeMutableBufferPointer { buffer in
            let times = clock.times(of: buffer, arrival: arrival)
            return (times.stamps.map { $0 + times.offset }, times)
        }
    }

    private func later(_ milliseconds: Int64) -> SensorInstant {
        clock.now.advanced(by: .milliseconds(milliseconds))
    }

    @Test(
        "knows the kernel's clocks by name",
        arguments: [
            ("boottime", ClockDomain.boottime), ("monotonic", .monotonic), ("realtime", .realtime),
            ("tai", .tai), ("realtime_coarse", .realtime), ("monotonic_raw", .foreign),
            ("something new", .foreign),
        ])
    func names(name: String, domain: ClockDomain) {
        #expect(ScanClock(name, isLocal: true, rate: 100, clock: clock).domain == domain)
    }

    @Test("maps a refill by its newest scan, keeping the spacing")
    func maps() throws {
        var scans = ScanClock("monotonic", isLocal: true, rate: 100, clock: clock)
        let now = clock.now.nanoseconds
        let (found, times) = instants(
            &scans, [now - 30_000_000, now - 21_000_000, now - 10_000_000], at: clock.now)
        #expect(found == [now - 30_000_000, now - 21_000_000, now - 10_000_000])
        #expect(times.source == .device)
        #expect(times.domain == .monotonic)
        #expect(scans.implausibility == nil)
    }

    @Test("says how coarse a coarse clock is")
    func coarse() {
        var scans = ScanClock("realtime_coarse", isLocal: true, rate: 100, clock: clock)
        let utc = clock.sample(.realtime)?.time.nanoseconds ?? 0
        let (_, times) = instants(&scans, [utc], at: clock.now)
        #expect(times.uncertainty >= 0.004)
    }

    @Test("takes the quickest arrival for another machine's offset")
    func remote() {
        var scans = ScanClock("realtime", isLocal: false, rate: 100, clock: clock)
        let start = clock.now.nanoseconds
        // Stamps of a clock that began with that machine; delays of 9, 3, 12, 5 ms.
        var found: [Int64] = []
        for (number, delay) in [9, 3, 12, 5].enumerated() {
            let measured = Int64(number) * 10_000_000
            let arrival = SensorInstant(
                nanoseconds: start + measured + Int64(delay) * 1_000_000)
            let (one, times) = instants(&scans, [500 + measured], at: arrival)
            found += one
            #expect(times.source == .arrival)
            #expect(times.isDevices)
        }
        // 9 ms late at first; from then on 3 ms, but never before the one before.
        #expect(found[0] == start + 9_000_000)
        #expect(found[1...].map { $0 - start } == [13_000_000, 23_000_000, 33_000_000])
    }

    @Test("starts anew when another machine's clock is set")
    func jump() {
        var offset = ArrivalOffset()
        #expect(offset.take(stamp: 1000, arrival: 5_000_000_000).offset == 4_999_999_000)
        #expect(offset.take(stamp: 10_001_000, arrival: 5_012_000_000).offset == 4_999_999_000)
        // An hour forward.
        let set = offset.take(stamp: 3_600_020_001_000, arrival: 5_020_000_000)
        #expect(set.offset == 5_020_000_000 - 3_600_020_001_000)
        #expect(set.uncertainty == 0)
    }

    @Test("follows a slow drift, within two windows")
    func drift() {
        var offset = ArrivalOffset()
        var last: Int64 = 0
        // The other clock loses 100 µs a second; 10 ms between readings.
        for number in 0..<3000 {
            let arrival = Int64(number) * 10_000_000
            let stamp = arrival - arrival / 10_000
            last = offset.take(stamp: stamp, arrival: arrival).offset
        }
        let truth: Int64 = 2999 * 10_000_000 / 10_000
        #expect(abs(last - truth) < 1_100_000)
    }

    @Test("places scans without stamps by arrival and rate, never before the ones before")
    func unstamped() {
        var scans = ScanClock(nil, isLocal: true, rate: 100, clock: clock)
        let start = clock.now.nanoseconds
        let (first, times) = instants(&scans, [0, 0, 0], at: clock.now)
        #expect(first == [start - 20_000_000, start - 10_000_000, start])
        #expect(!times.isDevices)
        #expect(times.source == .arrival)
        // Three more only 12 ms later.
        let (next, _) = instants(&scans, [0, 0, 0], at: later(12))
        #expect(next == [start + 4_000_000, start + 8_000_000, start + 12_000_000])
    }

    @Test("does not believe a device whose stamps stand still", arguments: [0, 77])
    func frozen(stamp: Int64) {
        var scans = ScanClock("realtime", isLocal: true, rate: 100, clock: clock)
        var found: [Int64] = []
        for number in 0..<4 {
            found += instants(&scans, [stamp], at: later(Int64(number) * 10)).0
        }
        let start = clock.now.nanoseconds
        #expect(found.suffix(2) == [start + 20_000_000, start + 30_000_000])
        #expect(scans.implausibility != nil)
    }
}
