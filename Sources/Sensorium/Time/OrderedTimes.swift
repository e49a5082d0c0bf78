/// Lets the instants of one kind of reading never go back, however each of them was found.
///
/// A source that tells the time of some readings only has those placed by it, and the others by
/// arrival, which is later: the next time that the source tells may be before that. It is held back
/// then, and its uncertainty says by how much. What the source itself says is older stays so.
package struct OrderedTimes: Sendable {
    /// A source that goes back by more than this, in nanoseconds, was set, or is played again.
    private static let step: Int64 = 1_000_000_000

    private var newest: ReadingTime?

    /// Makes an order that knows no time yet.
    package init() {}

    /// The time to give the next reading, which was found to be of `time`.
    package mutating func next(_ time: ReadingTime) -> ReadingTime {
        guard let newest else {
            self.newest = time
            return time
        }
        if let last = newest.original, let original = time.original, last.domain == original.domain,
            original.nanoseconds < last.nanoseconds
        {
            if last.nanoseconds &- original.nanoseconds > Self.step { self.newest = time }
            return time
        }
        var time = time
        let push = time.instant.duration(to: newest.instant)
        if push > .zero {
            time = ReadingTime(
                newest.instant, original: time.original,
                uncertainty: time.uncertainty.map { $0 + push }, source: time.source)
        }
        self.newest = time
        return time
    }
}
