/// A day of the Gregorian calendar.
package struct CivilDate: Sendable, Hashable, CustomStringConvertible {
    /// With all of its digits.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Nanoseconds of a day.
    package static let dayLength: Int64 = 86_400_000_000_000

    /// Makes a date; nil where the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that begins `count` days after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last of a year, and in eras of 400
    /// years, which all have 146,097 days.
    package init(daysSince1970 count: Int) {
        let (era, dayOfEra) = Self.floored(count + 719_468, by: 146_097)
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// The days from 1970-01-01 to it.
    package var daysSince1970: Int {
        let counted = month > 2 ? year : year - 1
        let sinceMarch = month > 2 ? month - 3 : month + 9
        let (era, yearOfEra) = Self.floored(counted, by: 400)
        let leapDays = yearOfEra / 4 - yearOfEra / 100
        let dayOfEra = yearOfEra * 365 + leapDays + (sinceMarch * 153 + 2) / 5 + day - 1
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of a moment of UTC, and the nanoseconds since its midnight.
    ///
    /// - Parameter nanoseconds: since 1970.
    package static func split(_ nanoseconds: Int64) -> (date: CivilDate, inDay: Int64) {
        let (days, inDay) = floored(nanoseconds, by: dayLength)
        return (CivilDate(daysSince1970: Int(days)), inDay)
    }

    /// `2026-07-01`.
    package var description: String {
        "\(Timestamp.padded(year, 4))-\(Timestamp.padded(month, 2))-\(Timestamp.padded(day, 2))"
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    private static func floored<Value: SignedInteger>(
        _ value: Value, by divisor: Value
    ) -> (quotient: Value, rest: Value) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
