import Sensorium

/// A reading that a recording can hold: every kind that this package has.
public protocol RecordableReading: SensorReading {
    /// The reading among all kinds.
    var recorded: RecordedReading { get }
    /// The reading out of all kinds; nil where it is of another.
    init?(_ recorded: RecordedReading)
}

extension LocationFix: RecordableReading {
    /// `.location`.
    public var recorded: RecordedReading { .location(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .location(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Satellites: RecordableReading {
    /// `.satellites`.
    public var recorded: RecordedReading { .satellites(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .satellites(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Heading: RecordableReading {
    /// `.heading`.
    public var recorded: RecordedReading { .heading(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .heading(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Attitude: RecordableReading {
    /// `.attitude`.
    public var recorded: RecordedReading { .attitude(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .attitude(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Acceleration: RecordableReading {
    /// `.acceleration`.
    public var recorded: RecordedReading { .acceleration(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .acceleration(let reading) = recorded else { return nil }
        self = reading
    }
}

extension AngularVelocity: RecordableReading {
    /// `.angularVelocity`.
    public var recorded: RecordedReading { .angularVelocity(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .angularVelocity(let reading) = recorded else { return nil }
        self = reading
    }
}

extension MagneticField: RecordableReading {
    /// `.magneticField`.
    public var recorded: RecordedReading { .magneticField(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .magneticField(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Pressure: RecordableReading {
    /// `.pressure`.
    public var recorded: RecordedReading { .pressure(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .pressure(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Temperature: RecordableReading {
    /// `.temperature`.
    public var recorded: RecordedReading { .temperature(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .temperature(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Humidity: RecordableReading {
    /// `.humidity`.
    public var recorded: RecordedReading { .humidity(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .humidity(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Illuminance: RecordableReading {
    /// `.illuminance`.
    public var recorded: RecordedReading { .illuminance(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .illuminance(let reading) = recorded else { return nil }
        self = reading
    }
}

extension Proximity: RecordableReading {
    /// `.proximity`.
    public var recorded: RecordedReading { .proximity(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .proximity(let reading) = recorded else { return nil }
        self = reading
    }
}

extension CameraFrame: RecordableReading {
    /// `.camera`.
    public var recorded: RecordedReading { .camera(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .camera(let reading) = recorded else { return nil }
        self = reading
    }
}

extension TouchEvent: RecordableReading {
    /// `.touch`.
    public var recorded: RecordedReading { .touch(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .touch(let reading) = recorded else { return nil }
        self = reading
    }
}

extension KeyEvent: RecordableReading {
    /// `.key`.
    public var recorded: RecordedReading { .key(self) }

    /// The reading, where it is of this type.
    public init?(_ recorded: RecordedReading) {
        guard case .key(let reading) = recorded else { return nil }
        self = reading
    }
}
