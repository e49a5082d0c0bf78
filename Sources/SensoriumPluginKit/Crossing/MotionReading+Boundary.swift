import CSensorium
import Sensorium

// Acceleration, AngularVelocity and MagneticField all cross as sensorium_motion. The struct is named
// in concrete conformances only: see docs/decisions/0001.

extension MotionReading {
    /// Copies a reading; nil where it has no vector.
    @inline(__always)
    init?(_ motion: sensorium_motion) {
        guard motion.valid.has(SENSORIUM_VALID_VALUE),
            motion.x.isFinite, motion.y.isFinite, motion.z.isFinite
        else { return nil }
        self.init(
            time: ReadingTime(motion.time), x: motion.x, y: motion.y, z: motion.z,
            accuracy: Accuracy(
                motion.accuracy, motion.accuracy_confidence,
                if: motion.valid.has(SENSORIUM_VALID_ACCURACY)),
            flags: ReadingFlags(rawValue: motion.flags))
    }

    @inline(__always)
    var boundaryForm: sensorium_motion {
        var valid = ValidMask()
        _ = valid.mark(x, SENSORIUM_VALID_VALUE)
        let accuracy = accuracy
        let bound = valid.mark(accuracy, SENSORIUM_VALID_ACCURACY)
        return sensorium_motion(
            time: time.boundaryForm, valid: valid.bits, flags: flags.rawValue,
            accuracy_confidence: accuracy?.confidence.rawValue ?? 0, reserved: 0, x: x, y: y, z: z,
            accuracy: bound)
    }
}

extension MotionReading where Self: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_motion>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_motion.self))
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_motion.self)
    }
}

extension Acceleration: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Acceleration>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Acceleration>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension AngularVelocity: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<AngularVelocity>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<AngularVelocity>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension MagneticField: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<MagneticField>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<MagneticField>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}
