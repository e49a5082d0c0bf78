/// Pairs readings by their times.
///
/// Knows nothing of tasks or clocks, so that it can be tested bare.
///
/// Each side's readings come in the order of time; an older one than the last is left out as late,
/// unless time stepped back by more than `stepLimit`, which starts that side anew.
@usableFromInline
struct JoinMatcher<First: SensorReading, Second: SensorReading> {
    @usableFromInline
    struct Held {
        @usableFromInline var reading: Second
        @usableFromInline var isUsed = false

        @inlinable init(reading: Second) { self.reading = reading }
    }

    @usableFromInline let policy: JoinPolicy<Second>
    @usableFromInline let capacity: Int
    @usableFromInline var pending = Deque<First>()
    @usableFromInline var history = Deque<Held>()
    @usableFromInline var newestFirst: Int64?
    @usableFromInline var newestSecond: Int64?
    @usableFromInline var counts = JoinStatistics()

    /// A step back of time that is more than disorder, in nanoseconds.
    @inlinable static var stepLimit: Int64 { 1_000_000_000 }

    @inlinable
    init(_ policy: JoinPolicy<Second>, capacity: Int) {
        self.policy = policy
        self.capacity = max(2, capacity)
    }

    @usableFromInline var statistics: JoinStatistics {
        var now = counts
        now.first.waiting = pending.count
        now.second.waiting = history.countWhere { !$0.isUsed }
        return now
    }

    @inlinable var hasPending: Bool { pending.count > 0 }

    // MARK: Feeding

    @inlinable
    mutating func add(first reading: First, _ emit: (Joined<First, Second>) -> Void) {
        counts.first.received += 1
        let time = reading.instant.nanoseconds
        guard reading.time.isKnown else { return counts.first[.noTime] += 1 }
        if let newest = newestFirst, time < newest {
            if newest - time <= Self.stepLimit { return counts.first[.outOfOrder] += 1 }
            abandonPending(.timeStepped)
        }
        newestFirst = time
        if case .latest = policy.rule {
            matchLatest(reading, emit)
        } else {
            if pending.count == capacity {
                pending.removeFirst()
                counts.first[.noRoom] += 1
            }
            pending.append(reading)
            resolve(emit)
        }
        trimHistory()
    }

    @inlinable
    mutating func add(second reading: Second, _ emit: (Joined<First, Second>) -> Void) {
        counts.second.received += 1
        let time = reading.instant.nanoseconds
        guard reading.time.isKnown else { return counts.second[.noTime] += 1 }
        if let newest = newestSecond, time < newest {
            if newest - time <= Self.stepLimit { return counts.second[.outOfOrder] += 1 }
            // What waits for this side's future would wait for ever.
            abandonPending(.timeStepped)
            while history.count > 0 { drop(.timeStepped) }
        }
        newestSecond = time
        if history.count == capacity { drop(.noRoom) }
        history.append(Held(reading: reading))
        resolve(emit)
        trimHistory()
    }

    /// Settles what waits: nothing more comes from the second side.
    @inlinable
    mutating func endSecond(_ emit: (Joined<First, Second>) -> Void) {
        while let reading = pending.first {
            pending.removeFirst()
            if case .nearest = policy.rule {
                matchNearest(reading, unmatched: .otherSideEnded, emit)
            } else {
                counts.first[.otherSideEnded] += 1
            }
        }
    }

    // MARK: Matching

    @inlinable
    mutating func resolve(_ emit: (Joined<First, Second>) -> Void) {
        guard let newestSecond else { return }
        while let reading = pending.first, reading.instant.nanoseconds <= newestSecond {
            pending.removeFirst()
            switch policy.rule {
            case .nearest: matchNearest(reading, unmatched: .noPartner, emit)
            case .interpolated(let between): interpolate(reading, between, emit)
            case .latest: break
            }
        }
    }

    @inlinable
    mutating func matchLatest(_ reading: First, _ emit: (Joined<First, Second>) -> Void) {
        let time = reading.instant.nanoseconds
        let after = history.partition { $0.reading.instant.nanoseconds > time }
        guard after > 0, time - history[after - 1].reading.instant.nanoseconds <= policy.limit
        else { return counts.first[.noPartner] += 1 }
        pair(reading, after - 1, emit)
    }

    @inlinable
    mutating func matchNearest(
        _ reading: First, unmatched reason: JoinStatistics.Reason,
        _ emit: (Joined<First, Second>) -> Void
    ) {
        let time = reading.instant.nanoseconds
        let after = history.partition { $0.reading.instant.nanoseconds >= time }
        var best: (place: Int, distance: Int64)?
        if after > 0 {
            // Of equal times the one that arrived first.
            let before = history[after - 1].reading.instant.nanoseconds
            let place = history.partition { $0.reading.instant.nanoseconds >= before }
            best = (place, time - before)
        }
        if after < history.count {
            let distance = history[after].reading.instant.nanoseconds - time
            if best.map({ distance < $0.distance }) ?? true { best = (after, distance) }
        }
        guard let best, best.distance <= policy.limit else { return counts.first[reason] += 1 }
        pair(reading, best.place, emit)
    }

    @inlinable
    mutating func interpolate(
        _ reading: First, _ between: (Second, Second, Double) -> Second?,
        _ emit: (Joined<First, Second>) -> Void
    ) {
        let time = reading.instant.nanoseconds
        let after = history.partition { $0.reading.instant.nanoseconds >= time }
        guard after < history.count else { return counts.first[.gapTooWide] += 1 }
        let later = history[after].reading
        if later.instant.nanoseconds == time { return pair(reading, after, emit) }
        guard after > 0 else { return counts.first[.gapTooWide] += 1 }
        let earlier = history[after - 1].reading
        let gap = later.instant.nanoseconds - earlier.instant.nanoseconds
        let passed = time - earlier.instant.nanoseconds
        guard gap <= policy.limit,
            var second = between(earlier, later, Double(passed) / Double(gap))
        else { return counts.first[.gapTooWide] += 1 }
        second.flags.insert(.interpolated)
        second.time = ReadingTime(
            reading.instant,
            uncertainty: max(earlier.time.uncertainty ?? .zero, later.time.uncertainty ?? .zero),
            source: later.time.source)
        use(after - 1)
        use(after)
        let skew = passed <= gap - passed ? -passed : gap - passed
        counts.first.paired += 1
        counts.pairs += 1
        emit(Joined(first: reading, second: second, skew: .nanoseconds(skew)))
    }

    @inlinable
    mutating func pair(
        _ reading: First, _ place: Int, _ emit: (Joined<First, Second>) -> Void
    ) {
        let second = history[place].reading
        use(place)
        counts.first.paired += 1
        counts.pairs += 1
        let skew = second.instant.nanoseconds - reading.instant.nanoseconds
        emit(Joined(first: reading, second: second, skew: .nanoseconds(skew)))
    }

    @inlinable
    mutating func use(_ place: Int) {
        if history[place].isUsed { return }
        history[place].isUsed = true
        counts.second.paired += 1
    }

    // MARK: Forgetting

    @inlinable
    mutating func abandonPending(_ reason: JoinStatistics.Reason) {
        counts.first[reason] += pending.count
        pending.removeAll()
    }

    /// Drops second readings that no later first reading can want: they only come at, or after,
    /// the newest.
    @inlinable
    mutating func trimHistory() {
        guard let newestFirst else { return }
        let oldest = pending.first.map { min($0.instant.nanoseconds, newestFirst) } ?? newestFirst
        while history.count > 1, let held = history.first,
            held.reading.instant.nanoseconds < oldest - policy.limit
        {
            drop(.noPartner)
        }
    }

    @inlinable
    mutating func drop(_ reason: JoinStatistics.Reason) {
        guard let held = history.first else { return }
        if !held.isUsed { counts.second[reason] += 1 }
        history.removeFirst()
    }
}

/// A queue that gives up its front cheaply.
@usableFromInline
struct Deque<Element> {
    @usableFromInline var elements: [Element] = []
    @usableFromInline var head = 0

    @inlinable init() {}

    @inlinable var count: Int { elements.count - head }

    @inlinable var first: Element? { head < elements.count ? elements[head] : nil }

    @inlinable
    subscript(place: Int) -> Element {
        get { elements[head + place] }
        set { elements[head + place] = newValue }
    }

    @inlinable
    mutating func append(_ element: Element) { elements.append(element) }

    @inlinable
    mutating func removeFirst() {
        head += 1
        // Moves what is left once at least as much was removed, so that the cost is constant.
        if head >= 32, head * 2 >= elements.count {
            elements.removeSubrange(0..<head)
            head = 0
        }
    }

    @inlinable
    mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        head = 0
    }

    /// The first place from which on `isAfter` is true, for a queue in that order.
    @inlinable
    func partition(_ isAfter: (Element) -> Bool) -> Int {
        var low = head
        var high = elements.count
        while low < high {
            let middle = low + (high - low) / 2
            if isAfter(elements[middle]) { high = middle } else { low = middle + 1 }
        }
        return low - head
    }

    @inlinable
    func countWhere(_ matches: (Element) -> Bool) -> Int {
        elements[head...].reduce(0) { $0 + (matches($1) ? 1 : 0) }
    }
}
