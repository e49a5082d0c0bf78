import Sensorium

/// Turns the messages of one sensor back into events.
///
/// A vector, a fix and a picture wait for the event beside them, which has all of their fields; a
/// vector without one was complete.
final class SensorDecoder: EventDecoder {
    private let sensor: RecordedSensor
    private(set) var faults = 0
    private let roles: [EventEncoding.Role]
    private let cdr: CDRMessage?
    /// A vector that is complete if nothing else follows.
    private var waiting: RecordedEvent?
    /// Whether a fix or a picture waits, which is nothing without the event beside it.
    private var isIncomplete = false
    private var image: FrameStorage?

    init(_ sensor: RecordedSensor, _ roles: [EventEncoding.Role]) {
        self.sensor = sensor
        self.roles = roles
        cdr = CDRMessage(sensor)
    }

    var sensors: [RecordedSensor] { [sensor] }

    func decode(
        channel: Int, time: SensorInstant, payload: UnsafeRawBufferPointer
    ) -> [RecordedEvent] {
        if roles[channel] == .events { return decodeEvent(time, payload) }
        if let cdr {
            let before = drain()
            guard let (instant, x, y, z) = cdr.parse(payload) else {
                faults += 1
                return before
            }
            waiting = RecordedEvent(
                sensor: sensor.id, instant: time,
                content: .reading(vector(ReadingTime(instant), x, y, z)))
            return before
        }
        switch sensor.kind {
        case .location:
            _ = drain()
            isIncomplete = true
            return []
        case .camera:
            _ = drain()
            var fields = ProtobufFields(payload)
            guard let data = fields.bytes(roles[channel] == .compressed ? 2 : 6) else {
                faults += 1
                return []
            }
            image = FrameStorage(copying: data)
            isIncomplete = true
            return []
        default: return decodeEvent(time, payload)
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
        // It says more than what waits, of the same reading.
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
