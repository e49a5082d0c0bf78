import Sensorium

/// What is gathered of one point while it is read.
struct GPXPoint {
    /// Where points stand in a file: what of it is the recording is chosen in this order.
    enum Kind: Int, CaseIterable {
        /// `trkpt`: what was measured.
        case track
        /// `rtept`: what is planned.
        case route
        /// `wpt`: places; in files for Xcode's simulated location, the way.
        case waypoint
    }

    var kind: Kind
    var fix: LocationFix
    /// UTC since 1970; nil where the point has no time.
    var utc: Int64?
    var geoidHeight: Double?
    /// Whether the receiver said that it has no position.
    var isVoid = false

    /// A point at a place; nil where that is not on the Earth.
    init?(_ kind: Kind, latitude: String?, longitude: String?) {
        guard let latitude = latitude.flatMap(Self.number), abs(latitude) <= 90,
            let longitude = longitude.flatMap(Self.number), abs(longitude) <= 180
        else { return nil }
        self.kind = kind
        fix = LocationFix(
            time: .unknown, latitude: latitude, longitude: longitude, fix: .twoDimensional)
    }

    /// A number with blanks around it.
    static func number(_ text: String) -> Double? {
        let core = text.utf8.drop { $0 <= 0x20 }
        let trimmed = core.prefix { $0 > 0x20 }
        return NumberText.finite(String(decoding: trimmed, as: UTF8.self))
    }

    /// The fix with all that was gathered.
    func finished() -> LocationFix {
        var fix = fix
        if fix.altitudeEllipsoid == nil, let msl = fix.altitudeMSL, let geoidHeight {
            fix.altitudeEllipsoid = msl + geoidHeight
        }
        return fix
    }

    /// Takes the text of a child element; false where it makes no sense.
    ///
    /// Sources: GPX 1.1 and 1.0; Garmin's TrackPointExtension 1 and 2, whose speed is in m/s.
    mutating func take(_ name: String, _ text: String, inExtensions: Bool) -> Bool {
        switch name {
        case "ele" where !inExtensions:
            guard let value = Self.number(text) else { return false }
            fix.altitudeMSL = value
            if !hasKind { fix.fix = .threeDimensional }
        case "geoidheight" where !inExtensions:
            guard let value = Self.number(text) else { return false }
            geoidHeight = value
        case "speed":
            guard let value = Self.number(text), value >= 0 else { return false }
            fix.speed = value
        case "course":
            guard let value = Self.number(text), (0...360).contains(value) else { return false }
            fix.course = value
        case "sat" where !inExtensions:
            guard let value = Self.number(text), let count = Int(exactly: value), count >= 0 else {
                return false
            }
            fix.satellitesUsed = count
        case "fix" where !inExtensions:
            return take(fix: text)
        default: break
        }
        return true
    }

    private var hasKind = false

    private mutating func take(fix text: String) -> Bool {
        hasKind = true
        switch text.split(whereSeparator: \.isWhitespace).first {
        case "none": isVoid = true
        case "2d": fix.fix = .twoDimensional
        case "3d": fix.fix = .threeDimensional
        case "dgps":
            fix.fix = .threeDimensional
            fix.quality = .differential
        case "pps":
            fix.fix = .threeDimensional
            fix.quality = .precise
        default: return false
        }
        return true
    }

    /// Takes the attributes of this package's own extension; false where they make no sense.
    mutating func take(own attributes: [(name: String, value: String)]) -> Bool {
        var filler = Filler(
            texts: Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first })
        var own = fix
        own.visitDetails(&filler)
        var flags = ReadingFlags()
        filler.field("flags", &flags)
        if filler.isRefused { return false }
        own.flags = flags
        // What GPX has elements for may have been edited there.
        own.altitudeMSL = fix.altitudeMSL
        own.speed = fix.speed
        own.course = fix.course
        own.satellitesUsed = fix.satellitesUsed
        fix = own
        return true
    }

    private struct Filler: FieldVisitor {
        let texts: [String: String]
        var isRefused = false
        var fills: Bool { true }
        mutating func write(_ name: String, _ text: String?) {}
        mutating func read(_ name: String) -> String? { texts[name] }
        mutating func refuse(_ name: String) { isRefused = true }
    }
}
