/// Opens one session for many consumers and hands each its readings.
final class FanOut<Reading: SensorReading>: Sendable {
    typealias Opener =
        @Sendable (SamplingRequest, ReadingSink<Reading>) async throws(SensorError)
        -> any SensorSession

    private struct Consumer {
        var id: Int
        var request: SamplingRequest
        var sink: ReadingSink<Reading>
        var decimator: Decimator?
    }

    private struct State {
        var consumers: [Consumer] = []
        var nextID = 0
        var generation = 0
        var session: (any SensorSession)?
        var hasEnded = false
        var request: SamplingRequest?
        var status: SensorStatus?
        var closeWaiters: [UnsafeContinuation<Void, Never>] = []

        var wanted: SamplingRequest {
            let rates = consumers.map(\.request.rate)
            // One consumer without a rate wants what the sensor gives by itself, and whoever asks
            // for more than that gets more.
            return SamplingRequest(
                rate: rates.compactMap { $0 }.max(),
                maxLatency: consumers.map(\.request.maxLatency).min() ?? .zero)
        }
    }

    private let state = Guarded(State())
    private let gate = AsyncGate()
    private let opener: Opener

    init(opener: @escaping Opener) { self.opener = opener }

    var grantedRate: Double? { state.withLock { $0.session }?.grantedRate }

    var consumerCount: Int { state.withLock { $0.consumers.count } }

    func join(
        _ request: SamplingRequest, _ sink: ReadingSink<Reading>, id: SensorID
    ) async throws(SensorError) -> any SensorSession {
        guard await gate.enterUnlessCancelled() else { throw .cancelled(id) }
        defer { gate.leave() }
        await closeEnded()
        let (member, generation, isOpen) = state.withLock { state in
            state.nextID += 1
            if state.session == nil {
                state.generation += 1
                state.status = nil
            }
            state.consumers.append(Consumer(id: state.nextID, request: request, sink: sink))
            if let status = state.status { sink.report(status) }
            return (state.nextID, state.generation, state.session != nil)
        }
        if isOpen {
            await reconfigure()
            return Membership(id: member, fanOut: self)
        }
        let wanted = state.withLock { state in
            state.request = state.wanted
            return state.wanted
        }
        do throws(SensorError) {
            let session = try await opener(wanted, ReadingSink(Inlet(generation, self)))
            state.withLock { $0.session = session }
            retune()
            return Membership(id: member, fanOut: self)
        } catch {
            state.withLock { state in
                state.generation += 1
                state.consumers.removeAll { $0.id == member }
                state.hasEnded = false
            }
            wakeCloseWaiters()
            throw error
        }
    }

    func leave(_ member: Int) async {
        state.withLock { state in state.consumers.removeAll { $0.id == member } }
        await gate.enter()
        defer { gate.leave() }
        await closeEnded()
        let isEmpty = state.withLock { $0.consumers.isEmpty }
        if isEmpty { await closeSession() } else { await reconfigure() }
        wakeCloseWaiters()
    }

    func change(_ member: Int, to request: SamplingRequest) async {
        await gate.enter()
        defer { gate.leave() }
        state.withLock { state in
            guard let place = state.consumers.firstIndex(where: { $0.id == member }) else { return }
            state.consumers[place].request = request
            state.consumers[place].decimator = nil
        }
        await reconfigure()
    }

    func closed() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.closeWaiters.append(continuation) }
            wakeCloseWaiters()
        }
        // The session is given up before it is closed; the gate is held until it is.
        await gate.enter()
        gate.leave()
    }

    func endAll(_ error: SensorError) {
        let generation = state.withLock { $0.generation }
        finish(error, generation)
    }

    // MARK: Inside the gate

    /// Closes a session that ended by itself, so that the next consumer opens a new one.
    private func closeEnded() async {
        if state.withLock({ $0.hasEnded }) { await closeSession() }
    }

    private func closeSession() async {
        let session = state.withLock { state in
            defer {
                state.session = nil
                state.hasEnded = false
                state.request = nil
                state.generation += 1
            }
            return state.session
        }
        await session?.close()
    }

    private func reconfigure() async {
        let (session, wanted) = state.withLock { state in
            let wanted = state.wanted
            let isNew = wanted != state.request
            state.request = wanted
            return (isNew ? state.session : nil, wanted)
        }
        // A sensor that cannot change keeps its rate; the consumers' decimators do what they can.
        if let session { try? await session.reconfigure(wanted) }
        retune()
    }

    /// Gives every consumer that asked for less than the device's rate its decimator.
    private func retune() {
        let granted = grantedRate
        state.withLock { state in
            for place in state.consumers.indices {
                let asked = state.consumers[place].request.rate
                state.consumers[place].decimator = Decimator(
                    asked: asked, granted: granted, keeping: state.consumers[place].decimator)
            }
        }
    }

    private func wakeCloseWaiters() {
        let waiters = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
            guard state.consumers.isEmpty, state.session == nil else { return [] }
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: From the device. Sinks are called with the lock held, so that nothing comes after close.

    private func deliver(_ readings: Span<Reading>, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            for place in state.consumers.indices {
                if state.consumers[place].decimator == nil {
                    state.consumers[place].sink.deliver(readings)
                } else {
                    thin(readings, to: &state.consumers[place])
                }
            }
        }
    }

    private func thin(_ readings: Span<Reading>, to consumer: inout Consumer) {
        var kept: [Reading] = []
        for index in readings.indices
        where consumer.decimator?.keeps(readings[index].instant) ?? true {
            kept.append(readings[index])
        }
        if !kept.isEmpty { consumer.sink.deliver(kept.span) }
    }

    private func report(_ status: SensorStatus, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.status = status
            for consumer in state.consumers { consumer.sink.report(status) }
        }
    }

    private func lose(_ loss: ReadingLoss, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            for consumer in state.consumers { consumer.sink.lose(loss.count, loss.reason) }
        }
    }

    private func finish(_ error: SensorError?, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation, !state.hasEnded else { return }
            state.hasEnded = true
            for consumer in state.consumers { consumer.sink.finish(error) }
        }
    }

    /// The sink of one device session.
    ///
    /// What a session says after it was replaced goes nowhere.
    private final class Inlet: SinkTarget {
        private let generation: Int
        private let fanOut: FanOut

        init(_ generation: Int, _ fanOut: FanOut) {
            self.generation = generation
            self.fanOut = fanOut
        }

        func deliver(_ readings: Span<Reading>) { fanOut.deliver(readings, generation) }

        func deliver(one reading: Reading) {
            withUnsafePointer(to: reading) { pointer in
                deliver(UnsafeBufferPointer(start: pointer, count: 1).span)
            }
        }

        func report(_ status: SensorStatus) { fanOut.report(status, generation) }
        func lose(_ loss: ReadingLoss) { fanOut.lose(loss, generation) }
        func finish(_ error: SensorError?) { fanOut.finish(error, generation) }
    }

    /// What one consumer holds.
    private final class Membership: SensorSession {
        private let id: Int
        private let fanOut: FanOut
        private let isClosed = Guarded(false)

        init(id: Int, fanOut: FanOut) {
            self.id = id
            self.fanOut = fanOut
        }

        var grantedRate: Double? { fanOut.grantedRate }

        func reconfigure(_ request: SamplingRequest) async throws(SensorError) {
            await fanOut.change(id, to: request)
        }

        func close() async {
            let isFirst = isClosed.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { await fanOut.leave(id) }
        }
    }
}

/// Thins readings out to a lower rate, by their own time.
struct Decimator {
    private let period: Int64
    private let slack: Int64
    private var due: Int64?

    /// Nil where nothing needs thinning: no rate was asked for, or the device runs no faster.
    init?(asked: Double?, granted: Double?, keeping old: Decimator?) {
        guard let asked else { return nil }
        if let granted, granted <= asked * 1.01 { return nil }
        period = Int64(min(1e9 / asked, 9e18))
        // Half a device period: readings jitter about their due times.
        slack = granted.map { Int64(min(5e8 / max($0, 1e-9), 9e18)) } ?? period / 8
        due = old?.period == period ? old?.due : nil
    }

    mutating func keeps(_ instant: SensorInstant) -> Bool {
        let now = instant.nanoseconds
        guard let next = due, now >= next &- period &- slack else {
            // The first one, or time stepped back.
            due = now &+ period
            return true
        }
        if now < next &- slack { return false }
        // From the due time, not from now, so that the mean rate is right; from now after a gap.
        due = now >= next &+ period ? now &+ period : next &+ period
        return true
    }
}
