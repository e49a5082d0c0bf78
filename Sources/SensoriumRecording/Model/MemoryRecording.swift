import Sensorium

/// A recording in memory: what a test makes up, or a short file that was read whole.
public struct MemoryRecording: Sendable, Equatable {
    /// What it says of itself.
    public var metadata: RecordingMetadata
    /// Its sensors.
    public var sensors: [RecordedSensor]
    /// Its events, in order.
    public var events: [RecordedEvent]

    /// Makes a recording.
    ///
    /// - Parameter metadata: by default boot time of a machine that does not know UTC.
    public init(
        sensors: [RecordedSensor], events: [RecordedEvent] = [],
        metadata: RecordingMetadata = RecordingMetadata(clock: RecordingClock(domain: .boottime))
    ) {
        self.metadata = metadata
        self.sensors = sensors
        self.events = events
    }

    /// Reads all that `reader` still has.
    ///
    /// - Throws: what the reader throws.
    public init(reading reader: any RecordingReader) throws(RecordingError) {
        var events: [RecordedEvent] = []
        while let event = try reader.next() { events.append(event) }
        self.init(sensors: reader.sensors, events: events, metadata: reader.metadata)
    }

    /// Adds a reading, recorded at the time that it was measured.
    public mutating func append<Reading: RecordableReading>(
        _ reading: Reading, of sensor: SensorID, at instant: SensorInstant? = nil
    ) {
        events.append(
            RecordedEvent(
                sensor: sensor, instant: instant ?? reading.instant,
                content: .reading(RecordedReading(reading))))
    }

    /// A reader of it, at its start.
    public func reader() -> sending any RecordingReader { MemoryReader(self) }

    /// Writes all of it, and finishes the writer.
    ///
    /// - Throws: what the writer throws.
    public func write(to writer: any RecordingWriter) throws(RecordingError) {
        for sensor in sensors { try writer.add(sensor) }
        for event in events { try writer.write(event) }
        try writer.finish()
    }
}

private final class MemoryReader: RecordingReader {
    private let recording: MemoryRecording
    private var position = 0

    init(_ recording: MemoryRecording) { self.recording = recording }

    var metadata: RecordingMetadata { recording.metadata }
    var sensors: [RecordedSensor] { recording.sensors }
    var damage: RecordingDamage { RecordingDamage() }

    func next() throws(RecordingError) -> RecordedEvent? {
        guard position < recording.events.count else { return nil }
        defer { position += 1 }
        return recording.events[position]
    }

    func seek(to instant: SensorInstant) throws(RecordingError) {
        let events = recording.events
        position =
            instant.nanoseconds == .min
            ? 0
            : events.firstIndex { $0.instant.map { $0 >= instant } ?? false } ?? events.count
    }
}
