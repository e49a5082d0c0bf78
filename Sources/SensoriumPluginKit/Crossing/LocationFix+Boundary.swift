import CSensorium
import Sensorium

extension LocationFix: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_location>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_location.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<LocationFix>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_location.self)
    }

    static func lend(_ readings: Span<LocationFix>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }

    /// Copies a fix; nil where its position is none on the Earth.
    private init?(_ fix: sensorium_location) {
        guard (-90...90).contains(fix.latitude), (-180...180).contains(fix.longitude) else {
            return nil
        }
        func known(_ value: Double, _ bit: Int) -> Double? {
            LentNumber.value(value, if: fix.valid.has(bit))
        }
        self.init(
            time: ReadingTime(fix.time), latitude: fix.latitude, longitude: fix.longitude,
            altitudeMSL: known(fix.altitude_msl, SENSORIUM_LOCATION_ALTITUDE_MSL),
            altitudeEllipsoid: known(
                fix.altitude_ellipsoid, SENSORIUM_LOCATION_ALTITUDE_ELLIPSOID),
            horizontalAccuracy: Accuracy(
                fix.horizontal_accuracy, fix.horizontal_confidence,
                if: fix.valid.has(SENSORIUM_LOCATION_HORIZONTAL_ACCURACY)),
            verticalAccuracy: Accuracy(
                fix.vertical_accuracy, fix.vertical_confidence,
                if: fix.valid.has(SENSORIUM_LOCATION_VERTICAL_ACCURACY)),
            speed: known(fix.speed, SENSORIUM_LOCATION_SPEED),
            speedAccuracy: Accuracy(
                fix.speed_accuracy, fix.speed_confidence,
                if: fix.valid.has(SENSORIUM_LOCATION_SPEED_ACCURACY)),
            course: known(fix.course, SENSORIUM_LOCATION_COURSE),
            courseAccuracy: Accuracy(
                fix.course_accuracy, fix.course_confidence,
                if: fix.valid.has(SENSORIUM_LOCATION_COURSE_ACCURACY)),
            climb: known(fix.climb, SENSORIUM_LOCATION_CLIMB),
            fix: FixKind(rawValue: fix.fix) ?? .twoDimensional,
            quality: FixQuality(rawValue: fix.quality) ?? .unknown,
            satellitesUsed: fix.valid.has(SENSORIUM_LOCATION_SATELLITES_USED)
                ? Int(fix.satellites_used) : nil,
            flags: ReadingFlags(rawValue: fix.flags))
    }

    private var boundaryForm: sensorium_location {
        var form = sensorium_location()
        var valid = ValidMask()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.fix = fix.rawValue
        form.quality = quality.rawValue
        form.latitude = latitude
        form.longitude = longitude
        form.altitude_msl = valid.mark(altitudeMSL, SENSORIUM_LOCATION_ALTITUDE_MSL)
        form.altitude_ellipsoid = valid.mark(
            altitudeEllipsoid, SENSORIUM_LOCATION_ALTITUDE_ELLIPSOID)
        form.horizontal_accuracy = valid.mark(
            horizontalAccuracy, SENSORIUM_LOCATION_HORIZONTAL_ACCURACY)
        form.horizontal_confidence = horizontalAccuracy?.confidence.rawValue ?? 0
        form.vertical_accuracy = valid.mark(
            verticalAccuracy, SENSORIUM_LOCATION_VERTICAL_ACCURACY)
        form.vertical_confidence = verticalAccuracy?.confidence.rawValue ?? 0
        form.speed = valid.mark(speed, SENSORIUM_LOCATION_SPEED)
        form.speed_accuracy = valid.mark(speedAccuracy, SENSORIUM_LOCATION_SPEED_ACCURACY)
        form.speed_confidence = speedAccuracy?.confidence.rawValue ?? 0
        form.course = valid.mark(course, SENSORIUM_LOCATION_COURSE)
        form.course_accuracy = valid.mark(courseAccuracy, SENSORIUM_LOCATION_COURSE_ACCURACY)
        form.course_confidence = courseAccuracy?.confidence.rawValue ?? 0
        form.climb = valid.mark(climb, SENSORIUM_LOCATION_CLIMB)
        _ = valid.mark(satellitesUsed.map(Double.init), SENSORIUM_LOCATION_SATELLITES_USED)
        form.satellites_used = satellitesUsed.map { UInt32(clamping: $0) } ?? 0
        form.valid = valid.bits
        return form
    }
}
