import Sensorium

/// Turns messages of other programs into readings.
///
/// A stamp within two seconds of the time at which the message was logged is the reading's time. Any
/// other is of another clock: it is kept beside the time of logging.
final class ForeignDecoder: EventDecoder {
    let sensors: [RecordedSensor]
    private(set) var faults = 0
    private let schema: ForeignSchema
    /// Whether the receiver said that it has no fix.
    private var isSearching = false

    private static let largestSkew: Int64 = 2_000_000_000
    /// 2001, in nanoseconds: later stamps are UTC, earlier ones count from a start.
    private static let firstUTC: Int64 = 978_307_200_000_000_000

    /// - Parameter sensors: those of the schema, in its order.
    init(_ schema: ForeignSchema, _ sensors: [RecordedSensor]) {
        self.schema = schema
        self.sensors = sensors
    }

    func drain() -> [RecordedEvent] { [] }

    func sensorRead(channel: Int) -> SensorID? { schema.hasOneReading ? sensors[0].id : nil }

    func decode(
        channel: Int, time: SensorInstant, payload: UnsafeRawBufferPointer
    ) -> [RecordedEvent] {
        guard let readings = readings(payload, time) else {
            faults += 1
            return []
        }
        var events: [RecordedEvent] = []
        if schema == .navSatFix, readings.isEmpty != isSearching {
            isSearching = readings.isEmpty
            let status =
                isSearching
                ? SensorStatus(.searching, reason: "the receiver has no fix")
                : SensorStatus(.running)
            events.append(
                RecordedEvent(sensor: sensors[0].id, instant: time, content: .status(status)))
        }
        for reading in readings {
            guard reading.isPlausible,
                let sensor = sensors.first(where: { $0.kind == reading.kind })
            else {
                faults += 1
                continue
            }
            events.append(
                RecordedEvent(sensor: sensor.id, instant: time, content: .reading(reading)))
        }
        return events
    }

    /// What a message says, nothing where it says that nothing was measured; nil where it makes no
    /// sense.
    private func readings(
        _ payload: UnsafeRawBufferPointer, _ logged: SensorInstant
    ) -> [RecordedReading]? {
        switch schema {
        case .locationFix: locationFix(payload, logged).map { [.location($0)] }
        case .rawImage, .compressedImage:
            ForeignImage(foxglove: payload, isCompressed: schema == .compressedImage)
                .flatMap { $0.frame { time($0, logged) } }.map { [.camera($0)] }
        default:
            CDRCursor(payload).flatMap { message in
                var message = message
                return readings(&message, logged)
            }
        }
    }

    private func readings(
        _ message: inout CDRCursor, _ logged: SensorInstant
    ) -> [RecordedReading]? {
        guard let stamp = message.header() else { return nil }
        let time = time(stamp, logged)
        switch schema {
        case .imu: return imu(&message, time)
        case .navSatFix: return navSatFix(&message, time)
        case .magneticField:
            guard let v = message.doubles(3), let covariance = message.doubles(9) else {
                return nil
            }
            return [
                .magneticField(
                    MagneticField(
                        time: time, x: v[0], y: v[1], z: v[2], accuracy: Self.accuracy(covariance)))
            ]
        case .rosImage, .rosCompressedImage:
            return ForeignImage(
                ros: &message, stamp: stamp, isCompressed: schema == .rosCompressedImage
            ).flatMap { $0.frame { _ in time } }.map { [.camera($0)] }
        default: break
        }
        guard let value = message.double(), let variance = message.double() else { return nil }
        let accuracy = variance > 0 ? Accuracy(variance.squareRoot(), .drms) : nil
        return switch schema {
        case .fluidPressure: [.pressure(Pressure(time: time, value: value, accuracy: accuracy))]
        case .temperature:
            [.temperature(Temperature(time: time, value: value, accuracy: accuracy))]
        case .relativeHumidity:
            [.humidity(Humidity(time: time, value: value, accuracy: accuracy))]
        default: [.illuminance(Illuminance(time: time, value: value, accuracy: accuracy))]
        }
    }

    /// When a message was measured whose stamp is that many nanoseconds.
    private func time(_ stamp: Int64?, _ logged: SensorInstant) -> ReadingTime {
        guard let stamp, stamp > 0 else { return ReadingTime(logged, source: .arrival) }
        let isUTC = stamp >= Self.firstUTC
        let (skew, overflow) = stamp.subtractingReportingOverflow(logged.nanoseconds)
        if !overflow, skew.magnitude <= UInt64(Self.largestSkew) {
            return ReadingTime(
                SensorInstant(nanoseconds: stamp),
                original: isUTC ? ClockTime(nanoseconds: stamp, domain: .realtime) : nil)
        }
        return ReadingTime(
            logged, original: ClockTime(nanoseconds: stamp, domain: isUTC ? .realtime : .foreign),
            source: .arrival)
    }

    /// One standard deviation of the worst axis; nil where the covariance says nothing.
    private static func accuracy(_ covariance: [Double]) -> Accuracy? {
        let worst = max(covariance[0], covariance[4], covariance[8])
        return worst > 0 ? Accuracy(worst.squareRoot(), .drms) : nil
    }

    private func imu(_ message: inout CDRCursor, _ time: ReadingTime) -> [RecordedReading]? {
        guard let turn = message.doubles(4), let ofTurn = message.doubles(9),
            let rate = message.doubles(3), let ofRate = message.doubles(9),
            let force = message.doubles(3), let ofForce = message.doubles(9)
        else { return nil }
        var readings: [RecordedReading] = []
        // The first number of a covariance is -1 where nothing was measured.
        if ofForce[0] != -1 {
            readings.append(
                .acceleration(
                    Acceleration(
                        time: time, x: force[0], y: force[1], z: force[2],
                        accuracy: Self.accuracy(ofForce))))
        }
        if ofRate[0] != -1 {
            readings.append(
                .angularVelocity(
                    AngularVelocity(
                        time: time, x: rate[0], y: rate[1], z: rate[2],
                        accuracy: Self.accuracy(ofRate))))
        }
        // A quaternion of zeros is what a driver without one leaves.
        if ofTurn[0] != -1,
            let attitude = Attitude(
                time: time, w: turn[3], x: turn[0], y: turn[1], z: turn[2],
                accuracy: Self.accuracy(ofTurn))
        {
            readings.append(.attitude(attitude))
        }
        return readings
    }

    private func navSatFix(_ message: inout CDRCursor, _ time: ReadingTime) -> [RecordedReading]? {
        guard let status = message.integer(Int8.self), message.integer(UInt16.self) != nil,
            let position = message.doubles(3), let covariance = message.doubles(9),
            let type = message.integer(UInt8.self)
        else { return nil }
        if status < 0 { return [] }
        var fix = LocationFix(time: time, latitude: position[0], longitude: position[1])
        fix.quality = status == 0 ? .autonomous : .differential
        fix.set(altitude: position[2], covariance: type == 0 ? [] : covariance)
        return [.location(fix)]
    }

    private func locationFix(
        _ payload: UnsafeRawBufferPointer, _ logged: SensorInstant
    ) -> LocationFix? {
        guard let read = LocationFix.foxglove(payload) else { return nil }
        var fix = read.fix
        fix.time = time(read.stamp, logged)
        return fix
    }
}

extension LocationFix {
    /// What a `foxglove.LocationFix` says, and its stamp; the time of the fix is for the caller to set.
    static func foxglove(
        _ payload: UnsafeRawBufferPointer
    ) -> (fix: LocationFix, stamp: Int64?)? {
        var fields = ProtobufFields(payload)
        var (latitude, longitude, altitude): (Double?, Double?, Double?)
        var covariance: [Double] = []
        var type: UInt64 = 0
        var stamp: Int64?
        while let (number, value) = fields.next() {
            switch (number, value) {
            case (1, _): latitude = value.double
            case (2, _): longitude = value.double
            case (3, _): altitude = value.double
            case (4, .fixed64(let bits)): covariance.append(Double(bitPattern: bits))
            case (4, .bytes(let packed)):
                var numbers = ByteCursor(packed)
                while covariance.count < 9, let bits = numbers.integer(UInt64.self) {
                    covariance.append(Double(bitPattern: bits))
                }
            case (5, .varint(let bits)): type = bits
            case (6, _): stamp = value.timestamp
            default: break
            }
        }
        // Zeros are left out on the wire; a position that lacks both is none.
        guard !fields.isMalformed, latitude != nil || longitude != nil else { return nil }
        var fix = LocationFix(
            time: .unknown, latitude: latitude ?? 0, longitude: longitude ?? 0)
        fix.set(altitude: altitude, covariance: type == 0 ? [] : covariance)
        return (fix, stamp)
    }

    /// An altitude above the ellipsoid, NaN where unknown, and a covariance of east, north and up.
    fileprivate mutating func set(altitude: Double?, covariance: [Double]) {
        altitudeEllipsoid = altitude.flatMap { $0.isFinite ? $0 : nil }
        fix = altitudeEllipsoid == nil ? .twoDimensional : .threeDimensional
        guard covariance.count == 9 else { return }
        let plane = covariance[0] + covariance[4]
        if plane > 0 { horizontalAccuracy = Accuracy(plane.squareRoot(), .drms) }
        let up = covariance[8]
        if up > 0 { verticalAccuracy = Accuracy(up.squareRoot(), .drms) }
    }
}
