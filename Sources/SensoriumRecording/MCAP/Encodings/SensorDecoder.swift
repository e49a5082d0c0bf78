import Sensorium

/// Turns the messages of one sensor back into events.
///
/// A vector, a fix and a picture wait for the message beside them, which has all of their fields; a
/// vector without one was complete, and of a fix there is what other programs see.
final class SensorDecoder: EventDecoder {
    private let sensor: RecordedSensor
    private(set) var faults = 0
    private let channels: [(role: EventEncoding.Role, form: EventEncoding.Form)]
    private let cdr: CDRMessage?
    /// A vector or a fix, which is given as it is if nothing else follows.
    private var waiting: RecordedEvent?
    /// Whether a picture waits, which is nothing without the event beside it.
    private var isIncomplete = false
    private var image: FrameStorage?

    /// - Parameter channels: what each of its channels is for, and how it is understood.
    init(
        _ sensor: RecordedSensor, _ channels: [(role: EventEncoding.Role, form: EventEncoding.Form)]
    ) {
        self.sensor = sensor
        self.channels = channels
        cdr = CDRMessage(sensor)
    }

    var sensors: [RecordedSensor] { [sensor] }

    func sensorRead(channel: Int) -> SensorID? {
        switch channels[channel].role {
        case .readings, .compressed: sensor.id
        case .details, .events: nil
        }
    }

    func decode(
        channel: Int, time: SensorInstant, payload: UnsafeRawBufferPointer
    ) -> [RecordedEvent] {
        switch channels[channel].form {
        case .vector:
            let before = drain()
            guard let (instant, x, y, z) = cdr?.parse(payload) else {
                faults += 1
                return before
            }
            waiting = RecordedEvent(
                sensor: sensor.id, instant: time,
                content: .reading(vector(ReadingTime(instant), x, y, z)))
            return before
        case .fix:
            let before = drain()
            guard let read = LocationFix.foxglove(payload) else {
                faults += 1
                return before
            }
            var fix = read.fix
            fix.time =
                read.stamp.map { ReadingTime(SensorInstant(nanoseconds: $0)) }
                ?? ReadingTime(time, source: .arrival)
            waiting = RecordedEvent(
                sensor: sensor.id, instant: time, content: .reading(.location(fix)))
            return before
        case .image, .compressedImage:
            let before = drain()
            var fields = ProtobufFields(payload)
            guard let data = fields.bytes(channels[channel].form == .compressedImage ? 2 : 6) else {
                faults += 1
                return before
            }
            image = FrameStorage(copying: data)
            isIncomplete = true
            return before
        case .numbers:
            guard let reading = ReadingMessage.read(sensor.kind, payload) else {
                faults += 1
                return drain()
            }
            return complete(
                RecordedEvent(sensor: sensor.id, instant: time, content: .reading(reading)))
        case .event: return decodeEvent(time, payload)
        }
    }

    private func vector(_ time: ReadingTime, _ x: Double, _ y: Double, _ z: Double)
        -> RecordedReading
    {
        switch sensor.kind {
        case .angularVelocity: .angularVelocity(AngularVelocity(time: time, x: x, y: y, z: z))
        case .magneticField: .magneticField(MagneticField(time: time, x: x, y: y, z: z))
        default: .acceleration(Acceleration(time: time, x: x, y: y, z: z))
        }
    }

    private func decodeEvent(
        _ time: SensorInstant, _ payload: UnsafeRawBufferPointer
    ) -> [RecordedEvent] {
        guard let object = JSONObject(payload),
            let content = EventJSON.content(object, image: image)
        else {
            faults += 1
            return drain()
        }
        let event = RecordedEvent(
            sensor: sensor.id, instant: object.values["untimed"] == nil ? time : nil,
            content: content)
        guard case .reading(let reading) = content else { return drain() + [event] }
        guard reading.kind == sensor.kind else {
            faults += 1
            return drain()
        }
        return complete(event)
    }

    /// The event, which says more than what waits, of the same reading.
    private func complete(_ event: RecordedEvent) -> [RecordedEvent] {
        waiting = nil
        isIncomplete = false
        image = nil
        return [event]
    }

    func drain() -> [RecordedEvent] {
        if isIncomplete {
            faults += 1
            isIncomplete = false
            image = nil
        }
        guard let event = waiting else { return [] }
        waiting = nil
        return [event]
    }
}
