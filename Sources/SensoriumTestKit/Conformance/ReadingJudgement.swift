import Sensorium

/// What is physically wrong with a reading's values; nil where nothing is.
///
/// The bounds are wide: they find wrong units, wrong bytes and numbers that are none, not bad
/// sensors.
func offence(in reading: any SensorReading, of descriptor: SensorDescriptor) -> String? {
    switch reading {
    case let fix as LocationFix: offence(inFix: fix)
    case let reading as Satellites: offence(inSky: reading)
    case let reading as Heading: offence(inHeading: reading)
    case let reading as Attitude: offence(inAttitude: reading)
    case let reading as Acceleration: offence(inVector: reading, upTo: 5000, descriptor)
    case let reading as AngularVelocity: offence(inVector: reading, upTo: 1000, descriptor)
    case let reading as MagneticField: offence(inVector: reading, upTo: 10, descriptor)
    case let reading as Pressure: offence(inScalar: reading, 0...2e8, descriptor)
    case let reading as Temperature: offence(inScalar: reading, -273.15...3000, descriptor)
    case let reading as Humidity: offence(inScalar: reading, 0...1.05, descriptor)
    case let reading as Illuminance: offence(inScalar: reading, 0...1e6, descriptor)
    case let reading as Proximity: offence(inScalar: reading, 0...1e5, descriptor)
    case let frame as CameraFrame: offence(inFrame: frame)
    case let touch as TouchEvent: offence(inTouch: touch)
    default: nil
    }
}

private func offence(inFix fix: LocationFix) -> String? {
    first([
        outside(-90...90, "latitude", fix.latitude),
        outside(-180...180, "longitude", fix.longitude),
        outside(-12_000...1e8, "altitude above sea level", fix.altitudeMSL),
        outside(-12_000...1e8, "altitude above the ellipsoid", fix.altitudeEllipsoid),
        outside(0...20_000, "speed", fix.speed),
        outside(0...360, "course", fix.course),
        outside(-20_000...20_000, "climb", fix.climb),
        negative("horizontal accuracy", fix.horizontalAccuracy),
        negative("vertical accuracy", fix.verticalAccuracy),
        negative("speed accuracy", fix.speedAccuracy),
        negative("course accuracy", fix.courseAccuracy),
        outside(0...1000, "number of satellites", fix.satellitesUsed.map(Double.init)),
    ])
}

private func offence(inSky sky: Satellites) -> String? {
    let dilution = sky.dilution
    let values = [
        dilution.horizontal, dilution.vertical, dilution.position, dilution.time,
        dilution.geometric,
    ]
    return first(
        sky.inView.flatMap { satellite in
            [
                outside(-90...90, "elevation of a satellite", satellite.elevation),
                outside(0...360, "azimuth of a satellite", satellite.azimuth),
                outside(0...100, "signal of a satellite", satellite.signal),
            ]
        } + values.map { outside(0...1e6, "dilution of precision", $0) })
}

private func offence(inHeading reading: Heading) -> String? {
    first([
        outside(0...360, "true heading", reading.trueNorth),
        outside(0...360, "magnetic heading", reading.magneticNorth),
        outside(-180...180, "declination", reading.declination),
        negative("accuracy", reading.accuracy),
    ])
}

private func offence(inAttitude reading: Attitude) -> String? {
    let square =
        reading.w * reading.w + reading.x * reading.x + reading.y * reading.y
        + reading.z * reading.z
    return outside(0.999...1.001, "length of the quaternion", square.squareRoot())
        ?? negative("accuracy", reading.accuracy)
}

private func offence(inTouch touch: TouchEvent) -> String? {
    first([
        outside(0...1, "x", touch.x), outside(0...1, "y", touch.y),
        outside(0...1, "pressure", touch.pressure),
    ])
}

private func offence(
    inVector reading: some MotionReading, upTo limit: Double, _ descriptor: SensorDescriptor
) -> String? {
    let bound = bound(limit, reading.flags, descriptor)
    return first([
        outside(-bound...bound, "x", reading.x), outside(-bound...bound, "y", reading.y),
        outside(-bound...bound, "z", reading.z), negative("accuracy", reading.accuracy),
    ])
}

private func offence(
    inScalar reading: some ScalarReading, _ range: ClosedRange<Double>,
    _ descriptor: SensorDescriptor
) -> String? {
    let bound = bound(range.upperBound, reading.flags, descriptor)
    let isRaw = reading.flags.contains(.unscaled)
    return outside((isRaw ? -bound : range.lowerBound)...bound, "value", reading.value)
        ?? negative("accuracy", reading.accuracy)
}

private func offence(inFrame frame: CameraFrame) -> String? {
    if frame.width <= 0 || frame.height <= 0 {
        return "the frame is \(frame.width) by \(frame.height) pixels"
    }
    if frame.planes.isEmpty { return "the frame has no plane" }
    for plane in frame.planes
    where plane.offset < 0 || plane.length < 0
        || plane.offset + plane.length > frame.storage.bytes.count
    {
        return "a plane of \(plane.length) bytes at \(plane.offset) is not within the frame's "
            + "\(frame.storage.bytes.count) bytes"
    }
    return nil
}

/// The largest magnitude that makes sense: physics', or the sensor's own where it is smaller.
private func bound(
    _ limit: Double, _ flags: ReadingFlags, _ descriptor: SensorDescriptor
) -> Double {
    if flags.contains(.unscaled) { return .greatestFiniteMagnitude }
    // One per cent for ranges that are rounded in data sheets.
    return descriptor.range.map { min(limit, abs($0) * 1.01) } ?? limit
}

private func outside(
    _ range: ClosedRange<Double>, _ name: String, _ value: Double?
) -> String? {
    guard let value else { return nil }
    if !value.isFinite { return "the \(name) is \(value); unknown is nil" }
    if range.contains(value) { return nil }
    return "the \(name) is \(value), outside \(range.lowerBound) to \(range.upperBound)"
}

private func negative(_ name: String, _ accuracy: Accuracy?) -> String? {
    outside(0...Double.greatestFiniteMagnitude, name, accuracy?.value)
}

private func first(_ offences: [String?]) -> String? { offences.lazy.compactMap { $0 }.first }
