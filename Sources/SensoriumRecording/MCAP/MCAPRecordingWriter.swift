import Sensorium

/// Writes readings, statuses and losses to an MCAP file.
final class MCAPRecordingWriter: RecordingWriter, MessageSink {
    /// What is known of one sensor.
    private final class Lane {
        let encoder: any EventEncoder
        let channels: [MCAPFileWriter.Channel]

        init(_ encoder: any EventEncoder, _ channels: [MCAPFileWriter.Channel]) {
            self.encoder = encoder
            self.channels = channels
        }
    }

    private let file: MCAPFileWriter
    private let path: String
    private var lanes: [SensorID: Lane] = [:]
    /// The lane of the last event: sensors often have several in a row.
    private var lane: Lane?
    private var laneID: SensorID = ""
    private var logTime: UInt64 = 0
    private var publishTime: UInt64 = 0

    var byteCount: UInt64 { file.byteCount }

    init(
        _ path: String, _ metadata: RecordingMetadata, _ options: MCAPOptions
    ) throws(RecordingError) {
        self.path = path
        file = try MCAPFileWriter(path, library: metadata.writer, options: options)
        for table in metadata.tables { try file.add(table) }
    }

    func add(_ sensor: RecordedSensor) throws(RecordingError) {
        guard lanes[sensor.id] == nil else {
            throw RecordingError(.misuse, path: path, reason: "\(sensor.id) was added before")
        }
        let encoder = EventEncoding.encoder(for: sensor)
        var channels: [MCAPFileWriter.Channel] = []
        for channel in encoder.channels { channels.append(try file.add(channel)) }
        lanes[sensor.id] = Lane(encoder, channels)
    }

    func write(_ event: RecordedEvent) throws(RecordingError) {
        if lane == nil || laneID != event.sensor {
            guard let known = lanes[event.sensor] else {
                throw RecordingError(
                    .misuse, path: path, reason: "\(event.sensor) was not added")
            }
            lane = known
            laneID = event.sensor
        }
        guard let lane else { return }
        if let instant = event.instant { logTime = UInt64(bitPattern: instant.nanoseconds) }
        // Other programs expect no time before the first one.
        let measured = event.reading?.time.instant.nanoseconds ?? 0
        publishTime = measured > 0 ? UInt64(measured) : logTime
        try lane.encoder.encode(event, to: self)
    }

    func take(channel: Int, payload: UnsafeRawBufferPointer) throws(RecordingError) {
        guard let lane, lane.channels.indices.contains(channel) else {
            throw RecordingError(.misuse, path: path, reason: "there is no channel \(channel)")
        }
        try file.write(
            lane.channels[channel], logTime: logTime, publishTime: publishTime, payload: payload)
    }

    func flush() throws(RecordingError) { try file.flush() }

    func finish() throws(RecordingError) { try file.finish() }
}
