import Sensorium

/// Parses a table of comma-separated values: one that this package wrote, or a simple one of another
/// program (`SimpleTable`).
struct CSVParser: RecordingParser {
    private let path: String
    private var scanner = CSVScanner()
    private var table: Table?
    private var rowNumber = 0
    private(set) var damage = RecordingDamage()

    private enum Table {
        case own(OwnTable)
        case simple(SimpleTable)
    }

    init(_ path: String) { self.path = path }

    func restarted() -> CSVParser { CSVParser(path) }

    var metadata: RecordingMetadata {
        switch table {
        case .own(let table): RecordingMetadata(clock: table.clock)
        case .simple(let table): RecordingMetadata(clock: table.clock)
        case nil: RecordingMetadata(clock: .utc)
        }
    }

    var sensors: [RecordedSensor] {
        switch table {
        case .own(let table): table.sensors
        case .simple(let table): table.sensors
        case nil: []
        }
    }

    mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into events: inout [RecordedEvent]
    ) throws(RecordingError) {
        // Taken out, so that it can be used while the rest of this is.
        var scanner = self.scanner
        self.scanner = CSVScanner()
        var failure: RecordingError?
        scanner.scan(bytes) { row in
            if failure == nil { failure = take(row, &events) }
        }
        self.scanner = scanner
        if let failure { throw failure }
    }

    mutating func finish(into events: inout [RecordedEvent]) throws(RecordingError) {
        var scanner = self.scanner
        self.scanner = CSVScanner()
        var failure: RecordingError?
        scanner.finish { row in failure = take(row, &events) }
        if let failure { throw failure }
        guard case .own(var own) = table else { return }
        own.dropLists()
        table = .own(own)
        if own.brokenLists > 0 {
            damage.skippedRecords += own.brokenLists
            damage.note("\(own.brokenLists) lists of satellites lack their ends")
        }
    }

    private mutating func refuse(_ why: String) {
        damage.skippedRecords += 1
        damage.note("row \(rowNumber): \(why)")
    }

    private mutating func take(
        _ row: CSVScanner.Row, _ events: inout [RecordedEvent]
    ) -> RecordingError? {
        rowNumber += 1
        if row.isCut {
            refuse("it is longer than any row")
            return nil
        }
        guard let table else { return begin(row) }
        if row.isOpen {
            refuse("a quote is not closed")
            return nil
        }
        let count = events.count
        var why: String?
        // Moved out and in again, so that the table is not copied for each row.
        self.table = nil
        switch table {
        case .own(var own):
            why = own.take(row, &events)
            self.table = .own(own)
        case .simple(var simple):
            why = simple.take(row, &events, rowNumber)
            if let note = simple.note.take() { damage.note(note) }
            self.table = .simple(simple)
        }
        if let why { refuse(why) }
        for event in events[count...] { watch(event) }
        return nil
    }

    private var newest: [SensorID: SensorInstant] = [:]

    private mutating func watch(_ event: RecordedEvent) {
        guard let instant = event.instant else { return }
        if let before = newest[event.sensor], instant < before { damage.backwardSteps += 1 }
        newest[event.sensor] = instant
    }

    private mutating func begin(_ row: CSVScanner.Row) -> RecordingError? {
        let names = (0..<row.count).map { row.text($0) ?? "" }
        if let own = OwnTable(names) {
            table = .own(own)
        } else if let simple = SimpleTable(names, row.separator) {
            table = .simple(simple)
        } else {
            return RecordingError(
                .malformed, path: path,
                reason: "its first row names no columns that are known",
                hint: "such as t_ns,x,y,z or time,lat,lon (docs/formats.md)")
        }
        return nil
    }
}

/// A table with the columns of `CSVColumns`.
struct OwnTable {
    private(set) var sensors: [RecordedSensor] = []
    private let places: [String: Int]
    private var plans: [SensorKind: [Int]] = [:]
    private var kinds: [SensorID: SensorKind] = [:]
    private var lists: [SensorID: (RecordedEvent, Satellites, count: Int)] = [:]
    private var utcOffset: Int64?

    /// More sensors than that are none.
    private static var sensorLimit: Int { 1024 }
    /// More satellites than that are none.
    private static var listLimit: Int { 1000 }

    /// The table under a header; nil where it is not of this kind.
    init?(_ names: [String]) {
        var places: [String: Int] = [:]
        for (place, name) in names.enumerated() where places[name] == nil { places[name] = place }
        guard places["time_ns"] != nil, places["sensor"] != nil, places["kind"] != nil else {
            return nil
        }
        self.places = places
    }

    /// Boot time, unless its times are UTC.
    var clock: RecordingClock {
        utcOffset == 0 ? .utc : RecordingClock(domain: .boottime, utcOffset: utcOffset)
    }

    /// How many lists of satellites another one followed before they were whole.
    private(set) var brokenLists = 0

    /// Forgets the lists of satellites that are not whole.
    mutating func dropLists() {
        brokenLists += lists.count
        lists = [:]
    }

    /// Takes a row; gives why it cannot be used.
    mutating func take(
        _ row: CSVScanner.Row, _ events: inout [RecordedEvent]
    ) -> String? {
        func text(_ name: String) -> String? { places[name].flatMap(row.text) }
        guard let id = text("sensor"), let kind = text("kind").flatMap(SensorKind.init(name:))
        else {
            return "it names no sensor, or no kind"
        }
        var instant: SensorInstant?
        if let given = text("time_ns") {
            guard let nanoseconds = Int64(given) else { return "time_ns is not a whole number" }
            instant = SensorInstant(nanoseconds: nanoseconds)
            if utcOffset == nil, let utc = text("utc").flatMap({ TimeText.moment($0.utf8) }) {
                let (offset, overflow) = utc.nanoseconds.subtractingReportingOverflow(nanoseconds)
                if !overflow { utcOffset = offset }
            }
        }
        let sensor = SensorID(id)
        let known = kinds[sensor] ?? kind
        guard known == kind else { return "\(id) was of another kind before" }
        guard kinds[sensor] != nil || kinds.count < Self.sensorLimit else {
            return "there are too many sensors"
        }
        var cells = Filler(row: row, places: places, plan: plans[kind] ?? [])
        let blank = RecordedEvent(sensor: sensor, instant: instant, content: .gap(reason: ""))
        let event = read(kind, blank, &cells)
        if plans[kind] == nil, cells.refused == nil { plans[kind] = cells.plan }
        if let refused = cells.refused { return "\(refused) makes no sense, or is missing" }
        if kinds[sensor] == nil {
            kinds[sensor] = kind
            sensors.append(RecordedSensor(SensorDescriptor(id: sensor, kind: kind, name: id)))
        }
        if let event { events.append(event) }
        return nil
    }

    private mutating func read(
        _ kind: SensorKind, _ event: RecordedEvent, _ cells: inout Filler
    ) -> RecordedEvent? {
        func read<Reading: FieldedReading>(_: Reading.Type) -> RecordedEvent? {
            guard var reading = Reading.blank else { return nil }
            reading.visit(&cells)
            var (time, flags) = (reading.time, reading.flags)
            time.visit(&cells)
            cells.field("flags", &flags)
            (reading.time, reading.flags) = (time, flags)
            return event.with(.reading(RecordedReading(reading)))
        }
        switch kind {
        case .location: return read(LocationFix.self)
        case .satellites: return readSatellite(event, &cells)
        case .heading: return read(Heading.self)
        case .attitude: return read(Attitude.self)
        case .acceleration: return read(Acceleration.self)
        case .angularVelocity: return read(AngularVelocity.self)
        case .magneticField: return read(MagneticField.self)
        case .pressure: return read(Pressure.self)
        case .temperature: return read(Temperature.self)
        case .humidity: return read(Humidity.self)
        case .illuminance: return read(Illuminance.self)
        case .proximity: return read(Proximity.self)
        case .camera:
            cells.refuse("kind")
            return nil
        case .touch: return read(TouchEvent.self)
        case .key: return read(KeyEvent.self)
        }
    }

    /// Adds a row to its list, and gives the list with its last row.
    private mutating func readSatellite(
        _ event: RecordedEvent, _ cells: inout Filler
    ) -> RecordedEvent? {
        var row = SatelliteRow()
        row.visit(&cells)
        var list = Satellites(time: .unknown, inView: [], dilution: row.dilution)
        list.time.visit(&cells)
        cells.field("flags", &list.flags)
        if cells.refused != nil { return nil }
        let open = lists.removeValue(forKey: event.sensor)
        guard let place = row.place else { return event.with(.reading(.satellites(list))) }
        let before = place == 1 ? [] : open?.1.inView ?? []
        if place == 1, open != nil { brokenLists += 1 }
        let continues = place == 1 || open?.count == row.count && open?.0.instant == event.instant
        guard continues, before.count == place - 1, row.count <= Self.listLimit else {
            cells.refuse("satellite")
            return nil
        }
        list.inView = before + [row.satellite]
        if place == row.count { return event.with(.reading(.satellites(list))) }
        lists[event.sensor] = (event, list, row.count)
        return nil
    }
}

extension RecordedEvent {
    /// The same event with another content.
    fileprivate func with(_ content: Content) -> RecordedEvent {
        RecordedEvent(sensor: sensor, instant: instant, content: content)
    }
}

/// Fills a reading in from a row.
private struct Filler: FieldVisitor {
    let row: CSVScanner.Row
    let places: [String: Int]
    /// The column of each field in the order of the visit: names are looked up once for each kind.
    var plan: [Int]
    private let isPlanned: Bool
    private var next = 0
    private(set) var refused: String?

    init(row: CSVScanner.Row, places: [String: Int], plan: [Int]) {
        self.row = row
        self.places = places
        self.plan = plan
        isPlanned = !plan.isEmpty
    }

    var fills: Bool { true }
    mutating func write(_ name: String, _ text: String?) {}

    mutating func read(_ name: String) -> String? {
        if !isPlanned { plan.append(places[name] ?? -1) }
        defer { next += 1 }
        return next < plan.count ? row.text(plan[next]) : nil
    }

    mutating func refuse(_ name: String) { refused = refused ?? name }
}
