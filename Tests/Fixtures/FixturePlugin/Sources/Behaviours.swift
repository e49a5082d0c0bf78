import Sensorium

/// Ticks on the host's clock at the rate that was asked for, 10 Hz at most 100 Hz.
final class Ticker: MotionSensor {
    typealias Reading = Acceleration
    let descriptor: SensorDescriptor
    let clock: any SensorClock

    init(_ clock: any SensorClock, id: SensorID = "fixture/ticker") {
        self.clock = clock
        descriptor = SensorDescriptor(
            id: id, kind: .acceleration, name: "Ticker", rates: .range(1...100), isSimulated: true)
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
    ) async throws(SensorError) -> any SensorSession {
        Session(request, sink, clock)
    }

    private final class Session: SensorSession {
        private let clock: any SensorClock
        private let rate: Guarded<Double>
        private let task = Guarded<Task<Void, Never>?>(nil)

        init(
            _ request: SamplingRequest, _ sink: ReadingSink<Acceleration>,
            _ clock: any SensorClock
        ) {
            self.clock = clock
            rate = Guarded(min(request.rate ?? 10, 100))
            let ticking = clock.spawn("ticker") { [self] in
                var due = clock.now
                while !Task.isCancelled {
                    due = due.advanced(by: .seconds(1 / rate.withLock { $0 }))
                    guard (try? await clock.sleep(until: due, tolerance: nil)) != nil else {
                        return
                    }
                    sink.deliver(
                        Acceleration(time: ReadingTime(clock.now), x: 0, y: 0, z: 9.81))
                }
            }
            task.withLock { $0 = ticking }
        }

        var grantedRate: Double? { rate.withLock { $0 } }

        func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
            guard let wanted = request.rate, wanted <= 100 else {
                throw .unsupported(
                    "fixture/ticker", reason: "it ticks at 100 Hz at most", hint: "ask for less")
            }
            rate.withLock { $0 = wanted }
        }

        func close() async {
            let task = task.withLock { $0 }
            task?.cancel()
            await task?.value
        }
    }
}

/// Delivers batches of 64 as fast as it can, 1000 of them or as many as `fixture.batches` says.
final class Burst: MotionSensor {
    typealias Reading = Acceleration
    let descriptor = SensorDescriptor(
        id: "fixture/burst", kind: .acceleration, name: "Burst", isSimulated: true)
    let clock: any SensorClock
    private let count: Int

    init(_ host: PluginHost) {
        clock = host.clock
        count = host.configuration("fixture.batches").flatMap { Int($0) } ?? 1000
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Acceleration>
    ) async throws(SensorError) -> any SensorSession {
        let count = count
        let bursting = clock.spawn("burst") {
            var batch = [Acceleration](
                repeating: Acceleration(
                    time: ReadingTime(SensorInstant(nanoseconds: 0)), x: 0, y: 0, z: 9.81),
                count: 64)
            for number in 0..<count {
                for index in batch.indices {
                    batch[index].time.instant.nanoseconds = Int64(number * 64 + index + 1)
                }
                sink.deliver(batch.span)
            }
            sink.finish()
        }
        return Session(task: bursting)
    }

    private struct Session: SensorSession {
        let task: Task<Void, Never>
        func close() async { await task.value }
    }
}

/// Takes a while to close.
final class SlowCloser: EnvironmentSensor {
    typealias Reading = Pressure
    let descriptor = SensorDescriptor(
        id: "fixture/slow-closer", kind: .pressure, name: "Slow closer", isSimulated: true)
    let clock: any SensorClock

    init(_ clock: any SensorClock) { self.clock = clock }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Pressure>
    ) async throws(SensorError) -> any SensorSession {
        Session(clock: clock)
    }

    private struct Session: SensorSession {
        let clock: any SensorClock
        func close() async { await clock.pause(for: .milliseconds(20)) }
    }
}

/// Takes a second to open, delivers meanwhile, and says when it was opened and closed.
final class SlowOpener: EnvironmentSensor {
    typealias Reading = Illuminance
    let descriptor = SensorDescriptor(
        id: "fixture/slow-opener", kind: .illuminance, name: "Slow opener", isSimulated: true)
    private let host: PluginHost
    var clock: any SensorClock { host.clock }

    init(_ host: PluginHost) { self.host = host }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Illuminance>
    ) async throws(SensorError) -> any SensorSession {
        await clock.pause(for: .milliseconds(500))
        sink.deliver(Illuminance(time: ReadingTime(clock.now), value: 1))
        await clock.pause(for: .milliseconds(500))
        host.log(.info, "opened")
        return Session(host: host)
    }

    private struct Session: SensorSession {
        let host: PluginHost
        func close() async { host.log(.info, "closed") }
    }
}

/// Refuses to be opened, with each error in turn: the request's rate says which.
final class Refuser: EnvironmentSensor {
    typealias Reading = Temperature
    let descriptor = SensorDescriptor(
        id: "fixture/refuser", kind: .temperature, name: "Refuser", isSimulated: true)
    let clock: any SensorClock

    init(_ clock: any SensorClock) { self.clock = clock }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Temperature>
    ) async throws(SensorError) -> any SensorSession {
        let errors: [SensorError] = [
            .unavailable(id, reason: "why 1", hint: "do 1"),
            .denied(id, reason: "why 2", hint: "do 2"),
            .busy(id, reason: "why 3", hint: ""), .disconnected(id, reason: "why 4", hint: "do 4"),
            .timedOut(id, after: .milliseconds(1500), hint: "do 5"), .cancelled(id),
            .malformed("other/sensor", reason: "why 7", hint: "do 7"),
            .unsupported(id, reason: "why 8", hint: "do 8"),
            .incompatible(id, reason: "why 9", hint: "do 9"),
            .pluginFault(id, reason: "wärum 10", hint: "do 10"),
        ]
        throw errors[(Int(request.rate ?? 1) - 1) % errors.count]
    }
}

/// Must be asked before it may be read.
final class Shy: EnvironmentSensor {
    typealias Reading = Humidity
    let descriptor = SensorDescriptor(
        id: "fixture/shy", kind: .humidity, name: "Shy", isSimulated: true)
    let clock: any SensorClock
    private let status = Guarded(AuthorizationStatus.notDetermined)

    init(_ clock: any SensorClock) { self.clock = clock }

    var authorization: AuthorizationStatus { status.withLock { $0 } }

    func requestAuthorization() async -> AuthorizationStatus {
        await clock.pause(for: .milliseconds(1))
        return status.withLock { status in
            status = .authorized
            return status
        }
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Humidity>
    ) async throws(SensorError) -> any SensorSession {
        guard authorization == .authorized else {
            throw .denied(id, reason: "nobody has asked it", hint: "request authorization")
        }
        return Nothing()
    }

    private struct Nothing: SensorSession {
        func close() async {}
    }
}
