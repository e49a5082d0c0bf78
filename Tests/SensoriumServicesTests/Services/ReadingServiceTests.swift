import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Reading service", .timeLimit(.minutes(1)))
struct ReadingServiceTests {
    private let clock = VirtualClock()
    private let barometer: EnvironmentSensorSpy<Pressure>
    private let service: ReadingService<Pressure>

    init() {
        barometer = EnvironmentSensorSpy("spy/barometer", clock: clock)
        service = ReadingService(sensor: barometer, timeout: .seconds(10))
    }

    /// Awaits a reading in a task of its own.
    private func ask(
        _ results: Collected<Result<Double, SensorError>>
    ) -> Task<Void, Never> {
        clock.spawn("app") { [service] in
            do throws(SensorError) {
                results.append(.success(try await service.current().value))
            } catch {
                results.append(.failure(error))
            }
        }
    }

    @Test("a second request joins the first: one opening, one answer for both")
    func joins() async throws {
        let results = Collected<Result<Double, SensorError>>()
        try await clock.run {
            let first = ask(results)
            await clock.advance(by: .seconds(4))
            let second = ask(results)
            let told = Collected<Double>()
            service.request { if case .success(let reading) = $0 { told.append(reading.value) } }
            try await barometer.deliver(101_325)
            await first.value
            await second.value
            #expect(told.all == [101_325])
        }
        #expect(results.all == [.success(101_325), .success(101_325)])
        #expect(barometer.openCount == 1)
    }

    @Test("the time of all that joined counts from the first")
    func sharedTime() async throws {
        let results = Collected<Result<Double, SensorError>>()
        try await clock.run {
            let first = ask(results)
            await clock.advance(by: .seconds(9))
            let second = ask(results)
            await clock.advance(by: .seconds(1))
            await first.value
            await second.value
        }
        #expect(results.all.count == 2)
        #expect(barometer.openCount == 1)
    }

    @Test("a request after the answer starts anew")
    func anew() async throws {
        try await clock.run {
            for pressure in [1.0, 2.0] {
                async let reading = service.current()
                try await barometer.deliver(pressure)
                let got = try await reading
                #expect(got.value == pressure)
            }
        }
        #expect(barometer.openCount == 2)
    }

    @Test("cancelling the only one who waits closes the sensor before it throws")
    func cancelled() async throws {
        let results = Collected<Result<Double, SensorError>>()
        try await clock.run {
            let app = ask(results)
            try await barometer.started()
            app.cancel()
            await app.value
            #expect(!barometer.isOpen)
        }
        #expect(results.all == [.failure(.cancelled("spy/barometer"))])
    }

    @Test("cancelling one of two leaves the other its reading")
    func oneOfTwo() async throws {
        let results = Collected<Result<Double, SensorError>>()
        try await clock.run {
            let first = ask(results)
            let second = ask(results)
            try await barometer.started()
            first.cancel()
            await first.value
            #expect(barometer.isOpen)
            try await barometer.deliver(5)
            await second.value
        }
        #expect(results.all == [.failure(.cancelled("spy/barometer")), .success(5)])
    }

    @Test("a task that was cancelled before does not open the sensor")
    func cancelledBefore() async throws {
        let results = Collected<Result<Double, SensorError>>()
        try await clock.run {
            let app = ask(results)
            app.cancel()
            await app.value
        }
        #expect(results.all == [.failure(.cancelled("spy/barometer"))])
        #expect(barometer.openCount == 0)
    }

    @Test("a request that was taken back is not answered, and the next one starts anew")
    func takenBack() async throws {
        let told = Collected<Double>()
        try await clock.run {
            service.request { _ in told.append(-1) }
            try await barometer.started()
            service.cancel()
            service.request { if case .success(let reading) = $0 { told.append(reading.value) } }
            try await barometer.stopped()
            try await barometer.deliver(7)
            await service.finished()
        }
        #expect(told.all == [7])
        #expect(barometer.openCount == 2)
        // The second session was opened after the first was closed.
        #expect(
            barometer.events.filter { $0 == .closed || $0 == .opened(.default) }
                == [.opened(.default), .closed, .opened(.default), .closed])
    }

    @Test("taking back a request leaves those who wait their reading")
    func takenBackFromOthers() async throws {
        let results = Collected<Result<Double, SensorError>>()
        let told = Collected<Double>()
        try await clock.run {
            service.request { _ in told.append(-1) }
            let app = ask(results)
            try await barometer.started()
            service.cancel()
            try await barometer.deliver(7)
            await app.value
        }
        #expect(results.all == [.success(7)])
        #expect(told.all.isEmpty)
    }

    @Test("a later listener takes the place of one that waits")
    func replaced() async throws {
        let told = Collected<String>()
        try await clock.run {
            service.request { _ in told.append("first") }
            service.request { _ in told.append("second") }
            try await barometer.deliver(7)
            await service.finished()
        }
        #expect(told.all == ["second"])
    }

    @Test("has nothing to wait for where nothing was asked")
    func idle() async throws {
        try await clock.run { await service.finished() }
        service.cancel()
        #expect(barometer.events.isEmpty)
    }

    @Test("first answer wins: what a sensor says after it, or in opening, is ignored (MOK-03)")
    func hasty() async throws {
        let hasty = HastySensor(clock: clock)
        let service = ReadingService(sensor: hasty)
        try await clock.run {
            for _ in 0..<2 {
                let reading = try await service.current()
                #expect(reading.value == 1)
            }
        }
        #expect(hasty.closings.all.count == 2)
    }

    @Test("ends also when the sensor never opens, and the time is up")
    func neverOpens() async throws {
        let stuck = StuckSensor(clock: clock)
        let service = ReadingService(sensor: stuck, timeout: .seconds(3))
        try await clock.run {
            let task = clock.spawn("app") {
                let error = await #expect(throws: SensorError.self) { try await service.current() }
                guard case .timedOut = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            await clock.advance(by: .seconds(3))
            await task.value
        }
    }
}

/// Delivers twice and ends before `open` has returned.
private struct HastySensor: Sensor {
    typealias Reading = Pressure
    let clock: any SensorClock
    let closings = Collected<Bool>()
    var descriptor: SensorDescriptor {
        SensorDescriptor(id: "spy/hasty", kind: .pressure, name: "Hasty")
    }

    private struct Session: SensorSession {
        let closings: Collected<Bool>
        func close() async { closings.append(true) }
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Pressure>
    ) async throws(SensorError) -> any SensorSession {
        for value in [1.0, 2.0] {
            sink.deliver(Pressure(time: ReadingTime(clock.now), value: value))
        }
        sink.finish(.malformed("spy/hasty", reason: "too late", hint: ""))
        return Session(closings: closings)
    }
}

/// Opens when it is cancelled, and not before.
private struct StuckSensor: Sensor {
    typealias Reading = Pressure
    let clock: any SensorClock
    var descriptor: SensorDescriptor {
        SensorDescriptor(id: "spy/stuck", kind: .pressure, name: "Stuck")
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Pressure>
    ) async throws(SensorError) -> any SensorSession {
        await clock.pause(for: .seconds(1_000_000))
        throw .cancelled("spy/stuck")
    }
}
