/// Reads two sensors together, on one time axis.
///
/// ```swift
/// for try await pair in joined(location, with: accelerometer, matching: .nearest(within: .milliseconds(20))) {
///     print(pair.first.latitude, pair.second.z, pair.skew)
/// }
/// ```
///
/// Each reading of `first` is in at most one pair; readings of `second` may be in several. What is in
/// no pair is counted with the reason in `statistics`. Both sensors are opened at the first
/// `next()`.
///
/// - Parameters:
///   - first: the sensor that drives the join.
///   - second: the sensor that is looked up.
///   - policy: which reading of the second belongs to one of the first.
///   - requests: what to ask of the two sensors.
///   - capacity: how many readings of a side may wait for the other.
@inlinable
public func joined<First: Sensor, Second: Sensor>(
    _ first: First, with second: Second, matching policy: JoinPolicy<Second.Reading>,
    requests: (first: SamplingRequest, second: SamplingRequest) = (.default, .default),
    capacity: Int = 8192
) -> JoinedReadings<First.Reading, Second.Reading> {
    JoinedReadings(
        clock: first.clock,
        desk: JoinDesk(policy, capacity: capacity, names: [first.id.rawValue, second.id.rawValue])
    ) { desk throws(SensorError) in
        let one = try await first.open(requests.first, delivering: desk.firstSink)
        do throws(SensorError) {
            let two = try await second.open(requests.second, delivering: desk.secondSink)
            return (one, two)
        } catch {
            await one.close()
            throw error
        }
    }
}

/// The pairs of two sensors, for one loop.
public struct JoinedReadings<First: SensorReading, Second: SensorReading>: AsyncSequence, Sendable {
    /// A pair.
    public typealias Element = Joined<First, Second>
    /// Why a join ends early: the error of either sensor.
    public typealias Failure = SensorError

    @usableFromInline
    typealias Opener =
        @Sendable (JoinDesk<First, Second>) async throws(SensorError)
        -> (any SensorSession, any SensorSession)

    private let clock: any SensorClock
    private let desk: JoinDesk<First, Second>
    private let opener: Opener

    @usableFromInline
    init(clock: any SensorClock, desk: JoinDesk<First, Second>, opener: @escaping Opener) {
        self.clock = clock
        self.desk = desk
        self.opener = opener
    }

    /// What became of every reading so far.
    public var statistics: JoinStatistics { desk.statistics }

    /// Why there was no pair for 5 s, when that happened last; nil while there are pairs.
    public var diagnosis: JoinDiagnosis? { desk.diagnosis }

    /// Starts the loop.
    ///
    /// A join serves one loop: a second one throws `SensorError.busy`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(consumer: makeConsumer(keepsEvents: false))
    }

    func makeConsumer(keepsEvents: Bool) -> StreamConsumer<Element> {
        StreamConsumer(
            ring: ReadingRing(.newest(1024), keepsEvents: keepsEvents, tally: desk.tally),
            clock: clock
        ) { [clock, desk, opener] ring throws(SensorError) in
            try desk.start(ring)
            do throws(SensorError) {
                let sessions = try await opener(desk)
                let watch = clock.spawn("say why a join gives no pair") {
                    await desk.watchForSilence(on: clock)
                }
                return JoinSession(first: sessions.0, second: sessions.1, watch: watch)
            } catch {
                desk.stop()
                throw error
            }
        }
    }

    /// Gives pairs one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let consumer: StreamConsumer<Element>
        @usableFromInline var local: [Element] = []
        @usableFromInline var position = 0

        init(consumer: StreamConsumer<Element>) { self.consumer = consumer }

        /// The next pair; nil at the end of either sensor, or when the task is cancelled.
        @inlinable
        public mutating func next() async throws(SensorError) -> Element? {
            try await next(isolation: #isolation)
        }

        /// The next pair; nil at the end of either sensor, or when the task is cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> Element? {
            if position < local.count, !Task.isCancelled {
                position += 1
                return local[position - 1]
            }
            local.removeAll(keepingCapacity: true)
            position = 0
            if !_isPOD(Element.self) { return try await consumer.one(isolation: actor) }
            guard try await consumer.fill(&local, isolation: actor) else { return nil }
            position = 1
            return local.first
        }
    }

    /// Pairs, what the sensors tell, and diagnoses, in one order.
    public var updates: Updates { Updates(base: self) }

    /// Pairs, what the sensors tell, and diagnoses, in one order.
    public struct Updates: AsyncSequence, Sendable {
        /// One thing that happened.
        public typealias Element = JoinUpdate<First, Second>
        /// Why a join ends early.
        public typealias Failure = SensorError
        let base: JoinedReadings

        /// Starts the loop.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(consumer: base.makeConsumer(keepsEvents: true))
        }

        /// Gives updates one by one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let consumer: StreamConsumer<Joined<First, Second>>
            private var local: [Joined<First, Second>] = []
            private var position = 0

            init(consumer: StreamConsumer<Joined<First, Second>>) { self.consumer = consumer }

            /// The next update; nil at the end, or when the task is cancelled.
            public mutating func next() async throws(SensorError) -> Element? {
                try await next(isolation: #isolation)
            }

            /// The next update; nil at the end, or when the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(SensorError) -> Element? {
                if position < local.count, !Task.isCancelled {
                    position += 1
                    return .pair(local[position - 1])
                }
                local.removeAll(keepingCapacity: true)
                position = 0
                var event: RingEvent?
                guard try await consumer.fill(&local, event: &event, isolation: actor) else {
                    return nil
                }
                switch event {
                case .join(.status(let side, let status)): return .status(side, status)
                case .join(.lost(let side, let loss)): return .lost(side, loss)
                case .join(.diagnosis(let diagnosis)): return .diagnosis(diagnosis)
                case .loss(let loss): return .pairsLost(loss)
                case .status, nil:
                    position = 1
                    return .pair(local[0])
                }
            }
        }
    }
}

/// One thing that happened in a join.
public enum JoinUpdate<First: SensorReading, Second: SensorReading>: Sendable {
    /// Two readings belong together.
    case pair(Joined<First, Second>)
    /// A sensor does otherwise than before.
    case status(JoinSide, SensorStatus)
    /// A sensor lost readings.
    case lost(JoinSide, ReadingLoss)
    /// The consumer was too slow for the pairs.
    case pairsLost(ReadingLoss)
    /// There was no pair for 5 s; said again every 5 s while that is so.
    case diagnosis(JoinDiagnosis)
}

/// Both sessions of a join.
private final class JoinSession: SensorSession {
    private let first: any SensorSession
    private let second: any SensorSession
    private let watch: Task<Void, Never>

    init(first: any SensorSession, second: any SensorSession, watch: Task<Void, Never>) {
        self.first = first
        self.second = second
        self.watch = watch
    }

    func close() async {
        watch.cancel()
        async let one: Void = first.close()
        async let two: Void = second.close()
        _ = await (one, two)
        await watch.value
    }
}
