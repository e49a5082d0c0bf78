/// UTC stamps as gpsd writes them: `2018-03-17T18:15:35.000Z`.
enum UTCStamp {
    /// Nanoseconds since 1970; nil where it is no such stamp.
    ///
    /// A leap second (`:60`) is the second after it, as Linux counts. Digits beyond nanoseconds are
    /// left out.
    @inline(__always)
    static func nanoseconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count >= 20, let base = text.baseAddress else { return nil }
        @inline(__always) func two(_ place: Int) -> Int {
            let (tens, ones) = (base[place] &- 0x30, base[place + 1] &- 0x30)
            return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : 1000
        }
        let (century, year) = (two(0), two(2))
        let (month, day, hour, minute, second) = (two(5), two(8), two(11), two(14), two(17))
        guard base[4] == 0x2d, base[7] == 0x2d, base[10] | 0x20 == 0x74, base[13] == 0x3a,
            base[16] == 0x3a, century < 100, year < 100, month >= 1, month <= 12, day >= 1,
            day <= days(in: month, of: century * 100 + year), hour <= 23, minute <= 59,
            second <= 60
        else { return nil }
        var place = 19
        var fraction: Int64 = 0
        if base[place] == 0x2e {
            place += 1
            var weight: Int64 = 100_000_000
            let start = place
            while place < text.count, base[place] &- 0x30 < 10 {
                fraction += Int64(base[place] &- 0x30) * weight
                weight /= 10
                place += 1
            }
            if place == start { return nil }
        }
        guard place == text.count - 1, base[place] | 0x20 == 0x7a else { return nil }
        let days = dayNumber(century * 100 + year, month, day)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        let (scaled, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : scaled + fraction
    }

    @inline(__always)
    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }

    /// Days since 1970-01-01 in the Gregorian calendar.
    ///
    /// March is the first month of the counted year, so that the leap day is its last day.
    @inline(__always)
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let counted = month > 2 ? year : year - 1
        let sinceMarch = month > 2 ? month - 3 : month + 9
        let leapDays = counted / 4 - counted / 100 + counted / 400
        return counted * 365 + leapDays + (sinceMarch * 153 + 2) / 5 + day - 1 - 719_468
    }
}
