/// One loop over a stream: its ring and, once opened, the session that fills it.
@usableFromInline
final class StreamConsumer<Element: Sendable>: Sendable {
    typealias Opener =
        @Sendable (ReadingRing<Element>) async throws(SensorError)
        -> any SensorSession

    private enum Session {
        case unopened(Opener)
        case opening
        case open(any SensorSession)
        case closed
    }

    let ring: ReadingRing<Element>
    private let clock: any SensorClock
    private let session: Guarded<Session>

    /// How many readings `next()` takes out of the ring at a time.
    private static var batchLimit: Int { 256 }

    init(
        ring: ReadingRing<Element>, clock: any SensorClock,
        opener: @escaping Opener
    ) {
        self.ring = ring
        self.clock = clock
        session = Guarded(.unopened(opener))
    }

    deinit {
        // The loop was left by `break`, and nobody can wait here.
        ring.cancel()
        if let left = takeSession() { clock.spawn("close a left stream") { await left.close() } }
    }

    /// Fills `array` with what has come, waiting for the first; false at the end.
    @usableFromInline
    func fill(
        _ array: inout [Element], isolation actor: isolated (any Actor)?
    ) async throws(SensorError) -> Bool {
        while true {
            try await openIfNeeded()
            switch ring.take(into: &array, limit: Self.batchLimit) {
            case .some: return true
            case .nothingYet: await ring.wait()
            case .end(let error): return try await end(error)
            }
        }
    }

    /// Takes one reading out, so that the stream does not hold on to it; nil at the end.
    @usableFromInline
    func one(isolation actor: isolated (any Actor)?) async throws(SensorError) -> Element? {
        while true {
            try await openIfNeeded()
            var element: Element?
            switch ring.takeOne(&element) {
            case .some: return element
            case .nothingYet: await ring.wait()
            case .end(let error):
                _ = try await end(error)
                return nil
            }
        }
    }

    /// Gives either an event or readings, whichever comes first; false at the end.
    func fill(
        _ array: inout [Element], event: inout RingEvent?, isolation actor: isolated (any Actor)?
    ) async throws(SensorError) -> Bool {
        while true {
            try await openIfNeeded()
            let limit = _isPOD(Element.self) ? Self.batchLimit : 1
            switch ring.takeInOrder(into: &array, event: &event, limit: limit) {
            case .some: return true
            case .nothingYet: await ring.wait()
            case .end(let error): return try await end(error)
            }
        }
    }

    private func openIfNeeded() async throws(SensorError) {
        if Task.isCancelled {
            ring.cancel()
            return
        }
        let opener = session.withLock { state -> Opener? in
            guard case .unopened(let opener) = state else { return nil }
            state = .opening
            return opener
        }
        guard let opener else { return }
        do throws(SensorError) {
            let opened = try await opener(ring)
            session.withLock { $0 = .open(opened) }
        } catch {
            session.withLock { $0 = .closed }
            // A cancelled consumer asked for the end, not for an error.
            if case .cancelled = error {
                ring.cancel()
            } else {
                ring.finish(nil)
                throw error
            }
        }
    }

    private func end(_ error: SensorError?) async throws(SensorError) -> Bool {
        await close()
        if let error { throw error }
        return false
    }

    private func close() async {
        await takeSession()?.close()
    }

    private func takeSession() -> (any SensorSession)? {
        session.withLock { state in
            defer { state = .closed }
            guard case .open(let session) = state else { return nil }
            return session
        }
    }
}
