/// Decimal numbers, exactly rounded and without the locale.
enum DecimalNumber {
    /// The powers of ten that a `Double` holds exactly.
    private static let powers: InlineArray<23, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Reads a number at `at`, which stands on `-` or a digit, and moves behind it.
    @inline(__always)
    static func scan(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(JSONFault) -> Double {
        let start = at
        var place = at
        let isNegative = place.pointee == 0x2d
        if isNegative { place += 1 }
        var mantissa: UInt64 = 0
        var exponent = 0
        let whole = place
        while place < end, case let digit = place.pointee &- 0x30, digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            place += 1
        }
        var digits = place - whole
        guard digits > 0 else { throw place == end ? .truncated : .syntax }
        if place < end, place.pointee == 0x2e {
            place += 1
            let fraction = place
            while place < end, case let digit = place.pointee &- 0x30, digit <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                place += 1
            }
            exponent = fraction - place
            guard exponent < 0 else { throw place == end ? .truncated : .syntax }
            digits -= exponent
        }
        if place < end, place.pointee | 0x20 == 0x65 { exponent += try scanExponent(&place, end) }
        at = place
        // A mantissa below 2^53 and a power of ten up to 22 are both exact, so that one
        // multiplication rounds once. Source: Clinger, "How to Read Floating Point Numbers
        // Accurately", 1990.
        if digits <= 18, mantissa < 1 << 53, exponent >= -22, exponent <= 22 {
            let value = Double(mantissa)
            let magnitude =
                exponent < 0
                ? value / powers[-exponent] : exponent == 0 ? value : value * powers[exponent]
            return isNegative ? -magnitude : magnitude
        }
        return try slow(UnsafeBufferPointer(start: start, count: place - start))
    }

    /// Steps over a number without computing it.
    @inline(__always)
    static func skip(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(JSONFault) {
        if at.pointee == 0x2d { at += 1 }
        try skipDigits(&at, end)
        if at < end, at.pointee == 0x2e {
            at += 1
            try skipDigits(&at, end)
        }
        if at < end, at.pointee | 0x20 == 0x65 { _ = try scanExponent(&at, end) }
    }

    @inline(__always)
    private static func skipDigits(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(JSONFault) {
        let start = at
        while at < end, at.pointee &- 0x30 <= 9 { at += 1 }
        if at == start { throw at == end ? .truncated : .syntax }
    }

    private static func scanExponent(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(JSONFault) -> Int {
        at += 1
        var isNegative = false
        if at < end, at.pointee == 0x2b || at.pointee == 0x2d {
            isNegative = at.pointee == 0x2d
            at += 1
        }
        let start = at
        var value = 0
        while at < end, at.pointee &- 0x30 <= 9 {
            value = min(value * 10 + Int(at.pointee &- 0x30), 100_000)
            at += 1
        }
        guard at > start else { throw at == end ? .truncated : .syntax }
        return isNegative ? -value : value
    }

    /// The standard library rounds right, too, and does not look at the locale.
    private static func slow(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> Double {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
            throw .syntax
        }
        return value
    }
}
