import Sensorium

/// What fields hold.
///
/// An empty one is unknown, never 0: NaN, or one of the values below.
extension Sentence {
    /// Stands for a time of day, a number or a day that was not given.
    static var unknown: Int64 { -1 }
    /// Stands for a day that was not given.
    static var unknownDay: Int { .min }

    private static let powers: InlineArray<16, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// A decimal number; NaN where the field is empty.
    @inline(__always)
    func number(_ number: Int) throws(FieldFault) -> Double {
        let bytes = field(number)
        if bytes.isEmpty { return .nan }
        var place = 0
        let isNegative = bytes[0] == 0x2d
        if isNegative || bytes[0] == 0x2b { place = 1 }
        var mantissa: Int64 = 0
        var point = -1
        let first = place
        while place < bytes.count {
            let digit = bytes[place] &- 0x30
            if digit <= 9 {
                mantissa = mantissa &* 10 &+ Int64(digit)
            } else if bytes[place] == 0x2e, point < 0 {
                point = place
            } else {
                throw .malformed
            }
            place += 1
        }
        let digits = place - first - (point < 0 ? 0 : 1)
        // Fifteen digits are exact, and more than any instrument has.
        guard digits > 0, digits <= 15 else { throw .malformed }
        var value = Double(mantissa)
        // Most are whole; and the decimals are no more than the digits.
        if point >= 0 { value /= Self.powers[unchecked: place - point - 1] }
        return isNegative ? -value : value
    }

    /// A number without sign and fraction; -1 where the field is empty.
    @inline(__always)
    func count(_ number: Int) throws(FieldFault) -> Int {
        let bytes = field(number)
        if bytes.isEmpty { return Int(Self.unknown) }
        guard bytes.count <= 6 else { throw .malformed }
        var value = 0
        for byte in bytes {
            let digit = byte &- 0x30
            guard digit <= 9 else { throw .malformed }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }

    /// Nanoseconds since midnight of `hhmmss` or `hhmmss.sss`; -1 where the field is empty.
    ///
    /// Second 60 is legal: it lies behind the last nanosecond of the day at midnight.
    @inline(__always)
    func timeOfDay(_ number: Int) throws(FieldFault) -> Int64 {
        let bytes = field(number)
        if bytes.isEmpty { return Self.unknown }
        guard bytes.count >= 6 else { throw .malformed }
        let (hour, minute, second) = try (
            Self.pair(bytes, 0), Self.pair(bytes, 2), Self.pair(bytes, 4)
        )
        guard hour <= 23, minute <= 59, second <= 60 else { throw .malformed }
        var nanoseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000_000
        if bytes.count == 6 { return nanoseconds }
        guard bytes[6] == 0x2e else { throw .malformed }
        var weight: Int64 = 100_000_000
        for place in 7..<bytes.count {
            let digit = bytes[place] &- 0x30
            guard digit <= 9 else { throw .malformed }
            nanoseconds += Int64(digit) * weight
            weight /= 10
        }
        return nanoseconds
    }

    /// Days since 1970 of `ddmmyy`; unknown where the field is empty, or no day of the calendar.
    ///
    /// Years from 80 on are of the last century: GPS began in 1980.
    @inline(__always)
    func day(_ number: Int) throws(FieldFault) -> Int {
        let bytes = field(number)
        if bytes.isEmpty { return Self.unknownDay }
        guard bytes.count == 6 else { throw .malformed }
        let (day, month, year) = try (
            Self.pair(bytes, 0), Self.pair(bytes, 2), Self.pair(bytes, 4)
        )
        return CivilDate(year: year + (year >= 80 ? 1900 : 2000), month: month, day: day)?
            .daysSince1970 ?? Self.unknownDay
    }

    @inline(__always)
    private static func pair(
        _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int
    ) throws(FieldFault) -> Int {
        let (tens, ones) = (bytes[place] &- 0x30, bytes[place + 1] &- 0x30)
        guard tens <= 9, ones <= 9 else { throw .malformed }
        return Int(tens) * 10 + Int(ones)
    }

    /// Degrees of `dddmm.mmmm` and of the hemisphere in the field behind it; NaN where both are empty.
    ///
    /// The two digits left of the point are minutes, and what is left of those are degrees, however
    /// many digits that are.
    ///
    /// - Throws: `.implausible` for minutes of 60 and more, and for degrees beyond `limit`.
    @inline(__always)
    func degrees(
        _ number: Int, limit: Double, positive: UInt8, negative: UInt8
    ) throws(FieldFault) -> Double {
        let bytes = field(number)
        let hemisphere = try letter(number + 1)
        if bytes.isEmpty {
            if hemisphere != 0, hemisphere != positive, hemisphere != negative { throw .malformed }
            return .nan
        }
        guard hemisphere == positive || hemisphere == negative else { throw .malformed }
        var place = 0
        var whole = 0
        while place < bytes.count, bytes[place] != 0x2e {
            let digit = bytes[place] &- 0x30
            guard digit <= 9, place < 6 else { throw .malformed }
            whole = whole &* 10 &+ Int(digit)
            place += 1
        }
        guard place > 0 else { throw .malformed }
        guard whole % 100 < 60 else { throw .implausible }
        // In units of the last digit, so that one division rounds once.
        var units = whole / 100 * 60 + whole % 100
        var scale = 60
        if place < bytes.count {
            place += 1
            let last = min(bytes.count, place + 10)
            while place < last {
                let digit = bytes[place] &- 0x30
                guard digit <= 9 else { throw .malformed }
                units = units &* 10 &+ Int(digit)
                scale = scale &* 10
                place += 1
            }
            while place < bytes.count {
                guard bytes[place] &- 0x30 <= 9 else { throw .malformed }
                place += 1
            }
        }
        let value = Double(units) / Double(scale)
        guard value <= limit else { throw .implausible }
        return hemisphere == negative ? 0 - value : value
    }

    /// Metres of a number and its unit in the field behind it; NaN where it is empty, or not in metres.
    @inline(__always)
    func metres(_ number: Int) throws(FieldFault) -> Double {
        let value = try self.number(number)
        let unit = try letter(number + 1)
        return unit == 0x4d || unit == 0 ? value : .nan
    }

    /// A direction; NaN where the field is empty.
    ///
    /// - Throws: `.malformed` outside 0 to 360.
    @inline(__always)
    func direction(_ number: Int) throws(FieldFault) -> Double {
        let value = try self.number(number)
        if value < 0 || value > 360 { throw .malformed }
        return value
    }

    /// A number with its direction in the field behind it: positive to the east.
    func eastward(_ number: Int) throws(FieldFault) -> Double {
        let value = try self.number(number)
        switch try letter(number + 1) {
        case 0x57: return 0 - value
        case 0x45: return value
        case 0: return value.isNaN ? .nan : value
        default: throw .malformed
        }
    }
}
