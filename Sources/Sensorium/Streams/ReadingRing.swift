/// The bounded queue between a sensor and one consumer.
///
/// Readings lie in a ring that grows to its capacity as it is needed. Status changes and losses
/// lie beside it, each marked with its place among the readings, so that a consumer that wants
/// only readings pays nothing for them.
@usableFromInline
package final class ReadingRing<Element: Sendable>: @unchecked Sendable {
    // `lock` guards every stored variable below it.
    @usableFromInline let lock = Guarded(())
    private let buffering: SamplingRequest.Buffering
    private let capacity: Int
    private let keepsEvents: Bool
    private let tally: LossTally
    private var base: UnsafeMutablePointer<Element>
    private var allocated: Int
    private var head = 0
    private var count = 0
    private var taken: UInt64 = 0
    private var events: [(position: UInt64, event: RingEvent)] = []
    private var ended = false
    private var failure: SensorError?
    private var waiter: UnsafeContinuation<Void, Never>?
    private var moreWaiters: [UnsafeContinuation<Void, Never>] = []

    /// Statuses beyond this many push out the oldest: a flapping source must not fill the memory.
    private static var eventLimit: Int { 256 }

    package init(
        _ buffering: SamplingRequest.Buffering, keepsEvents: Bool, tally: LossTally = LossTally()
    ) {
        self.buffering = buffering
        self.keepsEvents = keepsEvents
        self.tally = tally
        capacity = buffering.capacity
        allocated = min(capacity, 64)
        base = .allocate(capacity: allocated)
    }

    deinit {
        discard(count)
        base.deallocate()
    }

    /// Puts readings in; what does not fit is dropped by policy and counted.
    ///
    /// - Returns: how many are lost.
    @discardableResult
    @usableFromInline
    package func put(_ span: Span<Element>) -> Int {
        span.withUnsafeBufferPointer { source in
            let (wake, dropped) = lock.withLock { _ in
                if ended || source.isEmpty { return (Wake(), 0) }
                let dropped = fill(from: source)
                return (takeWaiters(), dropped)
            }
            wake.resume()
            return dropped
        }
    }

    package func put(one element: Element) {
        withUnsafePointer(to: element) { pointer in
            _ = put(UnsafeBufferPointer(start: pointer, count: 1).span)
        }
    }

    package func put(event: RingEvent) {
        let wake = lock.withLock { _ in
            if ended { return Wake() }
            if case .loss(let loss) = event { tally.add(loss) }
            guard keepsEvents else { return Wake() }
            append(event, at: taken + UInt64(count))
            return takeWaiters()
        }
        wake.resume()
    }

    @usableFromInline
    package func finish(_ error: SensorError?) {
        let wake = lock.withLock { _ in
            if !ended {
                ended = true
                failure = error
            }
            return takeWaiters()
        }
        wake.resume()
    }

    /// Ends the ring and throws away what waits in it, uncounted: nobody wants it any more.
    package func cancel() {
        let wake = lock.withLock { _ in
            ended = true
            failure = nil
            discard(count)
            events = []
            return takeWaiters()
        }
        wake.resume()
    }

    /// What the last reading out was followed by.
    package enum Outcome {
        case some
        case nothingYet
        case end(SensorError?)
    }

    /// Moves up to `limit` readings out, oldest first.
    package func take(into array: inout [Element], limit: Int) -> Outcome {
        lock.withLock { _ in
            if count == 0 { return ended ? .end(failure) : .nothingYet }
            move(min(limit, count), into: &array)
            return .some
        }
    }

    /// Moves one reading out, so that nothing here holds on to it.
    package func takeOne(_ element: inout Element?) -> Outcome {
        lock.withLock { _ in
            if count == 0 { return ended ? .end(failure) : .nothingYet }
            element = (base + head).move()
            advance(1)
            return .some
        }
    }

    /// Moves out what comes next in order: an event, or the readings before the next event.
    package func takeInOrder(
        into array: inout [Element], event: inout RingEvent?, limit: Int
    ) -> Outcome {
        lock.withLock { _ in
            if let first = events.first {
                if first.position <= taken {
                    event = events.removeFirst().event
                    return .some
                }
                move(min(limit, Int(first.position - taken)), into: &array)
                return .some
            }
            if count == 0 { return ended ? .end(failure) : .nothingYet }
            move(min(limit, count), into: &array)
            return .some
        }
    }

    /// Suspends until there is something to take, or the task is cancelled, which ends the ring.
    package func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isReady = lock.withLock { _ in
                    if count > 0 || ended || !events.isEmpty { return true }
                    if waiter == nil {
                        waiter = continuation
                    } else {
                        moreWaiters.append(continuation)
                    }
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    // MARK: Under the lock

    private func fill(from source: UnsafeBufferPointer<Element>) -> Int {
        var source = source
        var dropped = 0
        if count + source.count > allocated, allocated < capacity {
            grow(toHold: count + source.count)
        }
        let over = count + source.count - capacity
        if over > 0 {
            dropped = over
            switch buffering {
            case .newest:
                let oldest = min(over, count)
                discard(oldest)
                taken += UInt64(over - oldest)
                source = UnsafeBufferPointer(rebasing: source.dropFirst(over - oldest))
                note(lost: over, at: taken)
            case .oldest:
                source = UnsafeBufferPointer(rebasing: source.dropLast(over))
            }
        }
        if let from = source.baseAddress, !source.isEmpty {
            var tail = head + count
            if tail >= allocated { tail -= allocated }
            if source.count == 1 {
                // A reading on a stack ends without the padding that copying a run of them reads.
                (base + tail).initialize(to: from.pointee)
            } else {
                let first = min(source.count, allocated - tail)
                (base + tail).initialize(from: from, count: first)
                base.initialize(from: from + first, count: source.count - first)
            }
            count += source.count
        }
        if over > 0, case .oldest = buffering { note(lost: over, at: taken + UInt64(count)) }
        return dropped
    }

    private func note(lost over: Int, at position: UInt64) {
        let missing = ReadingLoss(count: over, reason: .slowConsumer)
        tally.add(missing)
        guard keepsEvents else { return }
        let event = RingEvent.loss(missing)
        if case .newest = buffering {
            // The gap is before the oldest reading left, so the event goes there, once.
            let place = events.firstIndex { $0.position > position } ?? events.endIndex
            if place > 0, case .loss(var loss) = events[place - 1].event,
                loss.reason == .slowConsumer
            {
                loss.count += over
                events[place - 1] = (position, .loss(loss))
            } else {
                events.insert((position, event), at: place)
            }
        } else {
            append(event, at: position)
        }
    }

    private func append(_ event: RingEvent, at position: UInt64) {
        if case .loss(let loss) = event, let last = events.last, last.position == position,
            case .loss(var before) = last.event, before.reason == loss.reason
        {
            before.count += loss.count
            events[events.count - 1].event = .loss(before)
            return
        }
        if events.count >= Self.eventLimit {
            let oldest = events.firstIndex { if case .status = $0.event { true } else { false } }
            events.remove(at: oldest ?? 0)
        }
        events.append((position, event))
    }

    private func grow(toHold wanted: Int) {
        var size = allocated
        while size < wanted, size < capacity { size = min(capacity, size * 2) }
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: size)
        let first = min(count, allocated - head)
        larger.moveInitialize(from: base + head, count: first)
        (larger + first).moveInitialize(from: base, count: count - first)
        base.deallocate()
        base = larger
        allocated = size
        head = 0
    }

    private func move(_ number: Int, into array: inout [Element]) {
        var left = number
        while left > 0 {
            let run = min(left, allocated - head)
            array.append(contentsOf: UnsafeBufferPointer(start: base + head, count: run))
            (base + head).deinitialize(count: run)
            advance(run)
            left -= run
        }
    }

    private func discard(_ number: Int) {
        var left = number
        while left > 0 {
            let run = min(left, allocated - head)
            (base + head).deinitialize(count: run)
            advance(run)
            left -= run
        }
    }

    private func advance(_ number: Int) {
        head += number
        if head >= allocated { head -= allocated }
        count -= number
        taken += UInt64(number)
    }

    private struct Wake {
        var first: UnsafeContinuation<Void, Never>?
        var others: [UnsafeContinuation<Void, Never>] = []

        func resume() {
            first?.resume()
            for other in others { other.resume() }
        }
    }

    private func takeWaiters() -> Wake {
        defer {
            waiter = nil
            if !moreWaiters.isEmpty { moreWaiters = [] }
        }
        return Wake(first: waiter, others: moreWaiters)
    }
}

/// Losses added up over one or several rings.
package final class LossTally: Sendable {
    private let counts = Guarded<[ReadingLoss.Reason: Int]>([:])

    package init() {}

    package func add(_ loss: ReadingLoss) {
        counts.withLock { $0[loss.reason, default: 0] += loss.count }
    }

    package var total: [ReadingLoss.Reason: Int] { counts.withLock { $0 } }
}

/// What a ring holds beside readings.
package enum RingEvent: Sendable {
    case status(SensorStatus)
    case loss(ReadingLoss)
    /// What a join tells beside its pairs.
    case join(JoinEvent)
}

extension ReadingRing: SinkTarget where Element: SensorReading {
    @usableFromInline package typealias Reading = Element
    @usableFromInline package func deliver(_ readings: Span<Element>) { put(readings) }
    @usableFromInline package func deliver(one reading: Element) { put(one: reading) }
    @usableFromInline package func report(_ status: SensorStatus) { put(event: .status(status)) }
    @usableFromInline package func lose(_ loss: ReadingLoss) { put(event: .loss(loss)) }
}
