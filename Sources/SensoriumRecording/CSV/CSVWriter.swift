import Sensorium

/// Writes readings as one table of comma-separated values.
///
/// The columns are those of the kinds of the sensors that were added before the first reading.
final class CSVWriter: RecordingWriter {
    private let file: OutputFile
    private let clock: RecordingClock
    private var sensors: [SensorID: SensorKind] = [:]
    private var places: [String: Int] = [:]
    private var kinds: Set<SensorKind> = []
    private var pending: [UInt8] = []
    private var cells: Cells
    private var failure: RecordingError?
    private var isFinished = false

    var byteCount: UInt64 { file.count }

    init(_ path: String, _ metadata: RecordingMetadata) throws(RecordingError) {
        file = try OutputFile(path)
        clock = metadata.clock
        cells = Cells()
    }

    func add(_ sensor: RecordedSensor) throws(RecordingError) {
        try check()
        guard sensors[sensor.id] == nil else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(sensor.id) was added before")
        }
        if !places.isEmpty, sensor.kind != .camera, !kinds.contains(sensor.kind) {
            throw RecordingError(
                .unsupported, path: file.path,
                reason: "its table began without columns for \(sensor.kind.name)",
                hint: "record to a .mcap file, and convert that")
        }
        sensors[sensor.id] = sensor.kind
    }

    func write(_ event: RecordedEvent) throws(RecordingError) {
        try check()
        guard let kind = sensors[event.sensor] else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(event.sensor) was not added")
        }
        try begin()
        guard let reading = event.reading, reading.kind == kind, kind != .camera else { return }
        switch reading {
        case .satellites(let list):
            let count = list.inView.count
            if count == 0 { row(event, reading, SatelliteRow(dilution: list.dilution)) }
            for (place, satellite) in list.inView.enumerated() {
                row(
                    event, reading,
                    SatelliteRow(
                        place: place + 1, count: count, satellite: satellite,
                        dilution: list.dilution))
            }
        default: row(event, reading, nil)
        }
        if pending.count >= 1 << 16 { try flush() }
    }

    func flush() throws(RecordingError) {
        try check()
        if pending.isEmpty { return }
        do throws(RecordingError) {
            try file.write(pending)
            pending.removeAll(keepingCapacity: true)
        } catch {
            failure = error
            throw error
        }
    }

    func finish() throws(RecordingError) {
        try check()
        try begin()
        try flush()
        isFinished = true
        try file.finish()
    }

    private func check() throws(RecordingError) {
        if let failure { throw failure }
        if isFinished {
            throw RecordingError(.misuse, path: file.path, reason: "it was finished already")
        }
    }

    // MARK: Rows

    /// Writes the header, once.
    private func begin() throws(RecordingError) {
        guard places.isEmpty else { return }
        kinds = Set(sensors.values)
        let names = CSVColumns.first + CSVColumns.values(of: kinds) + CSVColumns.last
        for (place, name) in names.enumerated() { places[name] = place }
        cells = Cells(places: places)
        pending += Array(names.joined(separator: ",").utf8) + [0x0a]
        try flush()
    }

    private func row(_ event: RecordedEvent, _ reading: RecordedReading, _ satellite: SatelliteRow?)
    {
        cells.clear()
        cells.write(
            "utc",
            event.instant.flatMap(clock.utcNanoseconds).map {
                Timestamp(nanoseconds: $0).description
            })
        cells.write("time_ns", event.instant.map { "\($0.nanoseconds)" })
        cells.write("sensor", event.sensor.rawValue)
        cells.write("kind", reading.kind.name)
        if var satellite { satellite.visit(&cells) } else { visit(reading) }
        var time = reading.time
        time.visit(&cells)
        var flags = reading.flags
        cells.field("flags", &flags)
        for (place, text) in cells.texts.enumerated() {
            if place > 0 { pending.append(0x2c) }
            Self.append(text, to: &pending)
        }
        pending.append(0x0a)
    }

    private func visit(_ reading: RecordedReading) {
        switch reading {
        case .location(var reading): reading.visit(&cells)
        case .heading(var reading): reading.visit(&cells)
        case .attitude(var reading): reading.visit(&cells)
        case .acceleration(var reading): reading.visit(&cells)
        case .angularVelocity(var reading): reading.visit(&cells)
        case .magneticField(var reading): reading.visit(&cells)
        case .pressure(var reading): reading.visit(&cells)
        case .temperature(var reading): reading.visit(&cells)
        case .humidity(var reading): reading.visit(&cells)
        case .illuminance(var reading): reading.visit(&cells)
        case .proximity(var reading): reading.visit(&cells)
        case .touch(var reading): reading.visit(&cells)
        case .key(var reading): reading.visit(&cells)
        case .satellites, .camera: break
        }
    }

    /// A field, in quotes where it needs them.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let needsQuotes = text.utf8.contains { byte in
            byte == 0x2c || byte == 0x22 || byte == 0x0a || byte == 0x0d || byte == 0x3b
        }
        guard needsQuotes else { return bytes.append(contentsOf: text.utf8) }
        bytes.append(0x22)
        for byte in text.utf8 {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }

    /// The fields of one row, by name.
    private struct Cells: FieldVisitor {
        var places: [String: Int] = [:]
        var texts: [String] = []
        var fills: Bool { false }

        mutating func clear() {
            texts.removeAll(keepingCapacity: true)
            texts.append(contentsOf: repeatElement("", count: places.count))
        }

        mutating func write(_ name: String, _ text: String?) {
            if let place = places[name], let text { texts[place] = text }
        }

        mutating func read(_ name: String) -> String? { nil }
        mutating func refuse(_ name: String) {}
    }
}
