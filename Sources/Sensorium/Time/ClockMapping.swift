/// Turns the time that a source gives into a `ReadingTime` on boot time, where that is plausible.
///
/// A time is mapped when it is of a clock of this host's own kernel, or UTC within `tolerance` of
/// this host's `CLOCK_REALTIME`. Anything else (a recorded log that is played back, a machine
/// without a clock battery, another machine's clock) gets its time of arrival instead, keeps its
/// original, and is reported once through `onImplausible`.
///
/// The offset between the clocks is read anew for each mapping of UTC or TAI, since those can be
/// set; the offset of `CLOCK_MONOTONIC` changes with a suspend, so it is read anew too.
public struct ClockMapping: Sendable {
    /// Why a time was not mapped.
    public enum Implausibility: Sendable, Hashable, CustomStringConvertible {
        /// UTC that differs from this host's by `gap`; positive when the source is ahead.
        case utcGap(gap: Duration, tolerance: Duration)
        /// A time ahead of its own clock by `gap`.
        case future(domain: ClockDomain, gap: Duration)
        /// A time before its clock's beginning.
        case negative(domain: ClockDomain)
        /// A clock that this host cannot read.
        case foreign(ClockDomain)

        /// A sentence fit for a log.
        public var description: String {
            switch self {
            case .utcGap(let gap, let tolerance):
                "the source's UTC is \(Duration.nanoseconds(Int64(clamping: gap.wholeNanoseconds.magnitude)).secondsText(3)) s "
                    + "\(gap < .zero ? "behind" : "ahead of") this host's clock (more than "
                    + "\(tolerance.secondsText(3)) s), so readings are stamped on arrival; set this host's "
                    + "clock, or expect this of a recording that is played back"
            case .future(let domain, let gap):
                "the source's time is \(gap.secondsText(3)) s ahead of this host's \(domain) clock, so "
                    + "readings are stamped on arrival; was a boot offset added to a time that had it?"
            case .negative(let domain):
                "the source's time is before the start of this host's \(domain) clock, so readings are "
                    + "stamped on arrival"
            case .foreign(let domain):
                "this host cannot read the source's clock (\(domain)), so readings are stamped on "
                    + "arrival"
            }
        }
    }

    /// How far a source's UTC may be from this host's, either way.
    public var tolerance: Duration
    /// How far a time of a kernel clock may be ahead of that clock: reads race with stamps.
    public var lead: Duration
    private let clock: any SensorClock

    /// Makes a mapping on `clock`.
    public init(
        clock: any SensorClock, tolerance: Duration = .seconds(2), lead: Duration = .seconds(2)
    ) {
        self.clock = clock
        self.tolerance = tolerance
        self.lead = lead
    }

    /// What became of one time.
    public enum Outcome: Sendable, Hashable {
        /// It was mapped; the uncertainty is that of reading the two clocks.
        case mapped(ReadingTime)
        /// It is not plausible: the time of arrival stands in, the original is kept.
        case arrival(ReadingTime, because: Implausibility)

        /// The time to give the reading.
        public var time: ReadingTime {
            switch self {
            case .mapped(let time), .arrival(let time, because: _): time
            }
        }
    }

    /// Maps `original`, received at `arrival`.
    ///
    /// - Parameters:
    ///   - original: the source's time.
    ///   - arrival: when it was received; now, where the caller does not know better.
    ///   - uncertainty: what the source adds to the uncertainty of the clocks.
    public func map(
        _ original: ClockTime, arrival: SensorInstant? = nil, uncertainty: Duration = .zero
    ) -> Outcome {
        let arrival = arrival ?? clock.now
        func onArrival(_ reason: Implausibility) -> Outcome {
            .arrival(
                ReadingTime(arrival, original: original, uncertainty: nil, source: .arrival),
                because: reason)
        }
        guard original.domain != .foreign, let sample = clock.sample(original.domain) else {
            return onArrival(.foreign(original.domain))
        }
        if original.nanoseconds <= 0 { return onArrival(.negative(domain: original.domain)) }
        let ahead = SensorInstant(nanoseconds: sample.time.nanoseconds)
            .duration(to: SensorInstant(nanoseconds: original.nanoseconds))
        switch original.domain {
        case .realtime, .tai:
            // Compared with the clock at arrival: a reading may wait before it is mapped.
            let gap = ahead + arrival.duration(to: sample.boottime)
            if gap > tolerance || gap < .zero - tolerance {
                return onArrival(.utcGap(gap: gap, tolerance: tolerance))
            }
        case .boottime, .monotonic:
            if ahead > lead { return onArrival(.future(domain: original.domain, gap: ahead)) }
        case .foreign:
            break
        }
        return .mapped(
            ReadingTime(
                sample.boottime.advanced(by: ahead), original: original,
                uncertainty: sample.uncertainty + uncertainty, source: .device))
    }
}
