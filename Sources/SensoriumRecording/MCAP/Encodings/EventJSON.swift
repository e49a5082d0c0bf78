import Sensorium

/// Events as JSON: `{"event":"status","state":"searching"}`.
enum EventJSON {
    /// Writes an event of a sensor, all fields of a reading included.
    static func write(_ event: RecordedEvent, to buffer: ByteBuffer) {
        buffer.truncate(to: 0)
        buffer.append(UInt8(0x7b))
        if event.instant == nil { buffer.member("untimed", "true", isNumber: true) }
        switch event.content {
        case .reading(let reading): write(reading, to: buffer)
        case .status(let status):
            buffer.member("event", "status")
            buffer.member("state", "\(status.state)")
            buffer.member("reason", status.reason)
            buffer.member("hint", status.hint)
        case .lost(let loss):
            buffer.member("event", "lost")
            buffer.member("count", "\(loss.count)", isNumber: true)
            buffer.member("reason", "\(loss.reason)")
        case .opened(let rate):
            buffer.member("event", "opened")
            var fields = JSONFieldWriter(buffer: buffer)
            var rate = rate
            fields.field("rate_Hz", &rate)
        case .gap(let reason):
            buffer.member("event", "gap")
            buffer.member("reason", reason)
        case .ended(let error):
            buffer.member("event", "ended")
            if let error { write(error, to: buffer) }
        }
        buffer.append(UInt8(0x7d))
    }

    private static func write(_ reading: RecordedReading, to buffer: ByteBuffer) {
        buffer.member("event", "reading")
        buffer.member("kind", reading.kind.name)
        var fields = JSONFieldWriter(buffer: buffer)
        var time = reading.time
        var flags = reading.flags
        time.visit(&fields)
        fields.field("flags", &flags)
        switch reading {
        case .location(var reading): reading.visit(&fields)
        case .satellites(let list): write(list, to: buffer)
        case .heading(var reading): reading.visit(&fields)
        case .attitude(var reading): reading.visit(&fields)
        case .acceleration(var reading): reading.visit(&fields)
        case .angularVelocity(var reading): reading.visit(&fields)
        case .magneticField(var reading): reading.visit(&fields)
        case .pressure(var reading): reading.visit(&fields)
        case .temperature(var reading): reading.visit(&fields)
        case .humidity(var reading): reading.visit(&fields)
        case .illuminance(var reading): reading.visit(&fields)
        case .proximity(var reading): reading.visit(&fields)
        case .camera(let frame): ImageMessage.write(detailsOf: frame, to: buffer)
        case .touch(var reading): reading.visit(&fields)
        case .key(var reading): reading.visit(&fields)
        }
    }

    /// The list with the dilutions in its first row.
    private static func write(_ list: Satellites, to buffer: ByteBuffer) {
        buffer.raw(",\"satellites\":[")
        let count = list.inView.count
        for place in 0..<max(1, count) {
            buffer.raw(place == 0 ? "{" : ",{")
            var row = SatelliteRow(count: count, dilution: list.dilution)
            if count > 0 {
                row.place = place + 1
                row.satellite = list.inView[place]
            }
            var fields = JSONFieldWriter(buffer: buffer)
            row.visit(&fields)
            buffer.raw("}")
        }
        buffer.raw("]")
    }

    private static func write(_ error: SensorError, to buffer: ByteBuffer) {
        buffer.member("sensor", error.sensor.rawValue)
        switch error {
        case .unavailable: buffer.member("error", "unavailable")
        case .denied: buffer.member("error", "denied")
        case .busy: buffer.member("error", "busy")
        case .disconnected: buffer.member("error", "disconnected")
        case .timedOut(_, let after, _):
            buffer.member("error", "timedOut")
            // A duration may be finer than a nanosecond, and longer than 292 years.
            let nanoseconds = after.wholeNanoseconds
            let isWhole = after == .nanoseconds(nanoseconds)
            buffer.member(
                isWhole ? "after_ns" : "after_as",
                isWhole ? "\(nanoseconds)" : "\(after.attoseconds)",
                isNumber: true)
        case .cancelled: buffer.member("error", "cancelled")
        case .malformed: buffer.member("error", "malformed")
        case .unsupported: buffer.member("error", "unsupported")
        case .incompatible: buffer.member("error", "incompatible")
        case .pluginFault: buffer.member("error", "pluginFault")
        }
        if case .timedOut = error {} else { buffer.member("reason", error.reason) }
        buffer.member("hint", error.hint)
    }

    // MARK: Reading

    /// What an object says; nil where that makes no sense.
    ///
    /// - Parameter image: the bytes of the picture that the object describes.
    static func content(
        _ object: JSONObject, image: FrameStorage?
    ) -> RecordedEvent.Content? {
        let values = object.values
        let reason = values["reason"] ?? ""
        switch values["event"] {
        case "reading": return reading(object, image).map { .reading($0) }
        case "status":
            guard
                let state = SensorStatus.State.allCases.first(where: { "\($0)" == values["state"] })
            else { return nil }
            return .status(SensorStatus(state, reason: reason, hint: values["hint"] ?? ""))
        case "lost":
            guard let count = values["count"].flatMap({ Int($0) }),
                let why = ReadingLoss.Reason.allCases.first(where: { "\($0)" == reason })
            else { return nil }
            return .lost(ReadingLoss(count: count, reason: why))
        case "opened":
            var fields = JSONFieldReader(object)
            var rate: Double?
            fields.field("rate_Hz", &rate)
            return fields.isRefused ? nil : .opened(rate: rate)
        case "gap": return .gap(reason: reason)
        case "ended":
            guard values["error"] != nil else { return .ended(nil) }
            return error(values).map { .ended($0) }
        default: return nil
        }
    }

    private static func reading(_ object: JSONObject, _ image: FrameStorage?) -> RecordedReading? {
        func read<Reading: FieldedReading>(_: Reading.Type) -> RecordedReading? {
            guard var reading = Reading.blank else { return nil }
            var fields = JSONFieldReader(object)
            reading.visit(&fields)
            return finish(reading, &fields)
        }
        switch SensorKind.allCases.first(where: { $0.name == object.values["kind"] }) {
        case nil: return nil
        case .location?: return read(LocationFix.self)
        case .satellites?: return satellites(object)
        case .heading?: return read(Heading.self)
        case .attitude?: return read(Attitude.self)
        case .acceleration?: return read(Acceleration.self)
        case .angularVelocity?: return read(AngularVelocity.self)
        case .magneticField?: return read(MagneticField.self)
        case .pressure?: return read(Pressure.self)
        case .temperature?: return read(Temperature.self)
        case .humidity?: return read(Humidity.self)
        case .illuminance?: return read(Illuminance.self)
        case .proximity?: return read(Proximity.self)
        case .touch?: return read(TouchEvent.self)
        case .key?: return read(KeyEvent.self)
        case .camera?:
            guard let image, let frame = ImageMessage.frame(object, image) else { return nil }
            var fields = JSONFieldReader(object)
            return finish(frame, &fields)
        }
    }

    /// The reading with its time and its flags; nil where a field makes no sense.
    private static func finish<Reading: RecordableReading>(
        _ reading: Reading, _ fields: inout JSONFieldReader
    ) -> RecordedReading? {
        var reading = reading
        var time = reading.time
        time.visit(&fields)
        var flags = reading.flags
        fields.field("flags", &flags)
        reading.time = time
        reading.flags = flags
        return fields.isRefused ? nil : reading.recorded
    }

    private static func satellites(_ object: JSONObject) -> RecordedReading? {
        var list: [Satellite] = []
        var dilution = Satellites.Dilution()
        for row in object.lists["satellites"] ?? [] {
            var fields = JSONFieldReader(row)
            var read = SatelliteRow()
            read.visit(&fields)
            if fields.isRefused { return nil }
            dilution = read.dilution
            if read.place != nil { list.append(read.satellite) }
        }
        var fields = JSONFieldReader(object)
        return finish(
            Satellites(time: .unknown, inView: list, dilution: dilution), &fields)
    }

    private static func error(_ values: [String: String]) -> SensorError? {
        let id = SensorID(values["sensor"] ?? "")
        let (reason, hint) = (values["reason"] ?? "", values["hint"] ?? "")
        switch values["error"] {
        case "unavailable": return .unavailable(id, reason: reason, hint: hint)
        case "denied": return .denied(id, reason: reason, hint: hint)
        case "busy": return .busy(id, reason: reason, hint: hint)
        case "disconnected": return .disconnected(id, reason: reason, hint: hint)
        case "timedOut":
            let whole = values["after_ns"].flatMap { Int64($0) }.map { Duration.nanoseconds($0) }
            let fine = values["after_as"].flatMap { Int128($0) }.map { Duration(attoseconds: $0) }
            guard let after = whole ?? fine else { return nil }
            return .timedOut(id, after: after, hint: hint)
        case "cancelled": return .cancelled(id)
        case "malformed": return .malformed(id, reason: reason, hint: hint)
        case "unsupported": return .unsupported(id, reason: reason, hint: hint)
        case "incompatible": return .incompatible(id, reason: reason, hint: hint)
        case "pluginFault": return .pluginFault(id, reason: reason, hint: hint)
        default: return nil
        }
    }
}
