/// Numbers as a line of bars, the lowest and the highest of them filling the height.
enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let ascii = Array("_.-=+*#@")

    /// The last `width` numbers, the newest to the right.
    static func text(_ values: some Collection<Double>, width: Int, isUnicode: Bool) -> String {
        let shown = values.suffix(max(0, width))
        let known = shown.filter(\.isFinite)
        guard let lowest = known.min(), let highest = known.max() else { return "" }
        let bars = isUnicode ? blocks : ascii
        let range = highest - lowest
        return String(
            shown.map { value in
                guard value.isFinite else { return " " }
                // A steady value is a line at half height, not at the bottom.
                if range <= 0 || !range.isFinite { return bars[bars.count / 2 - 1] }
                let height = (value - lowest) / range * Double(bars.count)
                return bars[min(bars.count - 1, Int(height))]
            })
    }
}
