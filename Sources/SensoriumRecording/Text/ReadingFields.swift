import Sensorium

/// A reading of one row: all of its values, those of its time left out.
///
/// Names end with the unit: `_deg`, `_m`, `_m_s` (m/s), `_m_s2` (m/s²), `_rad_s`, `_T`, `_Pa`, `_degC`,
/// `_lx`, `_mm`; a name without one is of a number without a unit.
protocol FieldedReading: RecordableReading {
    /// A reading whose fields are to be filled in; nil where its type cannot make one.
    static var blank: Self? { get }
    /// Goes over the values.
    mutating func visit(_ visitor: inout some FieldVisitor)
}

extension ReadingTime {
    /// No time at all.
    static let unknown = ReadingTime(SensorInstant(nanoseconds: 0), source: .arrival)
}

extension LocationFix: FieldedReading {
    static var blank: LocationFix? { LocationFix(time: .unknown, latitude: 0, longitude: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("latitude_deg", &latitude)
        visitor.field("longitude_deg", &longitude)
        visitDetails(&visitor)
    }

    /// Goes over all but the position.
    mutating func visitDetails(_ visitor: inout some FieldVisitor) {
        visitor.field("altitude_msl_m", &altitudeMSL)
        visitor.field("altitude_ellipsoid_m", &altitudeEllipsoid)
        visitor.field("horizontal_accuracy", unit: "_m", &horizontalAccuracy)
        visitor.field("vertical_accuracy", unit: "_m", &verticalAccuracy)
        visitor.field("speed_m_s", &speed)
        visitor.field("speed_accuracy", unit: "_m_s", &speedAccuracy)
        visitor.field("course_deg", &course)
        visitor.field("course_accuracy", unit: "_deg", &courseAccuracy)
        visitor.field("climb_m_s", &climb)
        visitor.field("fix", &fix)
        visitor.field("quality", &quality)
        visitor.field("satellites_used", &satellitesUsed)
    }
}

extension Heading: FieldedReading {
    static var blank: Heading? { Heading(time: .unknown, trueNorth: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("heading_true_deg", &trueNorth)
        visitor.field("heading_magnetic_deg", &magneticNorth)
        visitor.field("declination_deg", &declination)
        visitor.field("accuracy", &accuracy)
        if visitor.fills, trueNorth == nil, magneticNorth == nil {
            visitor.refuse("heading_true_deg")
        }
    }
}

extension Attitude: FieldedReading {
    static var blank: Attitude? { Attitude(time: .unknown, w: 1, x: 0, y: 0, z: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("attitude_w", &w)
        visitor.field("attitude_x", &x)
        visitor.field("attitude_y", &y)
        visitor.field("attitude_z", &z)
        visitor.field("accuracy", &accuracy)
        // Digits are kept as they are; but a length that is not 1 is none of a turn.
        let length = w * w + x * x + y * y + z * z
        if visitor.fills, !(0.999_999...1.000_001).contains(length) { visitor.refuse("attitude_w") }
    }
}

extension Acceleration: FieldedReading {
    static var blank: Acceleration? { Acceleration(time: .unknown, x: 0, y: 0, z: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("acceleration_x_m_s2", &x)
        visitor.field("acceleration_y_m_s2", &y)
        visitor.field("acceleration_z_m_s2", &z)
        visitor.field("accuracy", &accuracy)
    }
}

extension AngularVelocity: FieldedReading {
    static var blank: AngularVelocity? { AngularVelocity(time: .unknown, x: 0, y: 0, z: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("angular_velocity_x_rad_s", &x)
        visitor.field("angular_velocity_y_rad_s", &y)
        visitor.field("angular_velocity_z_rad_s", &z)
        visitor.field("accuracy", &accuracy)
    }
}

extension MagneticField: FieldedReading {
    static var blank: MagneticField? { MagneticField(time: .unknown, x: 0, y: 0, z: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("magnetic_field_x_T", &x)
        visitor.field("magnetic_field_y_T", &y)
        visitor.field("magnetic_field_z_T", &z)
        visitor.field("accuracy", &accuracy)
    }
}

extension Pressure: FieldedReading {
    static var blank: Pressure? { Pressure(time: .unknown, value: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("pressure_Pa", &value)
        visitor.field("accuracy", &accuracy)
    }
}

extension Temperature: FieldedReading {
    static var blank: Temperature? { Temperature(time: .unknown, value: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("temperature_degC", &value)
        visitor.field("accuracy", &accuracy)
    }
}

extension Humidity: FieldedReading {
    static var blank: Humidity? { Humidity(time: .unknown, value: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("humidity", &value)
        visitor.field("accuracy", &accuracy)
    }
}

extension Illuminance: FieldedReading {
    static var blank: Illuminance? { Illuminance(time: .unknown, value: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("illuminance_lx", &value)
        visitor.field("accuracy", &accuracy)
    }
}

extension Proximity: FieldedReading {
    static var blank: Proximity? { Proximity(time: .unknown, value: 0) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("proximity_m", &value)
        visitor.field("accuracy", &accuracy)
    }
}

extension TouchEvent: FieldedReading {
    static var blank: TouchEvent? {
        TouchEvent(time: .unknown, phase: .began, touch: 0, x: 0, y: 0)
    }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("touch", &touch)
        visitor.field("touch_phase", &phase)
        visitor.field("touch_x", &x)
        visitor.field("touch_y", &y)
        visitor.field("touch_x_mm", &xMillimetres)
        visitor.field("touch_y_mm", &yMillimetres)
        visitor.field("touch_pressure", &pressure)
        visitor.field("touch_tool", &tool)
        visitor.field("touch_ends_frame", &endsFrame)
    }
}

extension KeyEvent: FieldedReading {
    static var blank: KeyEvent? { KeyEvent(time: .unknown, code: 0, phase: .pressed) }

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("key_code", &code)
        visitor.field("key_phase", &phase)
    }
}

/// One satellite of a list, with what is said of the whole list: lists take a row for each.
struct SatelliteRow {
    /// From 1; nil where the list is empty.
    var place: Int?
    /// How many the list has.
    var count = 0
    var satellite = Satellite(number: 0, isUsed: false)
    var dilution = Satellites.Dilution()

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("satellite", &place)
        visitor.field("satellites_in_view", &count)
        visitor.field("hdop", &dilution.horizontal)
        visitor.field("vdop", &dilution.vertical)
        visitor.field("pdop", &dilution.position)
        visitor.field("tdop", &dilution.time)
        visitor.field("gdop", &dilution.geometric)
        var number: Int? = place == nil ? nil : satellite.number
        var isUsed: Bool? = place == nil ? nil : satellite.isUsed
        visitor.field("satellite_system", &satellite.system)
        visitor.field("satellite_number", &number)
        visitor.field("elevation_deg", &satellite.elevation)
        visitor.field("azimuth_deg", &satellite.azimuth)
        visitor.field("signal_dBHz", &satellite.signal)
        visitor.field("is_used", &isUsed)
        visitor.field("is_healthy", &satellite.isHealthy)
        guard visitor.fills, let place else { return }
        guard let number, let isUsed, place >= 1, place <= count else {
            return visitor.refuse("satellite")
        }
        satellite.number = number
        satellite.isUsed = isUsed
    }
}
