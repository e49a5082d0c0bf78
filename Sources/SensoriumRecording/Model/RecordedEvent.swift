import Sensorium

/// One thing that a recording says of one of its sensors.
public struct RecordedEvent: Sendable {
    /// The sensor.
    public var sensor: SensorID
    /// When it reached the recorder, on the recording's clock.
    ///
    /// For a file that has only the times of measurement it is that time. Nil where the file gives
    /// none (a GPX route without times): the event then has its place in the order and no more.
    public var instant: SensorInstant?
    /// What happened.
    public var content: Content

    /// Makes an event.
    public init(sensor: SensorID, instant: SensorInstant?, content: Content) {
        self.sensor = sensor
        self.instant = instant
        self.content = content
    }

    /// What a recording can say of a sensor.
    public enum Content: Sendable {
        /// It measured.
        case reading(RecordedReading)
        /// It does otherwise than before.
        case status(SensorStatus)
        /// Readings are missing at this place.
        case lost(ReadingLoss)
        /// It was opened at this place, and granted a rate in hertz; nil where it did not say.
        case opened(rate: Double?)
        /// Nothing was recorded for a while: what follows does not continue what came before.
        case gap(reason: String)
        /// It ended at this place; with an error where that is why.
        case ended(SensorError?)
    }

    /// The reading; nil where the event is none.
    public var reading: RecordedReading? {
        if case .reading(let reading) = content { reading } else { nil }
    }
}

extension RecordedEvent: Equatable {}
extension RecordedEvent.Content: Equatable {}
