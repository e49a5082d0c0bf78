import Sensorium

/// Puts the stamps of scans on boot time.
///
/// The stamps of this host's kernel are mapped by reading both clocks, once a refill, where
/// that is plausible. Any other stamps (another machine's, a recording's) keep their spacing, but are
/// placed by arrival and marked so. Scans without stamps are placed by arrival and rate.
package struct ScanClock: Sendable {
    /// The clock of the stamps; nil where the scans have none.
    package let domain: ClockDomain?
    private let isLocal: Bool
    private let coarse: Duration
    private let clock: any SensorClock
    private let mapping: ClockMapping
    private let period: Int64?
    private var arrivals = ArrivalOffset()
    private var lastArrival: Int64?
    private var lastInstant = Int64.min
    private var lastStamp: Int64?
    /// Why stamps were not believed; nil as long as they are.
    package private(set) var implausibility: ClockMapping.Implausibility?

    /// Makes a mapping of stamps.
    ///
    /// - Parameters:
    ///   - name: the value of `current_timestamp_clock`; nil where the scans have no stamps.
    ///   - isLocal: whether the stamps are of this host's kernel.
    ///   - rate: scans a second, if known.
    ///   - clock: this host's clock.
    package init(_ name: String?, isLocal: Bool, rate: Double?, clock: any SensorClock) {
        self.isLocal = isLocal
        self.clock = clock
        mapping = ClockMapping(clock: clock)
        period = rate.flatMap { $0 > 0 ? Int64(min(1e9 / $0, 9e15)) : nil }
        let isCoarse = name?.hasSuffix("_coarse") ?? false
        // The coarse clocks go on with the kernel's tick, 250 Hz and more.
        coarse = isCoarse ? .milliseconds(4) : .zero
        switch name {
        case nil: domain = nil
        case "boottime": domain = .boottime
        case "monotonic", "monotonic_coarse": domain = .monotonic
        case "realtime", "realtime_coarse": domain = .realtime
        case "tai": domain = .tai
        default: domain = .foreign
        }
    }

    /// The times of scans that arrived together, oldest first, the newest at `arrival`.
    ///
    /// - Parameter stamps: the device's stamps; overwritten where it gave none.
    package mutating func times(
        of stamps: UnsafeMutableBufferPointer<Int64>, arrival: SensorInstant
    ) -> ScanStamps {
        defer { lastArrival = arrival.nanoseconds }
        guard let domain, let newest = stamps.last else { return madeUp(stamps, arrival) }
        if isLocal {
            let outcome = mapping.map(
                ClockTime(nanoseconds: newest, domain: domain), arrival: arrival,
                uncertainty: coarse)
            switch outcome {
            case .mapped(let time):
                return ScanStamps(
                    stamps: UnsafeBufferPointer(stamps),
                    offset: time.instant.nanoseconds &- newest, domain: domain, isDevices: true,
                    uncertainty: time.rawUncertainty, source: .device)
            case .arrival(_, because: let reason):
                implausibility = implausibility ?? reason
            }
        }
        // A device that does not count gives every scan the same stamp, often 0.
        let isFrozen = newest == (stamps.count > 1 ? stamps.first : lastStamp) || newest <= 0
        lastStamp = newest
        if isFrozen { return madeUp(stamps, arrival) }
        let (offset, width) = arrivals.take(stamp: newest, arrival: arrival.nanoseconds)
        // A quicker arrival makes the estimate smaller; time must not step back for it.
        let first = (stamps.first ?? newest) &+ offset
        let push = lastInstant == .min ? 0 : max(0, lastInstant &- first)
        lastInstant = newest &+ offset &+ push
        return ScanStamps(
            stamps: UnsafeBufferPointer(stamps), offset: offset &+ push,
            domain: isLocal || domain == .realtime ? domain : .foreign, isDevices: true,
            uncertainty: Float(max(width &+ push, 1_000_000)) * 1e-9, source: .arrival)
    }

    private mutating func madeUp(
        _ stamps: UnsafeMutableBufferPointer<Int64>, _ arrival: SensorInstant
    ) -> ScanStamps {
        let count = Int64(stamps.count)
        let since = lastArrival.map { max(0, arrival.nanoseconds &- $0) / max(count, 1) }
        var step = period ?? since ?? 0
        // Not before the scans of the last refill, however late that one was.
        if let since { step = min(step, since) }
        for position in stamps.indices {
            stamps[position] = arrival.nanoseconds &- (count - 1 - Int64(position)) &* step
        }
        return ScanStamps(
            stamps: UnsafeBufferPointer(stamps), offset: 0, domain: .boottime, isDevices: false,
            uncertainty: period.map { Float($0) * 1e-9 } ?? .nan, source: .arrival)
    }
}
