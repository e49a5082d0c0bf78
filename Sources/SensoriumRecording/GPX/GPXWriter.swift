import Sensorium

/// Writes positions as tracks of GPX 1.1.
///
/// What GPX has no element for stands in an extension of this package, so that a fix comes back as it
/// was; its time in UTC alone is kept of its times. A gap, and another sensor, begin a new segment.
final class GPXWriter: RecordingWriter {
    private let file: OutputFile
    private let metadata: RecordingMetadata
    private var sensors: [SensorID: RecordedSensor] = [:]
    private var pending = ""
    private var current: SensorID?
    private var mustBreak = false
    private var failure: RecordingError?
    private var isFinished = false

    var byteCount: UInt64 { file.count }

    /// The namespace of the extensions.
    static let namespace = "urn:sensorium:gpx:1"

    init(_ path: String, _ metadata: RecordingMetadata) throws(RecordingError) {
        file = try OutputFile(path)
        self.metadata = metadata
        pending = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Sensorium" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
            xmlns:sensorium="\(Self.namespace)">

            """
        if let title = metadata.properties["title"] {
            pending += "<metadata><name>\(Self.escaped(title))</name></metadata>\n"
        }
    }

    func add(_ sensor: RecordedSensor) throws(RecordingError) {
        try check()
        guard sensors[sensor.id] == nil else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(sensor.id) was added before")
        }
        sensors[sensor.id] = sensor
    }

    func write(_ event: RecordedEvent) throws(RecordingError) {
        try check()
        guard let sensor = sensors[event.sensor] else {
            throw RecordingError(
                .misuse, path: file.path, reason: "\(event.sensor) was not added")
        }
        switch event.content {
        case .gap: if current == event.sensor { mustBreak = true }
        case .reading(.location(let fix)):
            open(sensor)
            write(fix, event)
        default: break
        }
        if pending.utf8.count >= 1 << 16 { try flush() }
    }

    func flush() throws(RecordingError) {
        try check()
        if pending.isEmpty { return }
        do throws(RecordingError) {
            try file.write(Array(pending.utf8))
            pending.removeAll(keepingCapacity: true)
        } catch {
            failure = error
            throw error
        }
    }

    func finish() throws(RecordingError) {
        try check()
        if current != nil { pending += "</trkseg></trk>\n" }
        pending += "</gpx>\n"
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

    // MARK: Tracks

    private func open(_ sensor: RecordedSensor) {
        if current == sensor.id {
            if mustBreak { pending += "</trkseg><trkseg>\n" }
        } else {
            if current != nil { pending += "</trkseg></trk>\n" }
            let name = sensor.descriptor.name.isEmpty ? sensor.id.rawValue : sensor.descriptor.name
            pending += """
                <trk><name>\(Self.escaped(name))</name><extensions>\
                <sensorium:sensor id="\(Self.escaped(sensor.id.rawValue))"/></extensions><trkseg>

                """
        }
        current = sensor.id
        mustBreak = false
    }

    private func write(_ fix: LocationFix, _ event: RecordedEvent) {
        guard fix.latitude.isFinite, fix.longitude.isFinite else { return }
        let known = fix.time.isKnown ? fix.time.instant : event.instant
        let utc = fix.time.utcNanoseconds ?? known.flatMap(metadata.clock.utcNanoseconds)
        pending += "<trkpt lat=\"\(NumberText.decimal(fix.latitude))\""
        pending += " lon=\"\(NumberText.decimal(fix.longitude))\">"
        element("ele", fix.altitudeMSL)
        if let utc { pending += "<time>\(Timestamp(nanoseconds: utc))</time>" }
        if let msl = fix.altitudeMSL, let ellipsoid = fix.altitudeEllipsoid {
            element("geoidheight", ellipsoid - msl)
        }
        pending += "<fix>\(Self.kind(fix))</fix>"
        if let used = fix.satellitesUsed, used >= 0 { pending += "<sat>\(used)</sat>" }
        pending += "<extensions>"
        if fix.speed != nil || fix.course != nil {
            pending += "<gpxtpx:TrackPointExtension>"
            element("gpxtpx:speed", fix.speed)
            if let course = fix.course, (0...360).contains(course) {
                element("gpxtpx:course", course)
            }
            pending += "</gpxtpx:TrackPointExtension>"
        }
        var attributes = Attributes()
        var copy = fix
        copy.visitDetails(&attributes)
        attributes.field("flags", &copy.flags)
        pending += "<sensorium:reading\(attributes.text)/></extensions></trkpt>\n"
    }

    private func element(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        pending += "<\(name)>\(NumberText.decimal(value))</\(name)>"
    }

    private static func kind(_ fix: LocationFix) -> String {
        switch fix.quality {
        case .differential: "dgps"
        case .precise: "pps"
        default: fix.fix == .twoDimensional ? "2d" : "3d"
        }
    }

    /// Text as XML has it; what XML has no place for becomes a replacement character.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case _ where scalar.value < 0x20 || scalar.value & 0xfffe == 0xfffe:
                escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The fields of a fix as attributes.
    private struct Attributes: FieldVisitor {
        var text = ""
        var fills: Bool { false }

        /// What GPX has elements for.
        private static var elements: [String] {
            ["altitude_msl_m", "speed_m_s", "course_deg", "satellites_used"]
        }

        mutating func write(_ name: String, _ value: String?) {
            if let value, !Self.elements.contains(name) {
                text += " \(name)=\"\(GPXWriter.escaped(value))\""
            }
        }

        mutating func read(_ name: String) -> String? { nil }
        mutating func refuse(_ name: String) {}
    }
}
