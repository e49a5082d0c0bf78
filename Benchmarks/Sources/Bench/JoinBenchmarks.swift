import Sensorium
import SensoriumTestKit

/// 1 kHz joined with 10 Hz.
enum JoinBenchmarks {
    /// Delivers `count` readings at `rate`, in batches of a tenth of a second, on a virtual clock.
    struct Ticking<Reading: ScalarReading>: EnvironmentSensor {
        let descriptor: SensorDescriptor
        let clock: any SensorClock
        let rate: Int
        let seconds: Int

        init(_ clock: any SensorClock, rate: Int, seconds: Int) {
            self.clock = clock
            self.rate = rate
            self.seconds = seconds
            let kind = Reading.kind
            descriptor = SensorDescriptor(
                id: SensorID("bench/\(kind.name)"), kind: kind, name: kind.name)
        }

        struct Session: SensorSession {
            let task: Task<Void, Never>
            func close() async {
                task.cancel()
                await task.value
            }
        }

        func open(
            _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
        ) async throws(SensorError) -> any SensorSession {
            let (clock, rate, seconds) = (clock, rate, seconds)
            return Session(
                task: clock.spawn("ticks") {
                    let start = clock.now
                    let perBatch = rate / 10
                    var batch: [Reading] = []
                    for tenth in 0..<seconds * 10 {
                        batch.removeAll(keepingCapacity: true)
                        for k in 0..<perBatch {
                            let at = Int64(tenth * perBatch + k) * 1_000_000_000 / Int64(rate)
                            batch.append(
                                Reading(
                                    time: ReadingTime(
                                        SensorInstant(nanoseconds: start.nanoseconds + at)),
                                    value: 1, accuracy: nil, flags: []))
                        }
                        await clock.pause(for: .milliseconds(100))
                        sink.deliver(batch.span)
                    }
                    await clock.pause(for: .milliseconds(100))
                    sink.finish()
                })
        }
    }

    static func rows() async throws -> [Row] {
        try await [
            row("fast-first", first: 1000, second: 10), row("slow-first", first: 10, second: 1000),
        ]
    }

    private static func row(_ name: String, first: Int, second: Int) async throws -> Row {
        let seconds = 60
        var samples = Samples()
        for _ in 0..<7 {
            let clock = VirtualClock()
            let time = try await clock.run { () -> Int64 in
                let a = Ticking<Pressure>(clock, rate: first, seconds: seconds)
                let b = Ticking<Temperature>(clock, rate: second, seconds: seconds)
                let pairs = joined(a, with: b, matching: .nearest(within: .milliseconds(50)))
                let loop = clock.spawn("consumer") {
                    do { for try await pair in pairs { keep(pair) } } catch {}
                }
                let time = await nanoseconds { await clock.advance(by: .seconds(seconds + 1)) }
                await loop.value
                let counts = pairs.statistics
                precondition(counts.pairs > first * seconds * 9 / 10, "pairs are missing")
                precondition(counts.pairsDropped == 0, "pairs were dropped")
                return time
            }
            samples.add(time, items: (first + second) * seconds)
        }
        return Row(name: "join.1kHz-10Hz.\(name)", value: samples.median, unit: "ns", goal: 200)
    }
}
