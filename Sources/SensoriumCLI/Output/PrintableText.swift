extension String {
    /// The text with what could move a terminal's cursor, or worse, taken out: devices, daemons and
    /// plugins write names and reasons that end up on a screen.
    var printable: String {
        func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        if unicodeScalars.allSatisfy(isHarmless) { return self }
        var text = ""
        for scalar in unicodeScalars {
            text.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{fffd}")
        }
        return text
    }

    /// The same, but with its line ends.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
    }

    /// The text cut or filled with spaces to `width` columns.
    func fitted(to width: Int) -> String {
        let length = count
        if length <= width { return self + String(repeating: " ", count: width - length) }
        return String(prefix(max(0, width)))
    }

    /// The text with spaces before it, to `width` columns.
    func rightAligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }
}

extension Double {
    /// The number with a fixed number of decimals, as people read it.
    func fixed(_ decimals: Int) -> String {
        guard isFinite else { return "?" }
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        let scaled = (magnitude * factor).rounded(.toNearestOrEven)
        guard scaled < 9e15 else { return "\(self)" }
        let digits = String(Int64(scaled))
        let filled =
            String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
        let sign = self < 0 && scaled > 0 ? "-" : ""
        if decimals == 0 { return sign + filled }
        return "\(sign)\(filled.dropLast(decimals)).\(filled.suffix(decimals))"
    }
}

extension UInt64 {
    /// A count of bytes: `12.3 MiB`.
    var sizeText: String {
        switch self {
        case ..<1024: "\(self) bytes"
        case ..<(1 << 20): "\((Double(self) / 1024).fixed(1)) KiB"
        case ..<(1 << 30): "\((Double(self) / 1_048_576).fixed(1)) MiB"
        default: "\((Double(self) / 1_073_741_824).fixed(2)) GiB"
        }
    }
}
