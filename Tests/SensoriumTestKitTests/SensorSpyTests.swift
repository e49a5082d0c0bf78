import Sensorium
import SensoriumTestKit
import Testing

@Suite("sensor spy", .timeLimit(.minutes(1)))
struct SensorSpyTests {
    let clock = VirtualClock(patience: .milliseconds(50))

    @Test("remembers what the app asked, in one order over several spies")
    func journal() async throws {
        let (clock, journal) = (clock, SpyJournal())
        let gps = LocationSensorSpy("gps", clock: clock, journal: journal)
        let imu = MotionSensorSpy<Acceleration>("imu", clock: clock, journal: journal)
        try await clock.run {
            gps.authorization(.notDetermined, whenAsked: .authorized)
            #expect(await gps.requestAuthorization() == .authorized)
            async let a = gps.first { _ in true }
            try await gps.deliver(latitude: 1, longitude: 2)
            _ = try await a
            async let b = imu.latest(timeout: .seconds(1))
            try await imu.deliver(x: 0, y: 0, z: 9.81)
            _ = try await b
            try await gps.stopped()
            try await imu.stopped()
        }
        let order = journal.all.map { "\($0.spy) \($0.event)" }
        #expect(
            order == [
                "gps was asked for authorization", "gps was opened", "gps delivered 1",
                "gps was closed", "imu was opened", "imu delivered 1", "imu was closed",
            ])
        try journal.verify()
    }

    @Test("a delivery that nobody opened the sensor for fails loudly")
    func nobody() async {
        let gps = LocationSensorSpy(clock: clock)
        await #expect(throws: VirtualClockError.self) {
            try await gps.deliver(latitude: 1, longitude: 2)
        }
    }

    @Test("a race of a time-out with a reading that never comes ends by the time-out (MOK-02)")
    func race() async throws {
        let clock = clock
        let gps = LocationSensorSpy(clock: clock)
        let error = await #expect(throws: SensorError.self) {
            try await clock.run {
                async let fix = gps.latest(timeout: .milliseconds(100))
                await clock.advance(by: .milliseconds(100))
                _ = try await fix
            }
        }
        #expect(error == .timedOut(gps.id, after: .milliseconds(100), hint: error?.hint ?? ""))
        #expect(!gps.isOpen)
    }

    @Test("every wait of a spy honours cancellation (MOK-02)")
    func cancelled() async throws {
        let clock = VirtualClock()
        let gps = LocationSensorSpy(clock: clock)
        let waits: [@Sendable () async throws -> Void] = [
            { try await gps.started() }, { try await gps.deliver(latitude: 0, longitude: 0) },
            { try await clock.sleepers(atLeast: 1) },
            { _ = try await gps.latest(timeout: .seconds(1)) },
        ]
        for wait in waits {
            let task = Task { try await wait() }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
    }

    @Test("counts ten thousand calls from a hundred tasks exactly (MOK-07)")
    func counting() async {
        let gps = LocationSensorSpy(clock: clock)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    for _ in 0..<100 { _ = await gps.requestAuthorization() }
                }
            }
        }
        #expect(gps.events.count == 10_000)
    }

    @Test("a clock that moves before the code under test sleeps loses no time-out (MOK-01)")
    func early() async throws {
        for _ in 0..<2000 {
            let clock = VirtualClock()
            let gps = LocationSensorSpy(clock: clock)
            let watch = Task(priority: .background) { () -> SensorError? in
                do {
                    _ = try await gps.latest(timeout: .seconds(5))
                    return nil
                } catch let error as SensorError {
                    return error
                }
            }
            // The code under test says when it sleeps; time moves only then.
            try await clock.sleepers(atLeast: 1)
            await clock.advance(by: .seconds(5))
            guard case .timedOut = try await watch.value else {
                Issue.record("did not time out")
                return
            }
        }
    }

    @Test("unexpected entries make verify() throw")
    func unexpected() {
        let journal = SpyJournal()
        journal.record(.unexpected("a second START"), by: "imu", at: clock.now)
        #expect(throws: SpyError.self) { try journal.verify() }
    }
}

@Suite("one answer", .timeLimit(.minutes(1)))
struct OneAnswerTests {
    @Test("the first of several answers counts, whenever and from wherever they come (MOK-03)")
    func several() async throws {
        let clock = VirtualClock()
        for _ in 0..<100 {
            let value: Int = try await clock.expect("an answer") { answer in
                answer(.success(1))
                answer(.success(2))
                for k in 3..<5 { Task { answer(.success(k)) } }
            }
            #expect(value == 1)
        }
    }

    @Test("cancelling gives an end, and a later answer is ignored (MOK-03)")
    func afterCancel() async throws {
        let clock = VirtualClock()
        let late = Collected<@Sendable (Result<Int, any Error>) -> Void>()
        let task = Task { try await clock.expect("an answer") { late.append($0) } as Int }
        while late.all.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for answer in late.all { answer(.success(1)) }
    }
}
