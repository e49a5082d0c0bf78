/// Estimates how far another machine's clock is from this host's, by when its readings arrive.
///
/// A reading cannot arrive before it was measured, and the quickest one of the last seconds waited
/// least: the smallest difference between arrival and stamp is the estimate. It follows a slow drift
/// by forgetting what is older than two windows, and starts anew when the other clock is set.
package struct ArrivalOffset: Sendable {
    /// Two differences farther apart than this, in nanoseconds, are not of one clock.
    private static let jump: Int64 = 1_000_000_000
    private static let window: Int64 = 5_000_000_000

    private var least: Int64?
    private var previousLeast: Int64?
    private var windowStart: Int64 = 0
    private var widest: Int64 = 0

    /// Makes an estimate that knows nothing.
    package init() {}

    /// Takes a reading stamped `stamp` that arrived at `arrival`; both in nanoseconds.
    ///
    /// - Returns: what to add to a stamp, and how far the result may be off, in nanoseconds.
    package mutating func take(stamp: Int64, arrival: Int64) -> (offset: Int64, uncertainty: Int64)
    {
        let difference = arrival &- stamp
        if let known = estimate, abs(difference &- known) > Self.jump || arrival < windowStart {
            self = ArrivalOffset()
        }
        if least == nil { windowStart = arrival }
        if arrival &- windowStart > Self.window {
            previousLeast = least
            least = nil
            windowStart = arrival
            widest = 0
        }
        least = min(least ?? difference, difference)
        let offset = estimate ?? difference
        widest = max(widest, difference &- offset)
        return (offset, widest)
    }

    private var estimate: Int64? {
        guard let least else { return previousLeast }
        return min(least, previousLeast ?? least)
    }
}
