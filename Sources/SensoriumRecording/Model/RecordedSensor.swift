import Sensorium

/// One sensor of a recording.
public struct RecordedSensor: Sendable, Hashable {
    /// What was known of it when it was recorded; its id is unique within the recording.
    public var descriptor: SensorDescriptor
    /// The rate in hertz that was asked for; nil where the sensor was left to itself, or unknown.
    public var requestedRate: Double?

    /// Makes a sensor.
    public init(_ descriptor: SensorDescriptor, requestedRate: Double? = nil) {
        self.descriptor = descriptor
        self.requestedRate = requestedRate
    }

    /// Its name within the recording.
    public var id: SensorID { descriptor.id }

    /// What it measures.
    public var kind: SensorKind { descriptor.kind }
}
