import Sensorium

/// Readings with all of their fields, in plain CDR: `sensorium/msg/Acceleration`.
///
/// Such a message begins with the time and the flags of the reading. New fields are only ever added at the
/// end: a message that is shorter than expected lacks the last ones, one that is longer has more.
enum ReadingMessage {
    /// More than any message has.
    static let largest = 1024

    /// Whether all fields of a kind's readings fit: lists and pictures do not.
    static func isFor(_ kind: SensorKind) -> Bool { kind != .satellites && kind != .camera }

    // MARK: Writing

    /// The schema of a kind; nil for one of lists or pictures.
    static func schema(_ kind: SensorKind) -> MessageSchema? {
        switch kind {
        case .location: schema(LocationFix.self)
        case .heading: schema(Heading.self)
        case .attitude: schema(Attitude.self)
        case .acceleration: schema(Acceleration.self)
        case .angularVelocity: schema(AngularVelocity.self)
        case .magneticField: schema(MagneticField.self)
        case .pressure: schema(Pressure.self)
        case .temperature: schema(Temperature.self)
        case .humidity: schema(Humidity.self)
        case .illuminance: schema(Illuminance.self)
        case .proximity: schema(Proximity.self)
        case .touch: schema(TouchEvent.self)
        case .key: schema(KeyEvent.self)
        case .satellites, .camera: nil
        }
    }

    private static func schema<Reading: FieldedReading>(_: Reading.Type) -> MessageSchema? {
        guard var reading = Reading.blank else { return nil }
        var schema = CDRFieldSchema()
        visit(&reading, &schema)
        return MessageSchema(
            name: "sensorium/msg/\(Reading.kind.typeName)", encoding: "ros2msg",
            text: Array(schema.text.utf8))
    }

    /// Writes a reading of a list or a picture nowhere; `isFor` tells.
    static func write(_ reading: RecordedReading, to buffer: ByteBuffer) {
        switch reading {
        case .location(let reading): write(reading, to: buffer)
        case .heading(let reading): write(reading, to: buffer)
        case .attitude(let reading): write(reading, to: buffer)
        case .acceleration(let reading): write(reading, to: buffer)
        case .angularVelocity(let reading): write(reading, to: buffer)
        case .magneticField(let reading): write(reading, to: buffer)
        case .pressure(let reading): write(reading, to: buffer)
        case .temperature(let reading): write(reading, to: buffer)
        case .humidity(let reading): write(reading, to: buffer)
        case .illuminance(let reading): write(reading, to: buffer)
        case .proximity(let reading): write(reading, to: buffer)
        case .touch(let reading): write(reading, to: buffer)
        case .key(let reading): write(reading, to: buffer)
        case .satellites, .camera: buffer.truncate(to: 0)
        }
    }

    @inline(__always)
    static func write<Reading: FieldedReading>(_ reading: Reading, to buffer: ByteBuffer) {
        buffer.truncate(to: 0)
        var reading = reading
        var fields = CDRFieldWriter(buffer.grow(by: largest))
        visit(&reading, &fields)
        fields.finish()
        buffer.truncate(to: fields.count)
    }

    // MARK: Reading

    /// The reading in a message; nil where it makes no sense.
    static func read(_ kind: SensorKind, _ bytes: UnsafeRawBufferPointer) -> RecordedReading? {
        switch kind {
        case .location: read(LocationFix.self, bytes)
        case .heading: read(Heading.self, bytes)
        case .attitude: read(Attitude.self, bytes)
        case .acceleration: read(Acceleration.self, bytes)
        case .angularVelocity: read(AngularVelocity.self, bytes)
        case .magneticField: read(MagneticField.self, bytes)
        case .pressure: read(Pressure.self, bytes)
        case .temperature: read(Temperature.self, bytes)
        case .humidity: read(Humidity.self, bytes)
        case .illuminance: read(Illuminance.self, bytes)
        case .proximity: read(Proximity.self, bytes)
        case .touch: read(TouchEvent.self, bytes)
        case .key: read(KeyEvent.self, bytes)
        case .satellites, .camera: nil
        }
    }

    @inline(__always)
    private static func read<Reading: FieldedReading>(
        _: Reading.Type, _ bytes: UnsafeRawBufferPointer
    ) -> RecordedReading? {
        guard var reading = Reading.blank, var fields = CDRFieldReader(bytes) else { return nil }
        visit(&reading, &fields)
        return fields.isRefused ? nil : reading.recorded
    }

    @inline(__always)
    private static func visit<Reading: FieldedReading, Visitor: FieldVisitor>(
        _ reading: inout Reading, _ visitor: inout Visitor
    ) {
        var time = reading.time
        var flags = reading.flags
        time.visit(&visitor)
        visitor.field("flags", &flags)
        reading.visit(&visitor)
        guard visitor.fills else { return }
        reading.time = time
        reading.flags = flags
    }

    /// Whether messages of one schema can be read by another: the fields of the shorter one begin the
    /// longer one.
    static func fits(_ schema: MessageSchema?, _ kind: SensorKind) -> Bool {
        guard let schema, let ours = Self.schema(kind), schema.name == ours.name,
            schema.encoding == ours.encoding
        else { return false }
        return zip(fields(schema), fields(ours)).allSatisfy { $0 == $1 }
    }

    /// Types and names of a schema's fields, without comments.
    private static func fields(_ schema: MessageSchema) -> [String] {
        schema.text.split(separator: 0x0a).compactMap { line in
            let code = line.prefix { $0 != 0x23 }.split(separator: 0x20)
            if code.isEmpty { return nil }
            return code.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        }
    }
}

extension SensorKind {
    /// Its name as that of a type: `AngularVelocity`.
    var typeName: String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
