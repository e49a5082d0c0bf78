/// Reads what the kernel writes into attributes, without the locale.
package enum AttributeText {
    /// The text without the newline, the zero byte and the spaces around it.
    package static func trimmed(_ text: some StringProtocol) -> Substring {
        var rest = Substring(text)
        func isPadding(_ character: Character) -> Bool {
            character.isWhitespace || character == "\0"
        }
        while let first = rest.first, isPadding(first) { rest.removeFirst() }
        while let last = rest.last, isPadding(last) { rest.removeLast() }
        return rest
    }

    /// The number in an attribute; nil where there is none, or it is not finite.
    ///
    /// Only decimal numbers count, with a point whatever the locale says: `0.009806`, `-1`, `1e-05`.
    package static func number(_ text: some StringProtocol) -> Double? {
        let text = trimmed(text)
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard allowed, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// A number as the kernel reads it back: no exponent, at most six decimals.
    package static func text(_ number: Double) -> String {
        let scaled = (number.magnitude * 1_000_000).rounded()
        guard scaled < 9e18 else { return "0" }
        let micro = UInt64(scaled)
        var text = "\(micro / 1_000_000)"
        var fraction = micro % 1_000_000
        if fraction > 0 {
            var digits = 6
            while fraction % 10 == 0 {
                fraction /= 10
                digits -= 1
            }
            let decimals = "\(fraction)"
            text += "." + String(repeating: "0", count: digits - decimals.utf8.count) + decimals
        }
        return number < 0 && micro > 0 ? "-" + text : text
    }
}
