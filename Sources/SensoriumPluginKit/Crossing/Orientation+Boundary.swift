import CSensorium
import Sensorium

extension Heading: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_heading>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_heading.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Heading>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_heading.self)
    }

    static func lend(_ readings: Span<Heading>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }

    /// Copies a heading; nil where it has no direction.
    private init?(_ heading: sensorium_heading) {
        func known(_ value: Double, _ bit: Int) -> Double? {
            LentNumber.value(value, if: heading.valid.has(bit))
        }
        self.init(
            time: ReadingTime(heading.time),
            trueNorth: known(heading.true_north, SENSORIUM_HEADING_TRUE_NORTH),
            magneticNorth: known(heading.magnetic_north, SENSORIUM_HEADING_MAGNETIC_NORTH),
            declination: known(heading.declination, SENSORIUM_HEADING_DECLINATION),
            accuracy: Accuracy(
                heading.accuracy, heading.accuracy_confidence,
                if: heading.valid.has(SENSORIUM_HEADING_ACCURACY)),
            flags: ReadingFlags(rawValue: heading.flags))
    }

    private var boundaryForm: sensorium_heading {
        var form = sensorium_heading()
        var valid = ValidMask()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.true_north = valid.mark(trueNorth, SENSORIUM_HEADING_TRUE_NORTH)
        form.magnetic_north = valid.mark(magneticNorth, SENSORIUM_HEADING_MAGNETIC_NORTH)
        form.declination = valid.mark(declination, SENSORIUM_HEADING_DECLINATION)
        form.accuracy = valid.mark(accuracy, SENSORIUM_HEADING_ACCURACY)
        form.accuracy_confidence = accuracy?.confidence.rawValue ?? 0
        form.valid = valid.bits
        return form
    }
}

extension Attitude: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_attitude>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_attitude.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Attitude>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_attitude.self)
    }

    static func lend(_ readings: Span<Attitude>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }

    /// Copies an attitude; nil where its quaternion has no length.
    private init?(_ attitude: sensorium_attitude) {
        guard attitude.valid.has(SENSORIUM_VALID_VALUE) else { return nil }
        self.init(
            time: ReadingTime(attitude.time), w: attitude.w, x: attitude.x, y: attitude.y,
            z: attitude.z,
            accuracy: Accuracy(
                attitude.accuracy, attitude.accuracy_confidence,
                if: attitude.valid.has(SENSORIUM_VALID_ACCURACY)),
            flags: ReadingFlags(rawValue: attitude.flags))
    }

    private var boundaryForm: sensorium_attitude {
        var form = sensorium_attitude()
        var valid = ValidMask()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.w = valid.mark(w, SENSORIUM_VALID_VALUE)
        form.x = x
        form.y = y
        form.z = z
        form.accuracy = valid.mark(accuracy, SENSORIUM_VALID_ACCURACY)
        form.accuracy_confidence = accuracy?.confidence.rawValue ?? 0
        form.valid = valid.bits
        return form
    }
}
