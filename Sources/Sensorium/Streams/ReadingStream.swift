/// The readings of a sensor, for one consumer, in order.
///
/// The sensor is opened at the first `next()`. What does not fit into the buffer is dropped by the
/// request's policy and counted in `losses`. Cancelling the task closes the sensor before `next()`
/// returns nil; leaving a loop by `break` closes it in the background.
///
/// `.batches` gives what has come since the last look in one piece, for fast sensors; `.updates` gives
/// readings, status changes and losses in one order.
public struct ReadingStream<Reading: SensorReading>: AsyncSequence, Sendable {
    /// A reading.
    public typealias Element = Reading
    /// Why a stream ends early.
    public typealias Failure = SensorError

    package typealias Opener =
        @Sendable (ReadingSink<Reading>) async throws(SensorError)
        -> any SensorSession

    let buffering: SamplingRequest.Buffering
    let clock: any SensorClock
    let tally = LossTally()
    let opener: Opener

    package init(
        buffering: SamplingRequest.Buffering, clock: any SensorClock, opener: @escaping Opener
    ) {
        self.buffering = buffering
        self.clock = clock
        self.opener = opener
    }

    /// How many readings were lost so far, by reason, over all loops on this stream.
    public var losses: [ReadingLoss.Reason: Int] { tally.total }

    /// How many readings were lost so far.
    public var lossCount: Int { losses.values.reduce(0, +) }

    func makeConsumer(keepsEvents: Bool) -> StreamConsumer<Reading> {
        StreamConsumer(
            ring: ReadingRing(buffering, keepsEvents: keepsEvents, tally: tally), clock: clock
        ) { [opener] ring throws(SensorError) in try await opener(ReadingSink(ring)) }
    }

    /// Starts a loop of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(consumer: makeConsumer(keepsEvents: false))
    }

    /// Gives readings one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let consumer: StreamConsumer<Reading>
        @usableFromInline var local: [Reading] = []
        @usableFromInline var position = 0

        init(consumer: StreamConsumer<Reading>) { self.consumer = consumer }

        /// The next reading; nil at the end, or when the task is cancelled.
        @inlinable
        public mutating func next() async throws(SensorError) -> Reading? {
            try await next(isolation: #isolation)
        }

        /// The next reading; nil at the end, or when the task is cancelled.
        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> Reading? {
            if position < local.count, !Task.isCancelled {
                position += 1
                return local[position - 1]
            }
            local.removeAll(keepingCapacity: true)
            position = 0
            if !_isPOD(Reading.self) { return try await consumer.one(isolation: actor) }
            guard try await consumer.fill(&local, isolation: actor), !local.isEmpty else {
                return nil
            }
            position = 1
            return local[0]
        }
    }

    /// The readings in batches: all that have come since the last look, 256 at most.
    public var batches: Batches { Batches(base: self) }

    /// The readings in batches.
    public struct Batches: AsyncSequence, Sendable {
        /// Readings in order; never empty.
        public typealias Element = [Reading]
        /// Why a stream ends early.
        public typealias Failure = SensorError
        let base: ReadingStream

        /// Starts a loop of its own.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(consumer: base.makeConsumer(keepsEvents: false))
        }

        /// Gives readings in batches.
        public struct AsyncIterator: AsyncIteratorProtocol {
            @usableFromInline let consumer: StreamConsumer<Reading>

            init(consumer: StreamConsumer<Reading>) { self.consumer = consumer }

            /// The next batch; nil at the end, or when the task is cancelled.
            @inlinable
            public mutating func next() async throws(SensorError) -> [Reading]? {
                try await next(isolation: #isolation)
            }

            /// The next batch; nil at the end, or when the task is cancelled.
            @inlinable
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(SensorError) -> [Reading]? {
                var batch: [Reading] = []
                return try await consumer.fill(&batch, isolation: actor) ? batch : nil
            }
        }
    }

    /// Readings, status changes and losses in one order.
    public var updates: Updates { Updates(base: self) }

    /// Readings, status changes and losses in one order.
    public struct Updates: AsyncSequence, Sendable {
        /// One thing that happened.
        public typealias Element = ReadingUpdate<Reading>
        /// Why a stream ends early.
        public typealias Failure = SensorError
        let base: ReadingStream

        /// Starts a loop of its own.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(consumer: base.makeConsumer(keepsEvents: true))
        }

        /// Gives updates one by one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let consumer: StreamConsumer<Reading>
            private var local: [Reading] = []
            private var position = 0

            init(consumer: StreamConsumer<Reading>) { self.consumer = consumer }

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
                    return .reading(local[position - 1])
                }
                local.removeAll(keepingCapacity: true)
                position = 0
                var event: RingEvent?
                guard try await consumer.fill(&local, event: &event, isolation: actor) else {
                    return nil
                }
                switch event {
                case .status(let status): return .status(status)
                case .loss(let loss): return .lost(loss)
                case .join, nil:
                    position = 1
                    return .reading(local[0])
                }
            }
        }
    }
}

/// One thing that happened on a sensor.
public enum ReadingUpdate<Reading: SensorReading>: Sendable {
    /// It measured.
    case reading(Reading)
    /// It does otherwise than before.
    case status(SensorStatus)
    /// Readings are missing at this place.
    case lost(ReadingLoss)
}

extension ReadingUpdate: Equatable where Reading: Equatable {}
