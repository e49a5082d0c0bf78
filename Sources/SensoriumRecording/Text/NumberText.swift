/// Numbers as text files write them: the same digits on every machine, whatever its language.
enum NumberText {
    /// A number as the shortest digits that mean it, without an exponent: `0.0000001`.
    static func decimal(_ value: Double) -> String {
        let text = "\(value)"
        guard let exponentAt = text.firstIndex(where: { $0 == "e" || $0 == "E" }),
            let exponent = Int(text[text.index(after: exponentAt)...])
        else { return text }
        let mantissa = text[..<exponentAt].filter { $0 != "-" }
        let parts = mantissa.split(separator: ".", maxSplits: 1)
        var digits = parts.joined()
        let whole = (parts.first?.count ?? 0) + exponent
        if whole <= 0 {
            digits = "0." + String(repeating: "0", count: -whole) + digits
        } else if whole >= digits.count {
            digits += String(repeating: "0", count: whole - digits.count)
        } else {
            digits.insert(".", at: digits.index(digits.startIndex, offsetBy: whole))
        }
        return (value < 0 ? "-" : "") + digits
    }

    /// The finite number that a text means in decimal; nil where it means none.
    static func finite(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(isOfNumber) else {
            return nil
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// A decimal number times a power of ten, exactly, cut towards zero; nil where it is no number of
    /// plain digits, or does not fit.
    ///
    /// Seconds as nanoseconds: `scaled("1.25", 9)` is 1,250,000,000.
    static func scaled(_ text: some Sequence<UInt8>, _ power: Int) -> Int64? {
        var isNegative = false
        var value: Int64 = 0
        var (digits, decimals, isFraction) = (0, 0, false)
        for (place, byte) in text.enumerated() {
            switch byte {
            case 0x2d where place == 0: isNegative = true
            case 0x2b where place == 0: break
            case 0x2e where !isFraction: isFraction = true
            case 0x30...0x39:
                digits += 1
                if isFraction {
                    if decimals == power { continue }
                    decimals += 1
                }
                guard let next = appending(Int64(byte) - 0x30, to: value) else { return nil }
                value = next
            default: return nil
            }
        }
        if digits == 0 { return nil }
        while decimals < power {
            guard let next = appending(0, to: value) else { return nil }
            value = next
            decimals += 1
        }
        return isNegative ? -value : value
    }

    private static func appending(_ digit: Int64, to value: Int64) -> Int64? {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflows) = product.addingReportingOverflow(digit)
        return overflow || overflows ? nil : sum
    }

    /// Digits, signs, points and exponents: what `Double` also takes, hexadecimal, is no number here.
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2b, 0x2d, 0x2e, 0x45, 0x65: true
        default: false
        }
    }
}
