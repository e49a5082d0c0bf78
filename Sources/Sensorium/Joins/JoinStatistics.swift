/// What became of every reading of a join: `received` is always the sum of `paired`, `waiting` and
/// all the reasons.
public struct JoinStatistics: Sendable, Hashable {
    /// Makes counts of nothing.
    @inlinable public init() {}

    /// Pairs so far.
    public var pairs = 0
    /// Pairs that a slow consumer lost.
    public var pairsDropped = 0
    /// The first sensor's readings.
    public var first = Side()
    /// The second sensor's readings.
    public var second = Side()

    /// The readings of one side.
    public struct Side: Sendable, Hashable {
        /// Readings that came.
        public var received = 0
        /// Readings that are in a pair, or in several.
        public var paired = 0
        /// Readings that may still be paired.
        public var waiting = 0
        @usableFromInline var counts = [Int](repeating: 0, count: 7)

        /// Makes counts of nothing.
        @inlinable public init() {}

        /// How many readings were left out for `reason`.
        @inlinable
        public internal(set) subscript(reason: Reason) -> Int {
            get { counts[Int(reason.rawValue)] }
            @usableFromInline
            set { counts[Int(reason.rawValue)] = newValue }
        }

        /// Readings with a good time that found no partner.
        public var unmatched: Int {
            self[.noPartner] + self[.gapTooWide] + self[.timeStepped] + self[.otherSideEnded]
        }

        /// Readings that came after a newer one of their own sensor.
        public var late: Int { self[.outOfOrder] }

        /// Readings that were thrown away unseen.
        public var dropped: Int { self[.noTime] + self[.noRoom] }

        /// All reasons with their counts, those that occurred.
        public var reasons: [(reason: Reason, count: Int)] {
            Reason.allCases.map { ($0, self[$0]) }.filter { $0.count > 0 }
        }
    }

    /// Why a reading is in no pair.
    public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        /// Nothing of the other side was near enough in time.
        case noPartner = 0
        /// The readings around it were too far apart to interpolate, or nothing lay before it.
        case gapTooWide = 1
        /// Its sensor's time, or the other's, stepped back while it waited.
        case timeStepped = 2
        /// The other side ended first.
        case otherSideEnded = 3
        /// It is older than the reading of its own sensor that came before it.
        case outOfOrder = 4
        /// It has no time.
        case noTime = 5
        /// Too many readings waited for the other side.
        case noRoom = 6
    }
}

/// One of the two sensors of a join.
public enum JoinSide: Sendable, Hashable {
    /// The sensor that drives the join: at most one pair for each of its readings.
    case first
    /// The sensor that is looked up.
    case second
}

/// Why a join gave no pair for a while.
public struct JoinDiagnosis: Sendable, Hashable, CustomStringConvertible {
    /// How long there was none.
    public var silence: Duration
    /// Why.
    public var cause: Cause
    /// The counts so far.
    public var statistics: JoinStatistics
    var names: [String]

    /// Why there is no pair.
    public enum Cause: Sendable, Hashable {
        /// One side, or both, gave nothing in this time; with its last status, where it told one.
        case silent([JoinSide], SensorStatus?)
        /// Both give readings, but their times are apart by `gap` (second minus first).
        case apart(gap: Duration, limit: Duration)
        /// The readings have no usable time.
        case noTimes(JoinSide)
        /// The times overlap, but no two are near enough.
        case nothingNear(limit: Duration)
    }

    /// A sentence fit for a log.
    public var description: String {
        "no pair for \(silence.secondsText(1)) s: \(why)"
    }

    private func name(_ side: JoinSide) -> String { names[side == .first ? 0 : 1] }

    private var why: String {
        switch cause {
        case .silent(let sides, let status):
            let who = sides.map(name).joined(separator: " and ")
            return "\(who) gave nothing" + (status.map { " (\($0))" } ?? "")
        case .apart(let gap, let limit):
            let size = Duration.nanoseconds(Int64(clamping: gap.wholeNanoseconds.magnitude))
            return
                "\(name(.second)) is \(size.secondsText(3)) s \(gap < .zero ? "behind" : "ahead of") "
                + "\(name(.first)) in time, and \(limit.secondsText(3)) s is allowed; do both stamp by "
                + "the same clock?"
        case .noTimes(let side):
            return "the readings of \(name(side)) have no time"
        case .nothingNear(let limit):
            return "no reading of \(name(.second)) was within \(limit.secondsText(3)) s of one of "
                + "\(name(.first)); allow more, or ask for higher rates"
        }
    }
}

/// What a join tells beside its pairs.
package enum JoinEvent: Sendable {
    case status(JoinSide, SensorStatus)
    case lost(JoinSide, ReadingLoss)
    case diagnosis(JoinDiagnosis)
}
