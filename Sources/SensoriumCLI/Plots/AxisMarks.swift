import Glibc

/// Round numbers along an axis.
struct AxisMarks {
    /// The distance between two: 1, 2 or 5 times a power of ten.
    let step: Double
    /// The numbers, from the least.
    let values: [Double]

    /// The round numbers from `low` to `high`, about `count` of them.
    init(from low: Double, to high: Double, about count: Int) {
        let span = high - low
        guard span > 0, span.isFinite, count > 0 else {
            step = 1
            values = [low]
            return
        }
        step = Self.round(span / Double(count))
        var values: [Double] = []
        var index = (low / step).rounded(.up)
        while index * step <= high + step * 1e-9, values.count < 100 {
            values.append(index * step)
            index += 1
        }
        self.values = values
    }

    /// The number that is 1, 2 or 5 times a power of ten and not below `value`.
    static func round(_ value: Double) -> Double {
        let power = pow(10, floor(log10(value)))
        let digit = value / power
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10)
    }

    /// A number as a label, with as many decimals as the step needs.
    func label(_ value: Double) -> String {
        let decimals = max(0, Int(ceil(-log10(step) - 1e-9)))
        let text = value.fixed(min(decimals, 9))
        return text.hasPrefix("-") && !text.contains { "123456789".contains($0) }
            ? String(text.dropFirst()) : text
    }
}
