import Sensorium

/// A reading of any kind.
///
/// Every field of the reading comes out of a recording as it went in.
public enum RecordedReading: Sendable {
    /// A position.
    case location(LocationFix)
    /// Satellites in view.
    case satellites(Satellites)
    /// Where the device points.
    case heading(Heading)
    /// How the device is turned.
    case attitude(Attitude)
    /// Specific force.
    case acceleration(Acceleration)
    /// A rate of turn.
    case angularVelocity(AngularVelocity)
    /// A magnetic field.
    case magneticField(MagneticField)
    /// An air pressure.
    case pressure(Pressure)
    /// A temperature.
    case temperature(Temperature)
    /// A relative humidity.
    case humidity(Humidity)
    /// Light.
    case illuminance(Illuminance)
    /// A distance.
    case proximity(Proximity)
    /// A picture.
    case camera(CameraFrame)
    /// A touch.
    case touch(TouchEvent)
    /// A key.
    case key(KeyEvent)

    /// Wraps a reading of a type that is known only here.
    @inlinable
    public init<Reading: RecordableReading>(_ reading: Reading) { self = reading.recorded }

    /// The reading as the type that it is of.
    public var reading: any SensorReading {
        switch self {
        case .location(let reading): reading
        case .satellites(let reading): reading
        case .heading(let reading): reading
        case .attitude(let reading): reading
        case .acceleration(let reading): reading
        case .angularVelocity(let reading): reading
        case .magneticField(let reading): reading
        case .pressure(let reading): reading
        case .temperature(let reading): reading
        case .humidity(let reading): reading
        case .illuminance(let reading): reading
        case .proximity(let reading): reading
        case .camera(let reading): reading
        case .touch(let reading): reading
        case .key(let reading): reading
        }
    }

    /// What was measured.
    public var kind: SensorKind {
        switch self {
        case .location: .location
        case .satellites: .satellites
        case .heading: .heading
        case .attitude: .attitude
        case .acceleration: .acceleration
        case .angularVelocity: .angularVelocity
        case .magneticField: .magneticField
        case .pressure: .pressure
        case .temperature: .temperature
        case .humidity: .humidity
        case .illuminance: .illuminance
        case .proximity: .proximity
        case .camera: .camera
        case .touch: .touch
        case .key: .key
        }
    }

    /// When it was measured.
    public var time: ReadingTime {
        get {
            switch self {
            case .location(let reading): reading.time
            case .satellites(let reading): reading.time
            case .heading(let reading): reading.time
            case .attitude(let reading): reading.time
            case .acceleration(let reading): reading.time
            case .angularVelocity(let reading): reading.time
            case .magneticField(let reading): reading.time
            case .pressure(let reading): reading.time
            case .temperature(let reading): reading.time
            case .humidity(let reading): reading.time
            case .illuminance(let reading): reading.time
            case .proximity(let reading): reading.time
            case .camera(let reading): reading.time
            case .touch(let reading): reading.time
            case .key(let reading): reading.time
            }
        }
        set { set(time: newValue, flags: flags) }
    }

    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags {
        get { reading.flags }
        set { set(time: time, flags: newValue) }
    }

    private mutating func set(time: ReadingTime, flags: ReadingFlags) {
        func changed<Reading: RecordableReading>(_ reading: Reading) -> RecordedReading {
            var copy = reading
            copy.time = time
            copy.flags = flags
            return copy.recorded
        }
        switch self {
        case .location(let reading): self = changed(reading)
        case .satellites(let reading): self = changed(reading)
        case .heading(let reading): self = changed(reading)
        case .attitude(let reading): self = changed(reading)
        case .acceleration(let reading): self = changed(reading)
        case .angularVelocity(let reading): self = changed(reading)
        case .magneticField(let reading): self = changed(reading)
        case .pressure(let reading): self = changed(reading)
        case .temperature(let reading): self = changed(reading)
        case .humidity(let reading): self = changed(reading)
        case .illuminance(let reading): self = changed(reading)
        case .proximity(let reading): self = changed(reading)
        case .camera(let reading): self = changed(reading)
        case .touch(let reading): self = changed(reading)
        case .key(let reading): self = changed(reading)
        }
    }
}

extension RecordedReading {
    /// Whether its values are numbers, and a position is on the Earth.
    ///
    /// A file may hold anything; a sensor hands out nothing else.
    package var isPlausible: Bool {
        switch self {
        case .location(let fix): abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180
        case .satellites, .heading, .camera, .key: true
        case .attitude(let turn): (turn.w + turn.x + turn.y + turn.z).isFinite
        case .acceleration(let vector): (vector.x + vector.y + vector.z).isFinite
        case .angularVelocity(let vector): (vector.x + vector.y + vector.z).isFinite
        case .magneticField(let vector): (vector.x + vector.y + vector.z).isFinite
        case .pressure(let scalar): scalar.value.isFinite
        case .temperature(let scalar): scalar.value.isFinite
        case .humidity(let scalar): scalar.value.isFinite
        case .illuminance(let scalar): scalar.value.isFinite
        case .proximity(let scalar): scalar.value.isFinite
        case .touch(let touch): (0...1).contains(touch.x) && (0...1).contains(touch.y)
        }
    }
}

extension RecordedReading: Equatable {
    /// Whether two readings are alike in every field; pictures by their bytes.
    public static func == (a: RecordedReading, b: RecordedReading) -> Bool {
        switch (a, b) {
        case (.location(let a), .location(let b)): a == b
        case (.satellites(let a), .satellites(let b)): a == b
        case (.heading(let a), .heading(let b)): a == b
        case (.attitude(let a), .attitude(let b)): a == b
        case (.acceleration(let a), .acceleration(let b)): a == b
        case (.angularVelocity(let a), .angularVelocity(let b)): a == b
        case (.magneticField(let a), .magneticField(let b)): a == b
        case (.pressure(let a), .pressure(let b)): a == b
        case (.temperature(let a), .temperature(let b)): a == b
        case (.humidity(let a), .humidity(let b)): a == b
        case (.illuminance(let a), .illuminance(let b)): a == b
        case (.proximity(let a), .proximity(let b)): a == b
        case (.camera(let a), .camera(let b)): a.isSamePicture(as: b)
        case (.touch(let a), .touch(let b)): a == b
        case (.key(let a), .key(let b)): a == b
        default: false
        }
    }
}

extension CameraFrame {
    /// Whether another frame has the same fields, and the same bytes in its planes.
    func isSamePicture(as other: CameraFrame) -> Bool {
        guard time == other.time, flags == other.flags, width == other.width,
            height == other.height, format == other.format, planes == other.planes,
            sequence == other.sequence, timeReference == other.timeReference
        else { return false }
        return planes.allSatisfy { plane in
            guard let mine = bytes(of: plane), let others = other.bytes(of: plane) else {
                return false
            }
            return mine.elementsEqual(others)
        }
    }

    /// The bytes of a plane; nil where it lies outside the storage.
    func bytes(of plane: Plane) -> Slice<UnsafeRawBufferPointer>? {
        let (end, overflow) = plane.offset.addingReportingOverflow(plane.length)
        guard plane.offset >= 0, plane.length >= 0, !overflow, end <= storage.bytes.count else {
            return nil
        }
        return storage.bytes[plane.offset..<end]
    }
}
