import Sensorium

/// A table of another program: a column of times, and columns whose names say what they hold.
///
/// `docs/formats.md` has the names that are known.
struct SimpleTable {
    let sensors: [RecordedSensor]
    let clock: RecordingClock
    /// Something worth telling, once.
    var note: String?

    private let time: TimeColumn?
    private let groups: [Group]
    private let hasDecimalComma: Bool
    private var hasToldOfZone = false

    private struct TimeColumn {
        var place: Int
        /// Decimals between the column's unit and a nanosecond; nil for text.
        var power: Int?
    }

    private struct Group {
        var kind: SensorKind
        var places: [Int]
        /// Altitude, speed and course, where the table has them.
        var details: [Int?] = []
    }

    /// The table under a header; nil where it names nothing that is known.
    init?(_ header: [String], _ separator: UInt8) {
        var places: [String: Int] = [:]
        for (place, name) in header.enumerated() {
            let name = Self.plain(name)
            if places[name] == nil { places[name] = place }
        }
        func first(_ names: [String]) -> Int? { names.lazy.compactMap { places[$0] }.first }
        let time = Self.timeColumn(places)
        var groups: [Group] = []
        if let latitude = first(["lat", "latitude"]),
            let longitude = first(["lon", "lng", "long", "longitude"])
        {
            let details = [
                first(["alt", "altitude", "ele", "elevation", "altitude_msl"]), first(["speed"]),
                first(["course", "bearing"]),
            ]
            groups.append(
                Group(kind: .location, places: [latitude, longitude], details: details))
        }
        for (kind, prefixes) in Self.vectors {
            for prefix in prefixes {
                let axes = ["x", "y", "z"].compactMap { places[prefix + $0] }
                if axes.count == 3 {
                    groups.append(Group(kind: kind, places: axes))
                    break
                }
            }
        }
        if groups.isEmpty { return nil }
        self.time = time
        self.groups = groups
        hasDecimalComma = separator == 0x3b
        clock = time?.power == nil ? .utc : RecordingClock(domain: .foreign)
        sensors = groups.map { group in
            RecordedSensor(
                SensorDescriptor(
                    id: Self.id(group.kind), kind: group.kind, name: "\(group.kind.name) from CSV"))
        }
    }

    private static let vectors: [(SensorKind, [String])] = [
        (.acceleration, ["", "a", "acc_", "accel_", "acceleration_"]),
        (.angularVelocity, ["g", "gyro_", "angular_velocity_"]),
        (.magneticField, ["magnetic_field_"]),
    ]

    private static func id(_ kind: SensorKind) -> SensorID { SensorID("csv/\(kind.name)") }

    /// A name in small letters, without its unit: `Latitude (deg)`, `latitude_deg`.
    private static func plain(_ name: String) -> String {
        var name = name.lowercased()
        if let bracket = name.firstIndex(where: { $0 == "(" || $0 == "[" }) {
            name = String(name[..<bracket])
        }
        name = String(name.split(whereSeparator: \.isWhitespace).joined(separator: "_"))
        for unit in ["_m_s2", "_rad_s", "_m_s", "_deg", "_m"] where name.hasSuffix(unit) {
            return String(name.dropLast(unit.count))
        }
        return name.count > 2 && name.hasSuffix("_t") ? String(name.dropLast(2)) : name
    }

    private static func timeColumn(_ places: [String: Int]) -> TimeColumn? {
        let units: [(String, Int)] = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)]
        for (unit, power) in units {
            for name in ["t_", "time_", "timestamp_"] {
                if let place = places[name + unit] { return TimeColumn(place: place, power: power) }
            }
        }
        for name in ["t", "seconds", "seconds_elapsed"] {
            if let place = places[name] { return TimeColumn(place: place, power: 9) }
        }
        for name in ["time", "utc", "timestamp", "datetime"] {
            if let place = places[name] { return TimeColumn(place: place, power: nil) }
        }
        return nil
    }

    /// Takes a row; gives why it cannot be used.
    mutating func take(
        _ row: CSVScanner.Row, _ events: inout [RecordedEvent], _ rowNumber: Int
    ) -> String? {
        var moment = ReadingTime.unknown
        var instant: SensorInstant?
        if let time, !row[time.place].isEmpty {
            guard let nanoseconds = nanoseconds(row[time.place], time, rowNumber) else {
                return "its time makes no sense"
            }
            let given = SensorInstant(nanoseconds: nanoseconds)
            let isUTC = time.power == nil
            moment = ReadingTime(
                given,
                original: isUTC ? ClockTime(nanoseconds: nanoseconds, domain: .realtime) : nil)
            instant = given
        }
        var isUsed = false
        for group in groups {
            let values = group.places.map { number(row[$0]) }
            // A table of several sensors leaves empty what was not measured at a time.
            if group.places.allSatisfy({ row[$0].isEmpty }) { continue }
            guard let reading = reading(group, values, row, moment) else {
                return "a value of \(group.kind.name) makes no sense, or is missing"
            }
            isUsed = true
            events.append(
                RecordedEvent(
                    sensor: Self.id(group.kind), instant: instant, content: .reading(reading)))
        }
        return isUsed ? nil : "it has no values"
    }

    private mutating func nanoseconds(
        _ text: ArraySlice<UInt8>, _ column: TimeColumn, _ rowNumber: Int
    ) -> Int64? {
        if let power = column.power {
            return NumberText.scaled(text.lazy.map { $0 == 0x2c ? 0x2e : $0 }, power)
        }
        guard let moment = TimeText.moment(text) else {
            // A number in such a column is seconds since 1970.
            return NumberText.scaled(text, 9)
        }
        if !moment.hasZone, !hasToldOfZone {
            hasToldOfZone = true
            note = "row \(rowNumber): its time has no zone, and is taken as UTC"
        }
        return moment.nanoseconds
    }

    private func number(_ text: ArraySlice<UInt8>) -> Double? {
        var text = String(decoding: text, as: UTF8.self)
        if hasDecimalComma { text = String(text.map { $0 == "," ? "." : $0 }) }
        return NumberText.finite(String(text.drop { $0 == " " }))
    }

    private func reading(
        _ group: Group, _ values: [Double?], _ row: CSVScanner.Row, _ time: ReadingTime
    ) -> RecordedReading? {
        guard let first = values[0], let second = values[1] else { return nil }
        if group.kind == .location {
            guard abs(first) <= 90, abs(second) <= 180 else { return nil }
            let details = group.details.map { $0.flatMap { number(row[$0]) } }
            return .location(
                LocationFix(
                    time: time, latitude: first, longitude: second, altitudeMSL: details[0],
                    speed: details[1], course: details[2],
                    fix: details[0] == nil ? .twoDimensional : .threeDimensional))
        }
        guard let third = values[2] else { return nil }
        switch group.kind {
        case .acceleration:
            return .acceleration(Acceleration(time: time, x: first, y: second, z: third))
        case .angularVelocity:
            return .angularVelocity(AngularVelocity(time: time, x: first, y: second, z: third))
        default: return .magneticField(MagneticField(time: time, x: first, y: second, z: third))
        }
    }
}
