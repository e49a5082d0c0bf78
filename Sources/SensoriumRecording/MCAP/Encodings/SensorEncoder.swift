import Sensorium

/// Turns the events of one sensor into messages.
final class SensorEncoder: EventEncoder {
    let channels: [MessageChannel]
    private let sensor: RecordedSensor
    private let cdr: CDRMessage?
    private let buffer = ByteBuffer()
    /// The channel of all fields as numbers; nil where they are JSON.
    private let numbers: Int?
    private let events: Int

    init(_ sensor: RecordedSensor) {
        self.sensor = sensor
        let channels = EventEncoding.channels(of: sensor)
        self.channels = channels.map(\.channel)
        cdr = CDRMessage(sensor)
        events = channels.count - 1
        numbers = channels.lastIndex {
            $0.role != .events && ReadingMessage.fits($0.channel.schema, sensor.kind)
        }
    }

    func encode(_ event: RecordedEvent, to sink: any MessageSink) throws(RecordingError) {
        guard case .reading(let reading) = event.content else {
            return try encodeFully(event, channel: events, to: sink)
        }
        guard reading.kind == sensor.kind else {
            throw RecordingError(
                .misuse, path: sensor.id.rawValue,
                reason: "it measures \(sensor.kind.name), and was given \(reading.kind.name)")
        }
        switch reading {
        case .acceleration(let vector):
            try encode(vector, vector.x, vector.y, vector.z, vector.accuracy, event, to: sink)
        case .angularVelocity(let vector):
            try encode(vector, vector.x, vector.y, vector.z, vector.accuracy, event, to: sink)
        case .magneticField(let vector):
            try encode(vector, vector.x, vector.y, vector.z, vector.accuracy, event, to: sink)
        case .location(let fix):
            write(fix)
            try sink.take(channel: 0, payload: buffer.bytes)
            try encodeNumbers(fix, event, to: sink)
        case .camera(let frame):
            ImageMessage.write(frame, id: sensor.id, to: buffer)
            try sink.take(
                channel: ImageMessage.isCompressed(frame) ? 1 : 0, payload: buffer.bytes)
            try encodeFully(event, channel: events, to: sink)
        default:
            guard let numbers, event.instant != nil else {
                return try encodeFully(event, channel: numbers == nil ? 0 : events, to: sink)
            }
            ReadingMessage.write(reading, to: buffer)
            try sink.take(channel: numbers, payload: buffer.bytes)
        }
    }

    /// A vector, and all of its fields where the message has no place for one of them.
    @inline(__always)
    private func encode(
        _ reading: some FieldedReading, _ x: Double, _ y: Double, _ z: Double,
        _ accuracy: Accuracy?, _ event: RecordedEvent, to sink: any MessageSink
    ) throws(RecordingError) {
        let time = reading.time
        guard let message = cdr?.bytes(time.instant, x, y, z) else { return }
        try sink.take(channel: 0, payload: message.bytes)
        if !message.isExact || accuracy != nil || !reading.flags.isEmpty || event.instant == nil
            || time.source != .device || time.original != nil || !time.rawUncertainty.isNaN
        {
            try encodeNumbers(reading, event, to: sink)
        }
    }

    /// All fields of a reading, as numbers if the event has a time.
    @inline(__always)
    private func encodeNumbers(
        _ reading: some FieldedReading, _ event: RecordedEvent, to sink: any MessageSink
    ) throws(RecordingError) {
        guard let numbers, event.instant != nil else {
            return try encodeFully(event, channel: events, to: sink)
        }
        ReadingMessage.write(reading, to: buffer)
        try sink.take(channel: numbers, payload: buffer.bytes)
    }

    private func encodeFully(
        _ event: RecordedEvent, channel: Int, to sink: any MessageSink
    ) throws(RecordingError) {
        EventJSON.write(event, to: buffer)
        try sink.take(channel: channel, payload: buffer.bytes)
    }

    /// `foxglove.LocationFix`, as far as it has a place for a fix.
    ///
    /// Its altitude is the one above the ellipsoid, NaN where that is unknown: 0 would be an altitude.
    /// A covariance is of single axes, so that accuracies are converted from their confidence; where
    /// one of them is unknown, or its confidence is, so is the covariance.
    private func write(_ fix: LocationFix) {
        buffer.truncate(to: 0)
        buffer.field(1, double: fix.latitude)
        buffer.field(2, double: fix.longitude)
        buffer.field(3, double: fix.altitudeEllipsoid ?? .nan)
        if let radius = fix.horizontalAccuracy?.radius(at: .drms),
            let up = fix.verticalAccuracy?.halfWidth(at: .drms)
        {
            // The square of a DRMS radius is the variances of both axes together.
            let plane = radius * radius / 2
            for value in [plane, 0, 0, 0, plane, 0, 0, 0, up * up] {
                buffer.field(4, double: value)
            }
            buffer.field(5, 1)
        }
        buffer.field(6, time: fix.time.instant)
        buffer.field(7, sensor.id.rawValue)
    }
}

extension CDRMessage {
    /// How the readings of a sensor are written; nil for one that is no vector.
    init?(_ sensor: RecordedSensor) {
        switch sensor.kind {
        case .acceleration: self.init(.acceleration, frame: sensor.id.rawValue)
        case .angularVelocity: self.init(.angularVelocity, frame: sensor.id.rawValue)
        case .magneticField: self.init(.magneticField, frame: sensor.id.rawValue)
        default: return nil
        }
    }
}
