import Sensorium

/// Parses GPX: tracks, or the routes or waypoints of a file that has no tracks.
///
/// Sources: GPX 1.0 and 1.1 (topografix.com), and what devices and Xcode write.
struct GPXParser: RecordingParser {
    private let path: String
    private var scanner = XMLScanner()
    private var elements: [String] = []
    /// Elements deeper than `depthLimit`, which are only counted.
    private var excess = 0
    private var text = ""
    private var point: GPXPoint?
    private var start: [UInt8] = []
    private var isGPX = false
    private var file = GPXTimeline()
    /// How many points of each kind there are.
    private var counts = [Int](repeating: 0, count: GPXPoint.Kind.allCases.count)
    /// What was learnt before: the points that are the recording.
    private var wanted: GPXPoint.Kind?
    private var isAfterBreak = false
    private var title = ""
    private var creator = ""
    private var trackSensor: String?
    private(set) var sensorNames: [String] = []

    private static var depthLimit: Int { 64 }
    private static var textLimit: Int { 4096 }
    private static var sensorLimit: Int { 256 }

    init(_ path: String) { self.path = path }

    func restarted() -> GPXParser {
        var parser = GPXParser(path)
        parser.wanted = wanted ?? GPXPoint.Kind.allCases.first { counts[$0.rawValue] > 0 } ?? .track
        return parser
    }

    /// Whether points were taken that turned out not to be the recording: waypoints stand before tracks.
    var mustBeginAgain: Bool { wanted == nil && counts.filter { $0 > 0 }.count > 1 }

    var damage: RecordingDamage { file.damage }

    var metadata: RecordingMetadata {
        var properties: [String: String] = [:]
        if !title.isEmpty { properties["title"] = title }
        return RecordingMetadata(clock: .utc, writer: creator, properties: properties)
    }

    var sensors: [RecordedSensor] {
        let names = sensorNames.isEmpty && counts.contains { $0 > 0 } ? [Self.id] : sensorNames
        return names.map {
            RecordedSensor(
                SensorDescriptor(
                    id: SensorID($0), kind: .location, name: title.isEmpty ? $0 : title))
        }
    }

    /// The sensor of a file that names none.
    static var id: String { "gpx/location" }

    mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [RecordedEvent]
    ) throws(RecordingError) {
        if start.count < 4 {
            start += bytes.prefix(4 - start.count)
            try checkEncoding()
        }
        // Taken out, so that it can be used while the rest of this is.
        var scanner = self.scanner
        self.scanner = XMLScanner()
        scanner.scan(bytes) { token in take(token, &events) }
        self.scanner = scanner
    }

    private func checkEncoding() throws(RecordingError) {
        let isWide =
            start.starts(with: [0xfe, 0xff]) || start.starts(with: [0xff, 0xfe])
            || start.prefix(4).contains(0)
        if isWide {
            throw RecordingError(
                .unsupported, path: path, reason: "it is not in UTF-8 but in UTF-16 or UTF-32",
                hint: "convert it (iconv -f UTF-16 -t UTF-8)")
        }
    }

    mutating func finish(into events: inout [RecordedEvent]) throws(RecordingError) {
        file.endSegment(into: &events)
        guard isGPX else {
            throw RecordingError(
                .malformed, path: path, reason: "it has no <gpx> element", hint: "is it GPX?")
        }
        if !elements.isEmpty || scanner.isWithinMarkup {
            file.damage.truncatedAt = scanner.wholeCount
        }
        if scanner.faults > 0 {
            file.damage.skippedRecords += scanner.faults
            file.damage.note("\(scanner.faults) tags make no sense")
        }
        if scanner.unknownEntities > 0 {
            file.damage.note(
                "\(scanner.unknownEntities) entities are not of XML, and were left out")
        }
    }

    // MARK: Elements

    private mutating func take(_ token: XMLScanner.Token, _ events: inout [RecordedEvent]) {
        switch token {
        case .start(let name, let attributes):
            text = ""
            let local = Self.local(name)
            if elements.count >= Self.depthLimit {
                excess += 1
                return
            }
            begin(local, attributes, &events)
            elements.append(local)
        case .text(let piece):
            if text.utf8.count < Self.textLimit { text += piece }
        case .end(let name):
            if excess > 0 {
                excess -= 1
                return
            }
            let local = Self.local(name)
            guard let place = elements.lastIndex(of: local) else {
                file.damage.skippedRecords += 1
                file.damage.note("an end tag of \(local.prefix(40)) ends nothing")
                return
            }
            // What lies in it and was not ended ends with it.
            for open in elements[place...].reversed() {
                elements.removeLast()
                end(open, &events)
            }
            text = ""
        }
    }

    /// A name without its prefix: a file may give GPX's names any prefix.
    private static func local(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: 0x3a) else { return name }
        return String(name[name.index(after: colon)...])
    }

    private mutating func begin(
        _ name: String, _ attributes: [(name: String, value: String)],
        _ events: inout [RecordedEvent]
    ) {
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        switch (name, elements.last) {
        case ("gpx", nil):
            isGPX = true
            creator = value("creator") ?? ""
        case ("trk", "gpx"), ("rte", "gpx"):
            trackSensor = nil
            isAfterBreak = true
        case ("trkseg", "trk"): isAfterBreak = true
        case ("trkpt", "trkseg"): beginPoint(.track, value("lat"), value("lon"))
        case ("rtept", "rte"): beginPoint(.route, value("lat"), value("lon"))
        case ("wpt", "gpx"): beginPoint(.waypoint, value("lat"), value("lon"))
        case ("reading", "extensions") where point != nil:
            if point?.take(own: attributes) == false { refuse("an extension makes no sense") }
        case ("sensor", "extensions") where elements.dropLast().last == "trk":
            trackSensor = value("id").flatMap { $0.isEmpty || $0.utf8.count > 1024 ? nil : $0 }
        default: break
        }
    }

    private mutating func beginPoint(
        _ kind: GPXPoint.Kind, _ latitude: String?, _ longitude: String?
    ) {
        point = GPXPoint(kind, latitude: latitude, longitude: longitude)
        if point == nil, wanted ?? kind == kind { refuse("a point is not on the Earth") }
    }

    private mutating func refuse(_ why: String) {
        file.damage.skippedRecords += 1
        file.damage.note("point \(counts.reduce(1, +)): \(why)")
    }

    private mutating func end(_ name: String, _ events: inout [RecordedEvent]) {
        switch (name, elements.last) {
        case ("trkpt", "trkseg"), ("rtept", "rte"), ("wpt", "gpx"): endPoint(&events)
        case ("name", "metadata"), ("name", "trk"), ("name", "rte"):
            if title.isEmpty { title = String(text.prefix(256)) }
        case ("time", "trkpt"), ("time", "rtept"), ("time", "wpt"): takeTime()
        case (_, "trkpt"), (_, "rtept"), (_, "wpt"): takeChild(name, inExtensions: false)
        default:
            if point != nil, elements.contains("extensions") { takeChild(name, inExtensions: true) }
        }
    }

    private mutating func takeTime() {
        guard point != nil else { return }
        guard let moment = TimeText.moment(text.utf8) else {
            return refuse("'\(text.prefix(40))' is no time")
        }
        if !moment.hasZone { file.noteMissingZone() }
        point?.utc = moment.nanoseconds
    }

    private mutating func takeChild(_ name: String, inExtensions: Bool) {
        if point?.take(name, text, inExtensions: inExtensions) == false {
            refuse("'\(text.prefix(40))' is no \(name)")
        }
    }

    private mutating func endPoint(_ events: inout [RecordedEvent]) {
        guard let point = point.take() else { return }
        counts[point.kind.rawValue] += 1
        guard wanted ?? point.kind == point.kind, !point.isVoid else { return }
        let name = trackSensor ?? Self.id
        if !sensorNames.contains(name) {
            if sensorNames.count >= Self.sensorLimit { return refuse("there are too many sensors") }
            sensorNames.append(name)
        }
        if isAfterBreak {
            isAfterBreak = false
            file.breakTrack(of: SensorID(name), into: &events)
        }
        file.add(point, of: SensorID(name), into: &events)
    }
}
