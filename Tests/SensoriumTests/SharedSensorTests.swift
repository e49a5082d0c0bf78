import SensoriumTestKit
import Testing

@testable import Sensorium

@Suite("shared sensor", .timeLimit(.minutes(1)))
struct SharedSensorTests {
    let clock = VirtualClock()

    @Test("opens the device once, gives every consumer every reading, and closes after the last")
    func sharing() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        device.allowSessions(1)
        let shared = SharedSensor(device)
        let seen = (0..<3).map { _ in Collected<Double>() }
        try await clock.run {
            let loops = seen.map { seen in
                clock.spawn("consumer") {
                    do {
                        for try await reading in shared.readings() { seen.append(reading.z) }
                    } catch {}
                }
            }
            for z in 0..<10 { try await device.deliver(x: 0, y: 0, z: Double(z)) }
            #expect(shared.consumerCount == 3)
            for loop in loops {
                #expect(device.isOpen)
                loop.cancel()
                await loop.value
            }
            await shared.closed()
        }
        #expect(seen.allSatisfy { $0.all == (0..<10).map(Double.init) })
        #expect(device.openCount == 1)
        #expect(!device.isOpen)
    }

    @Test("the highest rate drives the device, and slower consumers are thinned out by time")
    func rates() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let shared = SharedSensor(device)
        let (slow, fast) = (Collected<Double>(), Collected<Double>())
        try await clock.run {
            let one = clock.spawn("slow") {
                do {
                    for try await r in shared.readings(SamplingRequest(rate: 10)) {
                        slow.append(r.z)
                    }
                } catch {}
            }
            await clock.settle()
            #expect(shared.grantedRate == 10)
            let two = clock.spawn("fast") {
                do {
                    for try await r in shared.readings(SamplingRequest(rate: 100)) {
                        fast.append(r.z)
                    }
                } catch {}
            }
            await clock.settle()
            #expect(shared.grantedRate == 100)
            for tick in 0..<100 {
                try await device.deliver(x: 0, y: 0, z: Double(tick))
                await clock.advance(by: .milliseconds(10))
            }
            two.cancel()
            await two.value
            #expect(shared.grantedRate == 10)
            one.cancel()
            await one.value
        }
        #expect(fast.all.count == 100)
        #expect(slow.all == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
        #expect(
            device.events.filter { if case .reconfigured = $0 { true } else { false } }.count == 2)
    }

    @Test("a device that ended by itself is opened anew by the next consumer")
    func reopening() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let shared = SharedSensor(device)
        let gone = SensorError.disconnected(device.id, reason: "unplugged", hint: "plug it in")
        try await clock.run {
            let ended = Collected<SensorError>()
            clock.spawn("first") {
                do throws(SensorError) { for try await _ in shared.readings() {} } catch {
                    ended.append(error)
                }
            }
            try await device.finish(gone)
            #expect(ended.all == [gone])
            await shared.closed()
            async let next = shared.first { _ in true }
            try await device.deliver(x: 0, y: 0, z: 5)
            #expect(try await next?.z == 5)
            await shared.closed()
        }
        #expect(device.openCount == 2)
    }

    @Test("a consumer that joins late is told the present status, and no old reading")
    func late() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let shared = SharedSensor(device)
        let told = Collected<ReadingUpdate<Acceleration>>()
        try await clock.run {
            let first = clock.spawn("first") {
                do { for try await _ in shared.readings() {} } catch {}
            }
            try await device.deliver(x: 0, y: 0, z: 1)
            try await device.report(SensorStatus(.stale, reason: "nothing for 5 s"))
            let second = clock.spawn("second") {
                do {
                    for try await update in shared.readings().updates { told.append(update) }
                } catch {}
            }
            await clock.settle()
            for loop in [first, second] {
                loop.cancel()
                await loop.value
            }
        }
        #expect(told.all == [.status(SensorStatus(.stale, reason: "nothing for 5 s"))])
    }

    @Test("an open that fails is told to its consumer alone, and the next may try again")
    func failing() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let busy = SensorError.busy(device.id, reason: "taken", hint: "wait")
        device.refuse(with: busy)
        let shared = SharedSensor(device)
        try await clock.run {
            await #expect(throws: busy) { for try await _ in shared.readings() {} }
            async let next = shared.first { _ in true }
            try await device.deliver(x: 0, y: 0, z: 5)
            #expect(try await next?.z == 5)
        }
    }

    @Test("ten thousand consumers that come and go leave nothing behind (MOK-05)")
    func comingAndGoing() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let shared = SharedSensor(device)
        try await clock.run {
            let resident = clock.spawn("resident") {
                do { for try await _ in shared.readings() {} } catch {}
            }
            try await device.started()
            for _ in 0..<1000 {
                let one = Array(0..<10).map { _ in
                    clock.spawn("passer-by") { _ = try? await shared.first { _ in true } }
                }
                await clock.settle()
                try await device.deliver(x: 0, y: 0, z: 1)
                for task in one { await task.value }
                await clock.settle()
            }
            #expect(shared.consumerCount == 1)
            resident.cancel()
            await resident.value
            await shared.closed()
        }
        #expect(device.openCount == 1)
    }

    @Test("a consumer that never reads costs its buffer, and every loss is counted (MOK-05)")
    func neverReading() async throws {
        let clock = clock
        let device = MotionSensorSpy<Acceleration>(clock: clock)
        let stream = SharedSensor(device).readings(SamplingRequest(buffering: .newest(100)))
        try await clock.run {
            var iterator = stream.makeAsyncIterator()
            async let first: Void = device.deliver(x: 0, y: 0, z: 0)
            _ = try await iterator.next()
            try await first
            for second in 0..<60 {
                let batch = (0..<1000).map { k in
                    Acceleration(
                        time: ReadingTime(clock.now), x: 0, y: 0, z: Double(second * 1000 + k))
                }
                try await device.deliver(batch)
            }
            #expect(try await iterator.next()?.z == 59_900)
        }
        #expect(stream.lossCount == 59_900)
    }
}

@Suite("decimator")
struct DecimatorTests {
    func kept(_ asked: Double, _ granted: Double?, _ times: [Int64]) -> [Int64] {
        guard var decimator = Decimator(asked: asked, granted: granted, keeping: nil) else {
            return times
        }
        return times.filter { decimator.keeps(SensorInstant(nanoseconds: $0 * 1_000_000)) }
    }

    @Test("keeps the mean rate under jitter")
    func jitter() {
        let times = (0..<1000).map { Int64($0 * 10 + ($0 % 3) - 1) }
        #expect(kept(10, 100, times).count == 100)
    }

    @Test("goes on after a gap and after a step back, without a burst")
    func gaps() {
        #expect(
            kept(10, 100, [0, 10, 5000, 5010, 5100, 100, 110, 200]) == [0, 5000, 5100, 100, 200])
    }

    @Test("bears absurd rates", arguments: [1e-300, Double.leastNonzeroMagnitude, 1e300])
    func absurd(rate: Double) {
        #expect(kept(rate, rate * 2, [0, 1, 2]).first == 0)
    }

    @Test("lets everything through where the device is no faster than asked")
    func through() {
        #expect(kept(100, 100, [0, 1, 2]) == [0, 1, 2])
    }
}
