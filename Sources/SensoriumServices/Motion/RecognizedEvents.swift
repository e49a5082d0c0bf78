import Sensorium

/// What a recognizer finds in the readings of a sensor, as it finds it.
///
/// The sensor is opened at the first `next()`; cancelling the task closes it, as with every
/// `ReadingStream`. A status that says that no readings come for now (`.stale`, `.reconnecting`), and
/// the end, interrupt the recognizer, so that a shake under way is told to be cancelled. Readings that a
/// slow consumer misses are gaps to the recognizer.
public struct RecognizedEvents<Recognizer: MotionRecognizer>: AsyncSequence, Sendable {
    /// What the recognizer finds.
    public typealias Element = Recognizer.Event
    /// Why a sensor ends early.
    public typealias Failure = SensorError

    private let readings: ReadingStream<Acceleration>
    private let recognizer: Recognizer

    /// Runs `recognizer` over a sensor; each loop has a copy of its own.
    public init(
        of sensor: any Sensor<Acceleration>, by recognizer: Recognizer,
        request: SamplingRequest
    ) {
        readings = sensor.readings(request)
        self.recognizer = recognizer
    }

    /// How many readings were lost so far, by reason, over all loops.
    public var losses: [ReadingLoss.Reason: Int] { readings.losses }

    /// Starts a loop of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(readings: readings.updates.makeAsyncIterator(), recognizer: recognizer)
    }

    /// Gives events one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var readings: ReadingStream<Acceleration>.Updates.AsyncIterator
        var recognizer: Recognizer
        private var end: Result<Void, SensorError>?

        init(
            readings: ReadingStream<Acceleration>.Updates.AsyncIterator, recognizer: Recognizer
        ) {
            self.readings = readings
            self.recognizer = recognizer
        }

        /// The next event; nil at the end, or when the task is cancelled.
        public mutating func next() async throws(SensorError) -> Element? {
            try await next(isolation: #isolation)
        }

        /// The next event; nil at the end, or when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> Element? {
            while end == nil {
                do throws(SensorError) {
                    guard let update = try await readings.next(isolation: actor) else {
                        end = .success(())
                        // Who cancelled does not want to hear of it.
                        if Task.isCancelled { return nil }
                        if let event = recognizer.interrupt() { return event }
                        break
                    }
                    if let event = recognizer.take(update) { return event }
                } catch {
                    end = .failure(error)
                    if let event = recognizer.interrupt() { return event }
                }
            }
            defer { end = .success(()) }
            try end?.get()
            return nil
        }
    }
}

extension Sensor where Reading == Acceleration {
    /// The shakes of the device that the accelerometer sits in.
    ///
    /// - Parameters:
    ///   - recognizer: tells what is a shake.
    ///   - request: what to ask the accelerometer for: 50 Hz unless said otherwise.
    public func shakes(
        _ recognizer: ShakeRecognizer = ShakeRecognizer(),
        request: SamplingRequest = SamplingRequest(rate: 50)
    ) -> RecognizedEvents<ShakeRecognizer> {
        RecognizedEvents(of: self, by: recognizer, request: request)
    }

    /// How the device that the accelerometer sits in is held: the first that is known, then each change.
    ///
    /// - Parameters:
    ///   - recognizer: tells how it is held.
    ///   - request: what to ask the accelerometer for: 10 Hz unless said otherwise.
    public func orientations(
        _ recognizer: OrientationRecognizer = OrientationRecognizer(),
        request: SamplingRequest = SamplingRequest(rate: 10)
    ) -> RecognizedEvents<OrientationRecognizer> {
        RecognizedEvents(of: self, by: recognizer, request: request)
    }
}
