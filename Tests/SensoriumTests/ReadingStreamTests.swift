import Sensorium
import SensoriumTestKit
import Testing

/// Delivers what it is told, through every session that is open.
final class Source: MotionSensor {
    typealias Reading = Acceleration
    let descriptor = SensorDescriptor(id: "test/a", kind: .acceleration, name: "Test")
    let virtual: VirtualClock
    var clock: any SensorClock { virtual }
    let sinks = Guarded<[Int: ReadingSink<Acceleration>]>([:])
    let opened = Guarded(0)
    let closed = Guarded(0)

    init(_ clock: VirtualClock) { virtual = clock }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
    ) async throws(SensorError) -> any SensorSession {
        let id = opened.withLock { count in
            count += 1
            return count
        }
        sinks.withLock { $0[id] = sink }
        return Session(source: self, id: id)
    }

    struct Session: SensorSession {
        let source: Source
        let id: Int
        var grantedRate: Double? { 100 }
        func close() async {
            source.sinks.withLock { _ = $0.removeValue(forKey: id) }
            source.closed.withLock { $0 += 1 }
        }
    }

    func deliver(_ z: Double, at nanoseconds: Int64 = 1) {
        let reading = Acceleration(
            time: ReadingTime(SensorInstant(nanoseconds: nanoseconds)), x: 0, y: 0, z: z)
        for sink in sinks.withLock({ Array($0.values) }) { sink.deliver(reading) }
    }

    func report(_ status: SensorStatus) {
        for sink in sinks.withLock({ Array($0.values) }) { sink.report(status) }
    }

    func finish(_ error: SensorError? = nil) {
        for sink in sinks.withLock({ Array($0.values) }) { sink.finish(error) }
    }
}

@Suite("reading stream", .timeLimit(.minutes(1)))
struct ReadingStreamTests {
    let clock = VirtualClock()

    @Test("gives every reading in order, one by one and in batches")
    func order() async throws {
        let source = Source(clock)
        let (clock, values, batch) = (clock, Collected<Double>(), Collected<Double>())
        try await clock.run {
            clock.spawn("one by one") {
                do {
                    for try await r in source.readings() { values.append(r.z) }
                } catch {}
            }
            clock.spawn("batches") {
                do {
                    for try await b in source.readings().batches {
                        batch.append(contentsOf: b.map(\.z))
                    }
                } catch {}
            }
            await clock.settle()
            for z in 0..<1000 { source.deliver(Double(z)) }
            source.finish()
            await clock.settle()
        }
        #expect(values.all == (0..<1000).map(Double.init))
        #expect(batch.all == (0..<1000).map(Double.init))
        #expect(source.closed.withLock { $0 } == 2)
    }

    @Test("drops the oldest or the newest by policy and counts exactly")
    func overflow() async throws {
        let source = Source(clock)
        let clock = clock
        let newest = source.readings(SamplingRequest(buffering: .newest(10)))
        let oldest = source.readings(SamplingRequest(buffering: .oldest(10)))
        let got = try await clock.run { () -> ([Double], [Double]) in
            async let a: [Double] = {
                var all: [Double] = []
                for try await r in newest { all.append(r.z) }
                return all
            }()
            async let b: [Double] = {
                var all: [Double] = []
                for try await r in oldest { all.append(r.z) }
                return all
            }()
            await clock.settle()
            for z in 0..<25 { source.deliver(Double(z)) }
            source.finish()
            return try await (a, b)
        }
        #expect(got.0 == (15..<25).map(Double.init))
        #expect(got.1 == (0..<10).map(Double.init))
        #expect(newest.losses == [.slowConsumer: 15])
        #expect(oldest.lossCount == 15)
    }

    @Test("tells readings, statuses and losses in one order")
    func updates() async throws {
        let source = Source(clock)
        let clock = clock
        let stream = source.readings(SamplingRequest(buffering: .newest(2)))
        let got = try await clock.run { () -> [String] in
            async let all: [String] = {
                var all: [String] = []
                for try await update in stream.updates {
                    switch update {
                    case .reading(let r): all.append("\(Int(r.z))")
                    case .status(let s): all.append("\(s.state)")
                    case .lost(let loss): all.append("-\(loss.count)")
                    }
                }
                return all
            }()
            await clock.settle()
            source.deliver(1)
            source.report(SensorStatus(.running))
            source.deliver(2)
            await clock.settle()
            for z in 3...6 { source.deliver(Double(z)) }
            source.report(SensorStatus(.stale))
            source.finish()
            return try await all
        }
        #expect(got == ["1", "running", "2", "-2", "5", "6", "stale"])
    }

    @Test("cancelling closes the sensor before the loop ends")
    func cancelling() async throws {
        let source = Source(clock)
        let clock = clock
        let closedAtEnd = try await clock.run { () -> Int in
            let atEnd = Collected<Int>()
            let task = clock.spawn("loop") {
                do { for try await _ in source.readings() {} } catch {}
                atEnd.append(source.closed.withLock { $0 })
            }
            await clock.settle()
            task.cancel()
            await task.value
            return atEnd.all.first ?? -1
        }
        #expect(closedAtEnd == 1)
    }

    @Test("leaving by break closes in the background, and closed() waits for it")
    func breaking() async throws {
        let source = Source(clock)
        let shared = SharedSensor(source)
        let clock = clock
        try await clock.run {
            async let first = shared.first { _ in true }
            await clock.settle()
            source.deliver(1)
            _ = try await first
            await shared.closed()
        }
        #expect(source.closed.withLock { $0 } == 1)
        #expect(shared.consumerCount == 0)
    }

    @Test("ends by the error that the sensor ends by")
    func failing() async throws {
        let source = Source(clock)
        let clock = clock
        let gone = SensorError.disconnected("test/a", reason: "unplugged", hint: "plug it in")
        await #expect(throws: gone) {
            try await clock.run {
                async let all: Void = { for try await _ in source.readings() {} }()
                await clock.settle()
                source.finish(gone)
                try await all
            }
        }
    }

    @Test("latest() times out on the sensor's clock")
    func timingOut() async throws {
        let source = Source(clock)
        let clock = clock
        let error = await #expect(throws: SensorError.self) {
            try await clock.run {
                async let reading = source.latest(timeout: .seconds(3))
                await clock.advance(by: .seconds(3))
                _ = try await reading
            }
        }
        guard case .timedOut = error else {
            Issue.record("wrong error \(String(describing: error))")
            return
        }
        #expect(source.closed.withLock { $0 } == 1)
    }
}
