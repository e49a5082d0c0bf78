import CSensorium
import Sensorium

// Pressure, Temperature, Humidity, Illuminance and Proximity all cross as sensorium_scalar.

extension ScalarReading {
    /// Copies a reading; nil where it has no value, or is of another quantity.
    @inline(__always)
    init?(_ scalar: sensorium_scalar) {
        guard scalar.valid.has(SENSORIUM_VALID_VALUE), scalar.quantity == Self.kind.rawValue,
            scalar.value.isFinite
        else { return nil }
        self.init(
            time: ReadingTime(scalar.time), value: scalar.value,
            accuracy: Accuracy(
                scalar.accuracy, scalar.accuracy_confidence,
                if: scalar.valid.has(SENSORIUM_VALID_ACCURACY)),
            flags: ReadingFlags(rawValue: scalar.flags))
    }

    @inline(__always)
    var boundaryForm: sensorium_scalar {
        var valid = ValidMask()
        let value = valid.mark(value, SENSORIUM_VALID_VALUE)
        let accuracy = accuracy
        let bound = valid.mark(accuracy, SENSORIUM_VALID_ACCURACY)
        return sensorium_scalar(
            time: time.boundaryForm, valid: valid.bits, flags: flags.rawValue,
            accuracy_confidence: accuracy?.confidence.rawValue ?? 0, reserved: 0,
            quantity: Self.kind.rawValue, reserved_2: 0, value: value, accuracy: bound)
    }
}

extension ScalarReading where Self: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_scalar>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_scalar.self))
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_scalar.self)
    }
}

extension Pressure: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Pressure>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Pressure>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension Temperature: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Temperature>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Temperature>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension Humidity: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Humidity>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Humidity>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension Illuminance: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Illuminance>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Illuminance>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}

extension Proximity: FlatBoundaryReading {
    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Proximity>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    static func lend(_ readings: Span<Proximity>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }
}
