import Sensorium
import SensoriumTestKit
import Testing

@Suite("joined reading", .timeLimit(.minutes(1)))
struct JoinedReadingsTests {
    let clock = VirtualClock()

    @Test("pairs a location with the nearest acceleration, and closes both sensors")
    func pairs() async throws {
        let clock = clock
        let journal = SpyJournal()
        let gps = LocationSensorSpy(clock: clock, journal: journal)
        let imu = MotionSensorSpy<Acceleration>(clock: clock, journal: journal)
        let pair = try await clock.run {
            async let first = joined(gps, with: imu, matching: .nearest(within: .milliseconds(20)))
                .first { _ in true }
            try await imu.deliver(x: 0, y: 0, z: 1)
            await clock.advance(by: .milliseconds(10))
            try await gps.deliver(latitude: 10, longitude: 20)
            await clock.advance(by: .milliseconds(2))
            try await imu.deliver(x: 0, y: 0, z: 2)
            let pair = try await first
            try await gps.stopped()
            try await imu.stopped()
            return pair
        }
        #expect(pair?.first.latitude == 10)
        #expect(pair?.second.z == 2)
        #expect(pair?.skew == .milliseconds(2))
    }

    @Test("says after 5 s that one side is silent, and with which status")
    func silentSide() async throws {
        let clock = clock
        let gps = LocationSensorSpy(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let pairs = joined(gps, with: imu, matching: .latest(maxAge: .seconds(1)))
        let told = try await clock.run { () -> [JoinDiagnosis] in
            let told = Collected<JoinDiagnosis>()
            let loop = clock.spawn("loop") {
                do {
                    for try await case .diagnosis(let diagnosis) in pairs.updates {
                        told.append(diagnosis)
                    }
                } catch {}
            }
            try await imu.deliver(x: 0, y: 0, z: 9.81)
            try await gps.report(SensorStatus(.waiting, reason: "gpsd is not there"))
            for _ in 0..<12 {
                await clock.advance(by: .milliseconds(500))
                try await imu.deliver(x: 0, y: 0, z: 9.81)
            }
            loop.cancel()
            await loop.value
            return told.all
        }
        #expect(told.count == 1)
        #expect(
            told.first?.cause
                == .silent([.first], SensorStatus(.waiting, reason: "gpsd is not there")))
        #expect(told.first?.description.contains("gpsd is not there") == true)
        #expect(clock.sleeperCount == 0)
    }

    @Test("joins sensors of two clocks through their offset (TIM-02)")
    func twoClocks() async throws {
        let utc: Int64 = 1_721_820_000_000_000_000
        let clock = VirtualClock(start: SensorInstant(nanoseconds: 94_704_300_000_000), utc: utc)
        let mapping = ClockMapping(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let gps = LocationSensorSpy(clock: clock)
        let pairs = joined(gps, with: imu, matching: .nearest(within: .milliseconds(10)))
        let skews = Guarded<[Duration]>([])
        try await clock.run {
            let loop = clock.spawn("loop") {
                do { for try await pair in pairs { skews.withLock { $0.append(pair.skew) } } } catch
                {}
            }
            try await imu.started()
            for k in 0..<30 {
                try await imu.deliver(Acceleration(time: ReadingTime(clock.now), x: 0, y: 0, z: 0))
                if k % 10 == 0 {
                    let stamp = ClockTime(
                        nanoseconds: utc + Int64(k) * 100_000_000, domain: .realtime)
                    let time = mapping.map(stamp).time
                    #expect(time.source == .device && time.original == stamp)
                    try await gps.deliver(LocationFix(time: time, latitude: 0, longitude: 0))
                }
                await clock.advance(by: .milliseconds(100))
            }
            loop.cancel()
            await loop.value
        }
        #expect(skews.withLock { $0 } == [.zero, .zero, .zero])
        #expect(pairs.diagnosis == nil)
    }

    @Test("names the gap between two clocks that were mixed up (TIM-02)")
    func apart() async throws {
        let clock = clock
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let gps = LocationSensorSpy(clock: clock)
        let pairs = joined(
            imu, with: gps, matching: .nearest(within: .milliseconds(10)), capacity: 64)
        try await clock.run {
            let loop = clock.spawn("loop") {
                do { for try await _ in pairs {} } catch {}
            }
            try await gps.started()
            for k in 0..<100 {
                let a = SensorInstant(nanoseconds: 94_704_300_000_000 + Int64(k) * 100_000_000)
                try await imu.deliver(Acceleration(time: ReadingTime(a), x: 0, y: 0, z: 0))
                if k % 10 == 0 {
                    let b = SensorInstant(
                        nanoseconds: 1_721_820_000_000_000_000 + Int64(k) * 100_000_000)
                    try await gps.deliver(
                        LocationFix(time: ReadingTime(b), latitude: 0, longitude: 0))
                }
                await clock.advance(by: .milliseconds(100))
            }
            loop.cancel()
            await loop.value
        }
        guard case .apart(let gap, _) = pairs.diagnosis?.cause else {
            Issue.record("no diagnosis: \(String(describing: pairs.diagnosis))")
            return
        }
        #expect(abs(gap.inSeconds - 1_721_725_295.7) < 1)
        #expect(pairs.statistics.pairs == 0)
        #expect(pairs.statistics.first.waiting <= 64)
    }

    @Test("ends by the error of either sensor")
    func failing() async throws {
        let clock = clock
        let gps = LocationSensorSpy(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let gone = SensorError.disconnected(imu.id, reason: "unplugged", hint: "plug it in")
        await #expect(throws: gone) {
            try await clock.run {
                async let all: Void = {
                    for try await _ in joined(
                        gps, with: imu, matching: .latest(maxAge: .seconds(1)))
                    {}
                }()
                try await imu.finish(gone)
                try await all
            }
        }
        #expect(!gps.isOpen && !imu.isOpen)
    }

    @Test("a second sensor that does not open closes the first")
    func opening() async throws {
        let clock = clock
        let gps = LocationSensorSpy(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        let busy = SensorError.busy(imu.id, reason: "taken", hint: "wait")
        imu.refuse(with: busy)
        await #expect(throws: busy) {
            try await clock.run {
                for try await _ in joined(gps, with: imu, matching: .latest(maxAge: .seconds(1))) {}
            }
        }
        #expect(gps.openCount == 1 && !gps.isOpen)
    }
}
