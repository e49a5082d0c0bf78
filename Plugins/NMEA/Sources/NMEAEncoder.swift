public import Sensorium

/// Writes readings as NMEA 0183, for logs and for programs that read nothing else.
///
/// A sentence has no room for all that a reading holds: what `NMEADecoder` makes of them again has
/// position, altitudes, speed, course, UTC, the kind of fix, and GST's accuracies.
public struct NMEAEncoder: Sendable {
    /// Who talks, two letters: `GN` for several constellations together.
    public var talker: String

    /// Makes an encoder.
    public init(talker: String = "GN") { self.talker = talker }

    /// A sentence around `body`, with its checksum and without a line end: `$GPGLL,...*5C`.
    public static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)*\(sum < 16 ? "0" : "")\(digits)"
    }

    /// The sentences of one fix: GGA and RMC, GSA for the kind of fix, GST where an accuracy is known.
    ///
    /// GGA stands before RMC: there are readers (gpsbabel 1.8) that pair them rightly only so.
    ///
    /// - Parameter utc: nanoseconds since 1970; where the fix has none itself.
    public func sentences(for fix: LocationFix, utc: Int64? = nil) -> [String] {
        let utc = fix.time.utcNanoseconds ?? utc
        let time = utc.map(Self.timeOfDay) ?? ""
        let place = Self.place(fix)
        let (mode, quality) = Self.quality(fix)
        let speed = fix.speed.map { Self.decimal($0 * 3600 / 1852, 4) } ?? ""
        let course = fix.course.map { Self.decimal($0, 4) } ?? ""
        let used = fix.satellitesUsed.map { Timestamp.padded(min(99, max(0, $0)), 2) } ?? ""
        let msl = fix.altitudeMSL.map { Self.decimal($0, 4) } ?? ""
        let separation = Self.separation(fix).map { Self.decimal($0, 4) } ?? ""
        var bodies = [
            "\(talker)GGA,\(time),\(place),\(quality),\(used),,\(msl),M,\(separation),M,,",
            "\(talker)RMC,\(time),A,\(place),\(speed),\(course),\(utc.map(Self.day) ?? ""),,,\(mode)",
            "\(talker)GSA,A,\(fix.fix.rawValue)" + String(repeating: ",", count: 15),
        ]
        if let errors = Self.errors(fix) { bodies.append("\(talker)GST,\(time),,,,,\(errors)") }
        return bodies.map(Self.sentence)
    }

    /// The sentences of the satellites in view: a GSA for each constellation that is used, and GSV.
    ///
    /// - Parameter fix: the kind of the fix that they are used for, which GSA says too.
    public func sentences(
        for satellites: Satellites, fix: FixKind = .threeDimensional
    ) -> [String] {
        let dilution = [
            satellites.dilution.position, satellites.dilution.horizontal,
            satellites.dilution.vertical,
        ].map { $0.map { Self.decimal($0, 2) } ?? "" }.joined(separator: ",")
        var bodies: [String] = []
        for (talker, id, list) in Self.byTalker(satellites.inView) {
            let used = list.filter(\.isUsed)
            for start in stride(from: 0, to: used.count, by: 12) {
                let some = used[start..<min(used.count, start + 12)].map {
                    Timestamp.padded(Self.number($0), 2)
                }
                let padding = Array(repeating: "", count: 12 - some.count)
                let fields = (some + padding).joined(separator: ",")
                bodies.append("GNGSA,A,\(fix.rawValue),\(fields),\(dilution),\(id)")
            }
            bodies += Self.view(list, talker)
        }
        return bodies.map(Self.sentence)
    }

    /// The sentence of a heading: HDT, or HDG where it is from magnetic north.
    public func sentences(for heading: Heading) -> [String] {
        var bodies: [String] = []
        if let magnetic = heading.magneticNorth {
            let variation = heading.declination.map {
                "\(Self.decimal(abs($0), 4)),\($0 < 0 ? "W" : "E")"
            }
            bodies.append("HCHDG,\(Self.decimal(magnetic, 4)),,,\(variation ?? ",")")
        }
        // HDG with a variation says the true heading too.
        if let heading = heading.trueNorth, bodies.isEmpty || !bodies[0].hasSuffix("E") {
            if bodies.isEmpty || !bodies[0].hasSuffix("W") {
                bodies = ["HEHDT,\(Self.decimal(heading, 4)),T"]
            }
        }
        return bodies.map(Self.sentence)
    }

    /// What time it is, in nanoseconds since 1970: ZDA, whose year has four digits.
    ///
    /// Sentences without a time that follow are of that time.
    public func sentence(ofTime utc: Int64) -> String {
        let (date, _) = CivilDate.split(utc)
        let day = [date.day, date.month].map { Timestamp.padded($0, 2) }.joined(separator: ",")
        return Self.sentence(
            "\(talker)ZDA,\(Self.timeOfDay(utc)),\(day),\(Timestamp.padded(date.year, 4)),00,00")
    }

    /// That there is no fix at a time, in nanoseconds since 1970.
    public func noFix(utc: Int64?) -> String {
        let time = utc.map(Self.timeOfDay) ?? ""
        return Self.sentence("\(talker)RMC,\(time),V,,,,,,,\(utc.map(Self.day) ?? ""),,,N")
    }

    // MARK: Fields

    private static func place(_ fix: LocationFix) -> String {
        "\(angle(fix.latitude, 2)),\(fix.latitude < 0 ? "S" : "N"),"
            + "\(angle(fix.longitude, 3)),\(fix.longitude < 0 ? "W" : "E")"
    }

    /// Degrees and minutes, the latter to a tenth of a millimetre or so.
    private static func angle(_ degrees: Double, _ width: Int) -> String {
        let units = Int64((abs(degrees) * 60e7).rounded())
        let (whole, rest) = units.quotientAndRemainder(dividingBy: 600_000_000)
        let (minutes, fraction) = rest.quotientAndRemainder(dividingBy: 10_000_000)
        return "\(Timestamp.padded(whole, width))\(Timestamp.padded(minutes, 2))"
            + ".\(Timestamp.padded(fraction, 7))"
    }

    private static func timeOfDay(_ utc: Int64) -> String {
        let (_, inDay) = CivilDate.split(utc)
        let seconds = inDay / 1_000_000_000
        var fraction = Timestamp.padded(inDay % 1_000_000_000, 9)
        while fraction.utf8.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(Timestamp.padded(seconds / 3600, 2))\(Timestamp.padded(seconds / 60 % 60, 2))"
            + "\(Timestamp.padded(seconds % 60, 2)).\(fraction)"
    }

    private static func day(_ utc: Int64) -> String {
        let (date, _) = CivilDate.split(utc)
        return [date.day, date.month, date.year % 100].map { Timestamp.padded($0, 2) }.joined()
    }

    private static func quality(_ fix: LocationFix) -> (mode: String, number: Int) {
        switch fix.quality {
        case .unknown, .autonomous: ("A", 1)
        case .differential: ("D", 2)
        case .precise: ("P", 3)
        case .rtkFixed: ("R", 4)
        case .rtkFloat: ("F", 5)
        case .deadReckoning, .combined: ("E", 6)
        case .manual, .surveyed: ("M", 7)
        case .simulated: ("S", 8)
        }
    }

    private static func separation(_ fix: LocationFix) -> Double? {
        guard let msl = fix.altitudeMSL, let ellipsoid = fix.altitudeEllipsoid else { return nil }
        return ellipsoid - msl
    }

    /// Standard deviations, of accuracies whose confidence is known.
    private static func errors(_ fix: LocationFix) -> String? {
        let radius = fix.horizontalAccuracy?.radius(at: .drms)
        let height = fix.verticalAccuracy?.halfWidth(at: .sixtyEightPercent)
        if radius == nil, height == nil { return nil }
        let axis = radius.map { decimal($0 / 2.0.squareRoot(), 4) } ?? ""
        return "\(axis),\(axis),\(height.map { decimal($0, 4) } ?? "")"
    }

    private static func view(_ list: [Satellite], _ talker: String) -> [String] {
        let total = max(1, (list.count + 3) / 4)
        return (0..<total).map { part in
            let blocks = list.dropFirst(part * 4).prefix(4).map { one in
                let values = [one.elevation, one.azimuth, one.signal].map {
                    $0.map { decimal($0.rounded(), 0) } ?? ""
                }
                return ",\(Timestamp.padded(number(one), 2)),\(values.joined(separator: ","))"
            }
            let count = Timestamp.padded(list.count, 2)
            return "\(talker)GSV,\(total),\(part + 1),\(count)\(blocks.joined())"
        }
    }

    /// The satellites of each talker, in the order of appearance, and the talker's system id.
    private static func byTalker(
        _ satellites: [Satellite]
    ) -> [(talker: String, id: String, list: [Satellite])] {
        var groups: [(talker: String, id: String, list: [Satellite])] = []
        for one in satellites {
            let (talker, id) = name(one.system)
            if let place = groups.firstIndex(where: { $0.talker == talker }) {
                groups[place].list.append(one)
            } else {
                groups.append((talker, id, [one]))
            }
        }
        return groups
    }

    private static func name(_ system: Satellite.System?) -> (talker: String, id: String) {
        switch system {
        case .gps, .sbas: ("GP", "1")
        case .glonass: ("GL", "2")
        case .galileo: ("GA", "3")
        case .beiDou: ("GB", "4")
        case .qzss, .imes: ("GQ", "5")
        case .navIC: ("GI", "6")
        case nil: ("GN", "")
        }
    }

    /// The number that means this satellite to every reader: see `SatelliteNumbering`.
    private static func number(_ satellite: Satellite) -> Int {
        switch satellite.system {
        case .sbas: satellite.number - 87
        case .glonass where satellite.number <= 32: satellite.number + 64
        default: satellite.number
        }
    }

    /// A number with at most so many decimals, and no zeros at its end but one.
    static func decimal(_ value: Double, _ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        guard value.isFinite, abs(value) < 1e12 else { return "" }
        let units = Int64((abs(value) * scale).rounded())
        let (whole, rest) = units.quotientAndRemainder(dividingBy: Int64(scale))
        let sign = value < 0 && units != 0 ? "-" : ""
        if decimals == 0 { return "\(sign)\(whole)" }
        var fraction = Timestamp.padded(rest, decimals)
        while fraction.utf8.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(sign)\(whole).\(fraction)"
    }
}
