import Sensorium

/// What the sentences of one moment say together: one fix.
///
/// Sentences are of one epoch when they have the same time of day; what has no time belongs to the epoch
/// that is open. A void sentence takes back what the same talker said before.
struct Epoch {
    private(set) var isOpen = false
    /// Whether the fix of its time was given out before.
    private(set) var isLate = false
    /// Nanoseconds since midnight; -1 where no sentence gave it.
    private(set) var time = Sentence.unknown
    /// Days since 1970.
    private(set) var day = Sentence.unknownDay
    /// When its first sentence came.
    private(set) var arrival = SensorInstant(nanoseconds: 0)
    /// Who said last that there is no fix; 0 where nobody did.
    private var voider: Talker = 0
    /// The position, and what else is known of it.
    private var fix: PositionSentence?
    /// Who gave each of RMC, GGA, GNS and GLL first; 0 where nobody did.
    private var givers = InlineArray<4, Talker>(repeating: 0)
    private var groundSpeed = Double.nan
    private var groundCourse = Double.nan
    private var deviation = Errors()
    private var expected = Errors()

    /// Errors of latitude, longitude and altitude in metres; NaN where unknown.
    struct Errors {
        var latitude = Double.nan
        var longitude = Double.nan
        var altitude = Double.nan

        /// Fields from `first` on.
        init(_ sentence: borrowing Sentence, from first: Int) throws(FieldFault) {
            latitude = try sentence.number(first)
            longitude = try sentence.number(first + 1)
            altitude = try sentence.number(first + 2)
        }

        init() {}
    }

    /// Whether a sentence said that there is no fix.
    var isVoid: Bool { voider != 0 }

    /// Whether there is a position.
    var hasFix: Bool { fix != nil }

    /// Whether the open epoch ends before a sentence of that time of day.
    @inline(__always)
    func ends(before time: Int64) -> Bool {
        isOpen && self.time >= 0 && time >= 0 && time != self.time
    }

    /// Whether the same talker said the same sentence in this epoch.
    @inline(__always)
    func repeats(_ sentence: PositionSentence) -> Bool {
        isOpen && givers[sentence.source.rawValue] == sentence.talker
    }

    /// Opens the epoch, if it is not, for a sentence that came at `arrival`.
    @inline(__always)
    mutating func open(at arrival: SensorInstant, time: Int64 = Sentence.unknown) {
        if !isOpen {
            self = Epoch()
            isOpen = true
            self.arrival = arrival
        }
        if time >= 0 { self.time = time }
    }

    /// Opens the epoch for what still comes of a time whose fix was given out.
    mutating func openLate(at arrival: SensorInstant, time: Int64) {
        open(at: arrival, time: time)
        isLate = true
    }

    /// Takes a position, or that there is none, in.
    mutating func add(_ sentence: PositionSentence) {
        let place = sentence.source.rawValue
        if givers[place] == 0 { givers[place] = sentence.talker }
        if sentence.day != Sentence.unknownDay { day = sentence.day }
        guard sentence.isValid else {
            voider = sentence.talker
            if fix?.talker == sentence.talker { fix = nil }
            return
        }
        // Without a position, a valid sentence says only when.
        if sentence.latitude.isNaN { return }
        guard let known = fix else {
            if voider != sentence.talker { fix = sentence }
            return
        }
        fix =
            sentence.rank >= known.rank
            ? sentence.filled(from: known) : known.filled(from: sentence)
    }

    mutating func add(day: Int) { if day != Sentence.unknownDay { self.day = day } }

    /// Takes the speed of a VTG in: m/s and degrees.
    mutating func add(speed: Double, course: Double) {
        if !speed.isNaN { groundSpeed = speed }
        if !course.isNaN { groundCourse = course }
    }

    /// Takes standard deviations (GST) in.
    mutating func add(deviation: Errors) { self.deviation = deviation }

    /// Takes expected errors (GBS) in.
    mutating func add(expected: Errors) { self.expected = expected }

    /// Ends the epoch.
    mutating func close() { isOpen = false }

    // MARK: The fix

    /// The fix; nil where there is none.
    @inline(__always)
    func location(
        at time: ReadingTime, flags: ReadingFlags, mode: Int, used: Int?
    ) -> LocationFix? {
        guard let fix else { return nil }
        @inline(__always) func known(_ value: Double) -> Double? { value.isNaN ? nil : value }
        let altitude = known(fix.altitude)
        let speed = fix.speed.isNaN ? groundSpeed : fix.speed
        let course = fix.course.isNaN ? groundCourse : fix.course
        let isSolid = mode == 3 || (mode < 2 && altitude != nil)
        return LocationFix(
            time: time, latitude: fix.latitude, longitude: fix.longitude, altitudeMSL: altitude,
            altitudeEllipsoid: known(fix.altitude + fix.separation),
            horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            speed: known(speed), course: known(course),
            fix: isSolid ? .threeDimensional : .twoDimensional, quality: fix.quality,
            satellitesUsed: used ?? (fix.used >= 0 ? fix.used : nil),
            flags: fix.quality == .simulated ? flags.union(.simulated) : flags)
    }

    /// The horizontal dilution that came with the position.
    var dilution: Double? { fix.flatMap { SatelliteView.known($0.dilution) } }

    // GST gives standard deviations; of GBS nobody says how often the truth is beyond.
    private var horizontalAccuracy: Accuracy? {
        if let value = Self.horizontal(deviation) { return Accuracy(value, .drms) }
        return Self.horizontal(expected).flatMap { Accuracy($0, .unspecified) }
    }

    private static func horizontal(_ errors: Errors) -> Double? {
        guard errors.latitude >= 0, errors.longitude >= 0 else { return nil }
        return (errors.latitude * errors.latitude + errors.longitude * errors.longitude)
            .squareRoot()
    }

    private var verticalAccuracy: Accuracy? {
        if deviation.altitude >= 0 { return Accuracy(deviation.altitude, .sixtyEightPercent) }
        return expected.altitude >= 0 ? Accuracy(expected.altitude, .unspecified) : nil
    }
}

extension PositionSentence {
    /// Whether it is of the sentences that know altitude and quality.
    private var isFull: Bool { source == .gga || source == .gns }

    /// Which of two positions to take: several constellations together know more than one of them.
    fileprivate var rank: Int { (talker == .combined ? 2 : 0) + (isFull ? 1 : 0) }

    /// This sentence, and what only the other one says.
    fileprivate func filled(from other: PositionSentence) -> PositionSentence {
        var one = self
        if one.altitude.isNaN {
            one.altitude = other.altitude
            one.separation = other.separation
        } else if one.separation.isNaN {
            one.separation = other.separation
        }
        if one.speed.isNaN { one.speed = other.speed }
        if one.course.isNaN { one.course = other.course }
        if one.used < 0 { one.used = other.used }
        if one.dilution.isNaN { one.dilution = other.dilution }
        // RMC and GLL know fewer kinds of fixes than GGA and GNS.
        if other.isFull, !one.isFull, other.quality != .unknown { one.quality = other.quality }
        if one.quality == .unknown { one.quality = other.quality }
        return one
    }
}
