import CSensorium
import Sensorium

extension Satellites: BoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_satellites>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_satellites.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<Satellites>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    /// Lends one reading at a time: each lends its list of satellites too.
    static func lend(_ readings: Span<Satellites>, to receiver: HostReceiver) {
        for index in readings.indices { readings[index].lend(to: receiver) }
    }

    private init?(_ satellites: sensorium_satellites) {
        guard satellites.count == 0 || satellites.in_view != nil else { return nil }
        let inView = UnsafeBufferPointer(
            start: satellites.in_view, count: Int(satellites.count))
        func known(_ value: Double, _ bit: Int) -> Double? {
            LentNumber.value(value, if: satellites.valid.has(bit))
        }
        self.init(
            time: ReadingTime(satellites.time), inView: inView.map { Satellite($0) },
            dilution: Dilution(
                horizontal: known(satellites.horizontal_dilution, SENSORIUM_DILUTION_HORIZONTAL),
                vertical: known(satellites.vertical_dilution, SENSORIUM_DILUTION_VERTICAL),
                position: known(satellites.position_dilution, SENSORIUM_DILUTION_POSITION),
                time: known(satellites.time_dilution, SENSORIUM_DILUTION_TIME),
                geometric: known(satellites.geometric_dilution, SENSORIUM_DILUTION_GEOMETRIC)),
            flags: ReadingFlags(rawValue: satellites.flags))
    }

    private func lend(to receiver: HostReceiver) {
        var form = sensorium_satellites()
        var valid = ValidMask()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.horizontal_dilution = valid.mark(dilution.horizontal, SENSORIUM_DILUTION_HORIZONTAL)
        form.vertical_dilution = valid.mark(dilution.vertical, SENSORIUM_DILUTION_VERTICAL)
        form.position_dilution = valid.mark(dilution.position, SENSORIUM_DILUTION_POSITION)
        form.time_dilution = valid.mark(dilution.time, SENSORIUM_DILUTION_TIME)
        form.geometric_dilution = valid.mark(dilution.geometric, SENSORIUM_DILUTION_GEOMETRIC)
        form.valid = valid.bits
        let forms = inView.prefix(Int(UInt16.max)).map(\.boundaryForm)
        form.count = UInt16(forms.count)
        forms.withUnsafeBufferPointer { list in
            form.in_view = list.baseAddress
            receiver.deliver(
                kind: Self.kind, count: 1, stride: MemoryLayout<sensorium_satellites>.size,
                readings: &form)
        }
    }
}

extension Satellite {
    fileprivate init(_ satellite: sensorium_satellite) {
        func known(_ value: Double, _ bit: Int) -> Double? {
            LentNumber.value(value, if: satellite.valid.has(bit))
        }
        self.init(
            system: satellite.valid.has(SENSORIUM_SATELLITE_SYSTEM)
                ? System(rawValue: satellite.system) : nil,
            number: Int(satellite.number),
            elevation: known(satellite.elevation, SENSORIUM_SATELLITE_ELEVATION),
            azimuth: known(satellite.azimuth, SENSORIUM_SATELLITE_AZIMUTH),
            signal: known(satellite.signal, SENSORIUM_SATELLITE_SIGNAL),
            isUsed: satellite.used != 0,
            isHealthy: satellite.valid.has(SENSORIUM_SATELLITE_HEALTH)
                ? satellite.healthy != 0 : nil)
    }

    fileprivate var boundaryForm: sensorium_satellite {
        var form = sensorium_satellite()
        var valid = ValidMask()
        form.number = Int32(clamping: number)
        _ = valid.mark(system.map { Double($0.rawValue) }, SENSORIUM_SATELLITE_SYSTEM)
        form.system = system?.rawValue ?? 0
        form.used = isUsed ? 1 : 0
        _ = valid.mark(isHealthy.map { $0 ? 1 : 0 }, SENSORIUM_SATELLITE_HEALTH)
        form.healthy = isHealthy == true ? 1 : 0
        form.elevation = valid.mark(elevation, SENSORIUM_SATELLITE_ELEVATION)
        form.azimuth = valid.mark(azimuth, SENSORIUM_SATELLITE_AZIMUTH)
        form.signal = valid.mark(signal, SENSORIUM_SATELLITE_SIGNAL)
        form.valid = valid.bits
        return form
    }
}
