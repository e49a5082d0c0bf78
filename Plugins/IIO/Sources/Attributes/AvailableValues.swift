/// What an `*_available` attribute offers: some values, or a range with a step.
package enum AvailableValues: Hashable, Sendable {
    /// Just these, ascending, each with the text that the driver wrote.
    case list([Offer])
    /// Anything from `minimum` in steps up to `maximum`.
    case range(minimum: Double, step: Double, maximum: Double)

    /// One value, in the driver's own spelling.
    package struct Offer: Hashable, Sendable {
        /// The value.
        package var value: Double
        /// The text to write.
        package var text: String
    }

    /// Reads `12.5 26 52` or `[0.5 0.5 100]`; nil where nothing in it is a number.
    package init?(_ text: String) {
        let text = AttributeText.trimmed(text)
        if text.hasPrefix("["), text.hasSuffix("]") {
            let parts = text.dropFirst().dropLast().split(whereSeparator: \.isWhitespace)
                .map { AttributeText.number($0) }
            guard parts.count == 3, let minimum = parts[0], let step = parts[1],
                let maximum = parts[2], minimum <= maximum, step >= 0
            else { return nil }
            self = .range(minimum: minimum, step: step, maximum: maximum)
            return
        }
        let offers = text.split(whereSeparator: \.isWhitespace).compactMap { word in
            AttributeText.number(word).map { Offer(value: $0, text: String(word)) }
        }
        guard !offers.isEmpty else { return nil }
        self = .list(offers.sorted { $0.value < $1.value })
    }

    /// The lowest positive value that is at least `wanted`, or else the highest one; nil for none.
    ///
    /// A value a thousandth below counts as equal: drivers round what they print.
    package func lowest(atLeast wanted: Double) -> Offer? {
        let enough = wanted * 0.999
        switch self {
        case .list(let offers):
            let positive = offers.filter { $0.value > 0 }
            return positive.first { $0.value >= enough } ?? positive.last
        case .range(let minimum, let step, let maximum):
            guard maximum > 0 else { return nil }
            var value = min(max(wanted, minimum), maximum)
            if step > 0 {
                let steps = ((value - minimum) / step - 0.001).rounded(.up)
                value = min(minimum + max(0, steps) * step, maximum)
                if value <= 0 { value = min(step, maximum) }
            }
            // A rate that would be written as 0 switches the device off.
            let text = AttributeText.text(value)
            return value > 0 && text != "0" ? Offer(value: value, text: text) : nil
        }
    }
}
