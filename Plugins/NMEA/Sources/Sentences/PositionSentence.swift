import Sensorium

/// What RMC, GGA, GNS and GLL say of one moment.
///
/// What was not given is NaN or -1 in here, for speed; nothing outside sees it.
struct PositionSentence {
    /// Which of the four sentences: its place in the list of those of an epoch.
    enum Source: Int {
        case rmc, gga, gns, gll
    }

    var source: Source
    var talker: Talker
    /// Nanoseconds since midnight.
    var time: Int64
    /// Days since 1970.
    var day = Sentence.unknownDay
    /// Whether the receiver says that it has a fix.
    ///
    /// This alone decides.
    var isValid = false
    var latitude = Double.nan
    var longitude = Double.nan
    var altitude = Double.nan
    var separation = Double.nan
    /// m/s.
    var speed = Double.nan
    var course = Double.nan
    var quality = FixQuality.unknown
    var used = -1
    var dilution = Double.nan

    /// Metres per second in a knot, and in a kilometre per hour.
    static let knot = 1852.0 / 3600
    static let kilometrePerHour = 1000.0 / 3600

    init(
        _ source: Source, _ talker: Talker, _ sentence: borrowing Sentence, timeAt field: Int
    ) throws(FieldFault) {
        self.source = source
        self.talker = talker
        time = try sentence.timeOfDay(field)
    }

    @inline(__always)
    private mutating func place(
        _ sentence: borrowing Sentence, at field: Int
    ) throws(FieldFault) {
        latitude = try sentence.degrees(field, limit: 90, positive: 0x4e, negative: 0x53)
        longitude = try sentence.degrees(field + 2, limit: 180, positive: 0x45, negative: 0x57)
        if latitude.isNaN != longitude.isNaN { throw .malformed }
    }

    /// RMC: time, status, position, speed, course, date, variation, mode, navigation status.
    static func rmc(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) -> PositionSentence {
        guard sentence.count >= 10 else { throw .incomplete }
        var one = try PositionSentence(.rmc, talker, sentence, timeAt: 1)
        let status = try sentence.letter(2)
        try one.place(sentence, at: 3)
        one.speed = try sentence.number(7) * knot
        if one.speed < 0 { throw .malformed }
        one.course = try sentence.direction(8)
        one.day = try sentence.day(9)
        // Field 12 is the mode since NMEA 2.3; before, the variation's letter in 11 was the last.
        let mode = try sentence.letter(12)
        one.isValid = (status == 0x41 || status == 0x44) && mode != 0x4e
        one.quality = quality(ofMode: mode)
        return one
    }

    /// GGA: time, position, quality, satellites, dilution, altitude, separation of the geoid.
    static func gga(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) -> PositionSentence {
        guard sentence.count >= 12 else { throw .incomplete }
        var one = try PositionSentence(.gga, talker, sentence, timeAt: 1)
        try one.place(sentence, at: 2)
        let quality = try sentence.count(6)
        one.isValid = quality > 0
        one.quality = Self.quality(ofNumber: quality)
        try one.height(sentence, from: 7)
        return one
    }

    /// GNS: as GGA, with a letter of the mode for each constellation.
    static func gns(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) -> PositionSentence {
        guard sentence.count >= 11 else { throw .incomplete }
        var one = try PositionSentence(.gns, talker, sentence, timeAt: 1)
        try one.place(sentence, at: 2)
        for mode in sentence.field(6) where mode != 0x4e {
            one.isValid = true
            let quality = quality(ofMode: mode)
            if weight(quality) > weight(one.quality) { one.quality = quality }
        }
        one.used = try sentence.count(7)
        one.dilution = try sentence.number(8)
        one.altitude = try sentence.number(9)
        one.separation = try sentence.number(10)
        return one
    }

    /// GLL: position, time, status, mode.
    static func gll(
        _ sentence: borrowing Sentence, _ talker: Talker
    ) throws(FieldFault) -> PositionSentence {
        guard sentence.count >= 7 else { throw .incomplete }
        var one = try PositionSentence(.gll, talker, sentence, timeAt: 5)
        try one.place(sentence, at: 1)
        let status = try sentence.letter(6)
        let mode = try sentence.letter(7)
        one.isValid = (status == 0x41 || status == 0x44) && mode != 0x4e
        one.quality = quality(ofMode: mode)
        return one
    }

    @inline(__always)
    private mutating func height(
        _ sentence: borrowing Sentence, from field: Int
    ) throws(FieldFault) {
        used = try sentence.count(field)
        dilution = try sentence.number(field + 1)
        altitude = try sentence.metres(field + 2)
        separation = try sentence.metres(field + 4)
    }

    private static func quality(ofMode mode: UInt8) -> FixQuality {
        switch mode {
        case 0x41: .autonomous  // A
        case 0x44: .differential  // D
        case 0x45: .deadReckoning  // E
        case 0x46: .rtkFloat  // F
        case 0x4d: .manual  // M
        case 0x50: .precise  // P
        case 0x52: .rtkFixed  // R
        case 0x53: .simulated  // S
        default: .unknown
        }
    }

    private static func quality(ofNumber number: Int) -> FixQuality {
        switch number {
        case 1: .autonomous
        case 2: .differential
        case 3: .precise
        case 4: .rtkFixed
        case 5: .rtkFloat
        case 6: .deadReckoning
        case 7: .manual
        case 8: .simulated
        default: .unknown
        }
    }

    /// Which of the modes of several constellations is that of the fix.
    private static func weight(_ quality: FixQuality) -> Int {
        switch quality {
        case .rtkFixed: 8
        case .rtkFloat: 7
        case .precise: 6
        case .differential: 5
        case .autonomous: 4
        case .deadReckoning: 3
        case .manual: 2
        case .simulated: 1
        default: 0
        }
    }
}
