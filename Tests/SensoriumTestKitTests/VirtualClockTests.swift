import Sensorium
import SensoriumTestKit
import Testing

@Suite("virtual clock", .timeLimit(.minutes(1)))
struct VirtualClockTests {
    @Test("fires deadlines in order, each seeing its own time")
    func order() async throws {
        let clock = VirtualClock()
        let start = clock.now
        let seen = try await clock.run { () -> [Duration] in
            let log = Collected<Duration>()
            for seconds in [3, 1, 2] {
                clock.spawn("sleeper") {
                    await clock.pause(for: .seconds(seconds))
                    let at = start.duration(to: clock.now)
                    log.append(at)
                }
            }
            await clock.advance(by: .seconds(10))
            return log.all
        }
        #expect(seen == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(start.duration(to: clock.now) == .seconds(10))
    }

    @Test("lets a loop of sleeps run through one advance")
    func chain() async throws {
        let clock = VirtualClock()
        let ticks = try await clock.run { () -> Int in
            let count = Collected<Int>()
            clock.spawn("ticker") {
                while await clock.pause(for: .milliseconds(100)) { count.append(1) }
            }
            await clock.advance(by: .seconds(60))
            return count.all.count
        }
        #expect(ticks == 600)
    }

    @Test("fails a wait for what cannot come instead of hanging")
    func stuck() async throws {
        let clock = VirtualClock(patience: .milliseconds(50))
        await #expect(throws: VirtualClockError.self) {
            try await clock.run { await clock.pause(for: .seconds(1)) }
        }
        await #expect(throws: VirtualClockError.self) { try await clock.sleepers(atLeast: 1) }
    }

    @Test("a run ends only when all that follows from its body is done")
    func afterTheBody() async throws {
        for _ in 0..<200 {
            let clock = VirtualClock()
            let done = Collected<Int>()
            _ = try await clock.run {
                clock.spawn("long") {
                    for _ in 0..<20 { await Task.yield() }
                    done.append(1)
                }
            }
            #expect(done.all == [1])
        }
    }

    @Test("a cancelled sleep ends at once")
    func cancelled() async throws {
        let clock = VirtualClock()
        let task = clock.spawn("sleeper") { await clock.pause(for: .seconds(1)) }
        try await clock.sleepers(atLeast: 1)
        task.cancel()
        await task.value
        #expect(clock.sleeperCount == 0)
    }

    @Test("a clock that follows the main actor moves on only when work there has come to rest")
    func mainActor() async throws {
        let clock = VirtualClock(followsMainActor: true)
        let start = clock.now
        let ticks = Collected<Duration>()
        try await clock.run {
            let app = clock.spawn("app on the main actor") { @MainActor in
                while await clock.pause(for: .seconds(1)) {
                    // A job that queues another one there.
                    await Task { @MainActor in ticks.append(start.duration(to: clock.now)) }.value
                }
            }
            for second in 1...20 {
                await clock.advance(by: .seconds(1))
                #expect(ticks.all.last == .seconds(second))
            }
            await clock.advance(by: .seconds(80))
            #expect(ticks.all == (1...100).map { .seconds($0) })
            app.cancel()
            await app.value
        }
    }
}
