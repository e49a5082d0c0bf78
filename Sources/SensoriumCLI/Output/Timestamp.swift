/// A moment of UTC as ISO 8601 writes it: `2026-07-01T12:00:00.25Z`.
struct Timestamp: CustomStringConvertible {
    /// Since 1970, leap seconds left out.
    let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The date, the time, as many digits of the fraction as it has, and `Z`.
    var description: String {
        let (seconds, fraction) = Self.floored(nanoseconds, by: 1_000_000_000)
        let (days, second) = Self.floored(seconds, by: 86_400)
        let (year, month, day) = Self.date(daysSince1970: days)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let time =
            "\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2))"
            + ":\(Self.padded(second % 60, 2))"
        if fraction == 0 { return "\(date)T\(time)Z" }
        var digits = Self.padded(fraction, 9)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(date)T\(time).\(digits)Z"
    }

    /// The date in the Gregorian calendar, which Int64 nanoseconds keep within 1677 to 2262.
    ///
    /// Years are counted from March, so that the leap day is the last of a year, and in eras of 400
    /// years, which all have 146,097 days.
    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(daysSince1970 + 719_468, by: 146_097)
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floored(
        _ value: Int64, by divisor: Int64
    ) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
