import Sensorium

/// Gives times of day their date, and maps them to boot time.
struct EpochTime {
    /// What became of a time.
    struct Outcome {
        var time: ReadingTime
        var flags: ReadingFlags = []
        /// Something worth telling a person, once.
        var diagnostic: String?
    }

    private let clock: any SensorClock
    private let mapping: ClockMapping
    private let correctsRollover: Bool
    /// The last time with a date of the receiver's own, or what followed from one.
    private var anchor: (utc: Int64, arrival: SensorInstant)?
    private var newest: ReadingTime?
    private var hasToldOfGap = false
    /// The day that was looked at last, and how far it is behind: weeks that the receiver has lost.
    private var examined: (day: Int, behind: Int64)?

    private static var day: Int64 { CivilDate.dayLength }
    /// GPS counts weeks with ten bits.
    private static var rollover: Int64 { 1024 * 7 * day }

    init(clock: any SensorClock, correctsRollover: Bool) {
        self.clock = clock
        mapping = ClockMapping(clock: clock)
        self.correctsRollover = correctsRollover
    }

    /// Maps a time.
    ///
    /// - Parameters:
    ///   - inDay: nanoseconds since midnight; negative where unknown.
    ///   - day: days since 1970; where unknown, the day that is nearest to the last dated time, or
    ///     within 12 hours of this host's clock.
    ///   - isFix: whether the receiver vouches for its date.
    mutating func map(
        _ inDay: Int64, day: Int, arrival: SensorInstant, isFix: Bool
    ) -> Outcome {
        guard inDay >= 0 else { return Outcome(time: ReadingTime(arrival, source: .arrival)) }
        var outcome = Outcome(time: ReadingTime(arrival, source: .arrival))
        let utc: Int64
        if day != Sentence.unknownDay {
            let behind = self.behind(day, arrival, &outcome)
            utc = Int64(day) * Self.day + inDay + (correctsRollover ? behind : 0)
            if behind != 0, !correctsRollover { outcome.flags.insert(.untrustedTime) }
        } else if let anchor {
            let passed = anchor.arrival.duration(to: arrival).wholeNanoseconds
            utc = Self.nearest(inDay, to: anchor.utc &+ passed)
        } else if let now = realtime(at: arrival) {
            utc = Self.nearest(inDay, to: now)
            outcome.flags.insert(.untrustedTime)
        } else {
            return outcome
        }
        if isFix, !outcome.flags.contains(.untrustedTime) { anchor = (utc, arrival) }
        map(utc, arrival, &outcome)
        return outcome
    }

    /// The time with that time of day that is nearest to `utc`.
    private static func nearest(_ inDay: Int64, to utc: Int64) -> Int64 {
        let midnight = CivilDate.split(utc)
        let start = utc - midnight.inDay
        let same = start + inDay
        if same - utc > day / 2 { return same - day }
        return utc - same > day / 2 ? same + day : same
    }

    private func realtime(at arrival: SensorInstant) -> Int64? {
        clock.sample(.realtime).map {
            $0.time.nanoseconds - arrival.duration(to: $0.boottime).wholeNanoseconds
        }
    }

    /// How far a date is behind this host's clock, where that is a multiple of 1024 weeks; else 0.
    private mutating func behind(
        _ day: Int, _ arrival: SensorInstant, _ outcome: inout Outcome
    ) -> Int64 {
        if let examined, examined.day == day { return examined.behind }
        var behind: Int64 = 0
        if let now = realtime(at: arrival) {
            let gap = now - Int64(day) * Self.day
            let count = (gap + Self.rollover / 2) / Self.rollover
            if count > 0, (gap - count * Self.rollover).magnitude < UInt64(2 * Self.day) {
                behind = count * Self.rollover
                let date = CivilDate(daysSince1970: day)
                outcome.diagnostic =
                    "the receiver's date, \(date), is \(count * 1024) weeks behind this host's: it "
                    + "counts GPS weeks from an old beginning"
                    + (correctsRollover
                        ? "; corrected" : "; set nmea.week-rollover to correct, if that is so")
            }
        }
        examined = (day, behind)
        return behind
    }

    private mutating func map(
        _ utc: Int64, _ arrival: SensorInstant, _ outcome: inout Outcome
    ) {
        // All that is of one time gets one instant: reading the clocks twice would tell them apart.
        if let newest, newest.utcNanoseconds == utc {
            outcome.time = newest
            return
        }
        switch mapping.map(ClockTime(nanoseconds: utc, domain: .realtime), arrival: arrival) {
        case .mapped(let time): outcome.time = inOrder(time, utc)
        case .arrival(let time, because: let reason):
            outcome.time = time
            if !hasToldOfGap, outcome.diagnostic == nil {
                hasToldOfGap = true
                outcome.diagnostic = reason.description
            }
        }
    }

    /// Lets the jitter of reading two clocks turn no order around.
    private mutating func inOrder(_ time: ReadingTime, _ utc: Int64) -> ReadingTime {
        var time = time
        if let before = newest, let last = before.utcNanoseconds {
            if utc > last { time.instant = max(time.instant, before.instant) }
            // A step back of more than a second is a log that is played again.
            if utc <= last, last - utc <= 1_000_000_000 { return time }
        }
        newest = time
        return time
    }

    /// Forgets what depends on the connection.
    mutating func reset() {
        newest = nil
        hasToldOfGap = false
        examined = nil
    }
}
