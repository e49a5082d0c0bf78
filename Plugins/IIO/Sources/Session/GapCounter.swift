import Sensorium

/// Counts the scans that are missing between the stamps of a device that measures regularly.
///
/// A kernel buffer that was full leaves a gap of whole periods. It is told from other pauses: the device
/// must have measured regularly before, at about the rate that it says; the gap must be a whole number
/// of periods, and short, since a machine that slept measured nothing. What is not clear is not counted.
package struct GapCounter: Sendable {
    /// How many regular intervals must come before a gap is believed.
    private static let enough = 32
    /// After so many regular intervals the period is measured anew, since it drifts.
    private static let window = 1024
    /// The longest gap that is counted, in nanoseconds.
    private static let longest = 10e9
    /// How many periods a gap may have and still be known to a quarter of one.
    private static let exact = 64.0

    /// The period of the device, in nanoseconds.
    private var typical: Double
    private var regular = 0
    private var last: Int64?
    /// Where the present run of regular intervals began, and how many there are since.
    private var anchor: Int64 = 0
    private var count = 0

    /// Makes a counter for a device of that rate, in hertz; nil where gaps tell nothing: the rate is not
    /// known, or the stamps are of a clock that somebody may set.
    package init?(rate: Double?, domain: ClockDomain?) {
        guard let rate, rate >= 0.1, rate <= 1e6, domain == .boottime || domain == .monotonic else {
            return nil
        }
        typical = 1e9 / rate
    }

    /// Takes the stamps of the next scans, in nanoseconds, oldest first.
    ///
    /// - Returns: how many scans are missing before and between them.
    package mutating func missing(before stamps: UnsafeBufferPointer<Int64>) -> Int {
        var missing = 0
        for stamp in stamps {
            if let last { missing += self.missing(from: last, to: stamp) }
            last = stamp
        }
        return missing
    }

    private mutating func missing(from last: Int64, to stamp: Int64) -> Int {
        let interval = Double(stamp &- last)
        if abs(interval - typical) <= typical / 4 {
            learn(interval, last, stamp)
            return 0
        }
        count = 0
        let periods = interval / typical
        let whole = periods.rounded()
        let isClear =
            regular == Self.enough && interval <= Self.longest && whole >= 2
            && (whole > Self.exact || abs(periods - whole) <= 0.25)
        guard isClear else {
            regular = 0
            return 0
        }
        return Int(whole) - 1
    }

    /// Devices run some per cent beside the rate that they say, and their stamps jitter: the period is
    /// what many intervals took together.
    private mutating func learn(_ interval: Double, _ last: Int64, _ stamp: Int64) {
        if count == 0 { anchor = last }
        count += 1
        regular = min(regular + 1, Self.enough)
        if count < Self.enough {
            if regular < Self.enough { typical += (interval - typical) / 16 }
            return
        }
        typical = Double(stamp &- anchor) / Double(count)
        if count == Self.window { count = 0 }
    }
}
