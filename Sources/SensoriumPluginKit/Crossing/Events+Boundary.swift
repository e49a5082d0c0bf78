import CSensorium
import Sensorium

extension TouchEvent: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_touch>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_touch.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<TouchEvent>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_touch.self)
    }

    static func lend(_ readings: Span<TouchEvent>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }

    /// Copies an event; nil where it is at no place, or does what nobody knows.
    private init?(_ event: sensorium_touch) {
        guard let phase = Phase(rawValue: event.phase), event.x.isFinite, event.y.isFinite else {
            return nil
        }
        func known(_ value: Double, _ bit: Int) -> Double? {
            LentNumber.value(value, if: event.valid.has(bit))
        }
        self.init(
            time: ReadingTime(event.time), phase: phase, touch: Int(event.touch), x: event.x,
            y: event.y, xMillimetres: known(event.x_mm, SENSORIUM_TOUCH_MILLIMETRES),
            yMillimetres: known(event.y_mm, SENSORIUM_TOUCH_MILLIMETRES),
            pressure: known(event.pressure, SENSORIUM_TOUCH_PRESSURE),
            tool: Tool(rawValue: event.tool) ?? .finger, endsFrame: event.ends_frame != 0,
            flags: ReadingFlags(rawValue: event.flags))
    }

    private var boundaryForm: sensorium_touch {
        var form = sensorium_touch()
        var valid = ValidMask()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.phase = phase.rawValue
        form.tool = tool.rawValue
        form.touch = Int64(touch)
        form.x = x
        form.y = y
        if let xMillimetres, let yMillimetres {
            form.x_mm = valid.mark(xMillimetres, SENSORIUM_TOUCH_MILLIMETRES)
            form.y_mm = yMillimetres
        }
        form.pressure = valid.mark(pressure, SENSORIUM_TOUCH_PRESSURE)
        form.ends_frame = endsFrame ? 1 : 0
        form.valid = valid.bits
        return form
    }
}

extension KeyEvent: FlatBoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_key>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_key.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<KeyEvent>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    @inline(__always)
    func write(boundaryForm form: UnsafeMutableRawPointer) {
        form.storeBytes(of: boundaryForm, as: sensorium_key.self)
    }

    static func lend(_ readings: Span<KeyEvent>, to receiver: HostReceiver) {
        lendEach(readings, to: receiver)
    }

    /// Copies an event; nil where the key does what nobody knows.
    private init?(_ event: sensorium_key) {
        guard let phase = Phase(rawValue: event.phase) else { return nil }
        self.init(
            time: ReadingTime(event.time), code: event.code, phase: phase,
            flags: ReadingFlags(rawValue: event.flags))
    }

    private var boundaryForm: sensorium_key {
        var form = sensorium_key()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.code = code
        form.phase = phase.rawValue
        return form
    }
}
