import Sensorium

/// Readings on their way to a consumer, beside AsyncStream with the same readings.
enum StreamBenchmarks {
    /// Has delivered everything, in batches of 64, before the first reading is asked for.
    struct Backlog: MotionSensor {
        typealias Reading = Acceleration
        let count: Int
        let descriptor = SensorDescriptor(id: "bench/backlog", kind: .acceleration, name: "Backlog")
        var clock: any SensorClock { SystemClock() }

        func open(
            _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
        ) async throws(SensorError) -> any SensorSession {
            for _ in 0..<count / 64 { sink.deliver(batch.span) }
            sink.finish()
            return Nothing()
        }
    }

    /// A task that delivers batches of 64 and never waits.
    struct Live: MotionSensor {
        typealias Reading = Acceleration
        let count: Int
        let descriptor = SensorDescriptor(id: "bench/live", kind: .acceleration, name: "Live")
        var clock: any SensorClock { SystemClock() }

        func open(
            _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
        ) async throws(SensorError) -> any SensorSession {
            let count = count
            clock.spawn("live") {
                for _ in 0..<count / 64 { sink.deliver(batch.span) }
                sink.finish()
            }
            return Nothing()
        }
    }

    struct Nothing: SensorSession {
        func close() async {}
    }

    static let reading = Acceleration(
        time: ReadingTime(SensorInstant(nanoseconds: 1)), x: 0, y: 0, z: 9.81)
    static let batch = [Acceleration](repeating: reading, count: 64)

    /// Rows for where the consumer runs: the caller's actor.
    nonisolated static func rows(_ place: String) async throws -> [Row] {
        let count = 102_400
        var batches = Samples()
        var single = Samples()
        var singleLong = Samples()
        var rival = Samples()
        for _ in 0..<7 {
            let sensor: any Sensor<Acceleration> = Backlog(count: count)
            let request = SamplingRequest(buffering: .newest(count))
            var iterator = sensor.readings(request).batches.makeAsyncIterator()
            var seen = try await iterator.next()?.count ?? 0
            batches.add(
                try await nanoseconds {
                    while let batch = try await iterator.next() { seen += batch.count }
                },
                items: count)
            precondition(seen == count, "readings were dropped")
            single.add(try await oneByOne(sensor, request, count), items: count)
            let long = 1_024_000
            singleLong.add(
                try await oneByOne(
                    Backlog(count: long), SamplingRequest(buffering: .newest(long)), long),
                items: long)
            rival.add(await asyncStream(20_480), items: 20_480)
        }
        return [
            Row(
                name: "stream.batches.\(place)", value: batches.median, unit: "ns",
                rival: ("AsyncStream", rival.median), goal: 20),
            Row(
                name: "stream.single.\(place)", value: single.median, unit: "ns",
                rival: ("AsyncStream", rival.median), goal: 150),
            Row(
                name: "stream.single.backlog-1M.\(place)", value: singleLong.median, unit: "ns",
                goal: 150),
        ]
    }

    nonisolated private static func oneByOne(
        _ sensor: any Sensor<Acceleration>, _ request: SamplingRequest, _ count: Int
    ) async throws -> Int64 {
        var iterator = sensor.readings(request).makeAsyncIterator()
        _ = try await iterator.next()
        var seen = 1
        let time = try await nanoseconds { while try await iterator.next() != nil { seen += 1 } }
        precondition(seen == count, "readings were dropped")
        return time
    }

    nonisolated private static func asyncStream(_ count: Int) async -> Int64 {
        let (stream, continuation) = AsyncStream<Acceleration>.makeStream()
        for _ in 0..<count { continuation.yield(reading) }
        continuation.finish()
        return await nanoseconds { for await reading in stream { keep(reading) } }
    }

    /// One device for several consumers, nothing dropped.
    static func shared(_ consumers: Int) async throws -> Row {
        let count = 640_000
        var samples = Samples()
        for _ in 0..<7 {
            let sensor = SharedSensor(Live(count: count))
            samples.add(
                try await nanoseconds {
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<consumers {
                            group.addTask {
                                var seen = 0
                                let request = SamplingRequest(buffering: .newest(count))
                                for try await batch in sensor.readings(request).batches {
                                    seen += batch.count
                                }
                                return seen
                            }
                        }
                        try await group.waitForAll()
                    }
                }, items: count)
        }
        return Row(
            name: "shared.batches.\(consumers)-consumers", value: samples.median, unit: "ns",
            goal: 40)
    }
}
