import Sensorium

/// How often intervals of each length came, in a fixed amount of memory.
///
/// Lengths are kept in classes an eighth of a power of two wide.
struct IntervalHistogram {
    private var counts = [Int](repeating: 0, count: 512)
    private var sums = [Double](repeating: 0, count: 512)
    /// How many intervals were added.
    private(set) var count = 0
    /// The longest; zero where there was none.
    private(set) var longest = Duration.zero

    /// Adds an interval; one that is not above zero is none.
    mutating func add(_ interval: Duration) {
        let nanoseconds = interval.wholeNanoseconds
        if nanoseconds <= 0 { return }
        let index = Self.index(of: nanoseconds)
        counts[index] += 1
        sums[index] += Double(nanoseconds)
        count += 1
        longest = max(longest, interval)
    }

    /// The median, in nanoseconds; nil where there is too little to tell.
    var typical: Double? {
        if count < 2 { return nil }
        var seen = 0
        for (index, count) in counts.enumerated() where count > 0 {
            seen += count
            if seen * 2 >= self.count { return sums[index] / Double(count) }
        }
        return nil
    }

    /// How many intervals are longer than three typical ones.
    var gapCount: Int {
        guard let typical else { return 0 }
        let limit = min(typical * 3, 9e18)
        return counts[(Self.index(of: Int64(limit)) + 1)...].reduce(0, +)
    }

    private static func index(of nanoseconds: Int64) -> Int {
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let rest = exponent >= 3 ? nanoseconds >> (exponent - 3) : nanoseconds << (3 - exponent)
        return exponent * 8 + Int(rest & 7)
    }
}
