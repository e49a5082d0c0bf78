import Sensorium

/// What waits to be written: sensors put in, one task takes out.
final class RecorderQueue: Sendable {
    /// What the writing task does next.
    enum Item: Sendable {
        case add(RecordedSensor)
        case event(RecordedEvent)
    }

    /// What the writing task is given.
    struct Batch: Sendable {
        var items: [Item]
        /// Whether what was written is to be handed to the system.
        var mustFlush: Bool
        /// Whether this is the last one.
        var isLast: Bool
    }

    /// How many readings and how many bytes of pictures may wait.
    struct Room: Sendable {
        var readings = 65_536
        var bytes = 64 << 20
    }

    fileprivate struct State {
        var items: [Item] = []
        var bytes = 0
        var accounts: [RecorderProgress.Sensor] = []
        /// Readings of a sensor that found no room, and were not told of in the file yet.
        var overflows: [SensorID: Int] = [:]
        var mustFlush = false
        var isClosed = false
        var byteCount: UInt64 = 0
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Guarded(State())
    private let clock: any SensorClock
    private let room: Room
    private let start: SensorInstant

    init(clock: any SensorClock, room: Room) {
        self.clock = clock
        self.room = room
        start = clock.now
    }

    // MARK: Putting in

    /// Adds a sensor.
    ///
    /// - Returns: false when there is one of that id, or nothing is recorded any more.
    func add(_ sensor: RecordedSensor) -> Bool {
        let (isNew, waiter) = state.withLock { state in
            if state.isClosed || state.accounts.contains(where: { $0.id == sensor.id }) {
                return (false, nil as UnsafeContinuation<Void, Never>?)
            }
            state.accounts.append(RecorderProgress.Sensor(id: sensor.id))
            state.items.append(.add(sensor))
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isNew
    }

    /// Puts readings in; those that find no room are counted as lost.
    func put<Reading: RecordableReading>(_ readings: Span<Reading>, of place: Int) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            if state.isClosed || state.accounts[place].hasEnded { return nil }
            let now = clock.now
            let id = state.accounts[place].id
            for index in readings.indices {
                let recorded = readings[index].recorded
                let size = recorded.pictureSize
                if state.items.count >= room.readings || state.bytes + size > room.bytes {
                    state.accounts[place].lost += 1
                    state.overflows[id, default: 0] += 1
                    continue
                }
                state.tellOverflow(of: id, at: now)
                state.items.append(
                    .event(RecordedEvent(sensor: id, instant: now, content: .reading(recorded))))
                state.bytes += size
                state.accounts[place].readings += 1
                state.accounts[place].newest = now
            }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Puts in what is no reading.
    func put(_ content: RecordedEvent.Content, of place: Int) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            if state.isClosed || state.accounts[place].hasEnded { return nil }
            let id = state.accounts[place].id
            switch content {
            case .status(let status): state.accounts[place].status = status
            case .lost(let loss): state.accounts[place].lost += loss.count
            case .ended(let error):
                state.accounts[place].hasEnded = true
                state.accounts[place].error = error
            case .reading, .opened, .gap: break
            }
            let now = clock.now
            // A sensor that says the same for ever must not take all memory while the disk is slow.
            if state.items.count >= 2 * room.readings, case .status = content { return nil }
            state.tellOverflow(of: id, at: now)
            state.items.append(
                .event(RecordedEvent(sensor: id, instant: now, content: content)))
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Where the sensor of that id is in `progress`.
    func place(of id: SensorID) -> Int? {
        state.withLock { $0.accounts.firstIndex { $0.id == id } }
    }

    /// Asks for a flush after what waits now.
    func requestFlush() {
        state.withLock { state in
            state.mustFlush = true
            return state.waiter.take()
        }?.resume()
    }

    /// Takes nothing more.
    func close() {
        state.withLock { state in
            if !state.isClosed {
                state.isClosed = true
                let now = clock.now
                for account in state.accounts { state.tellOverflow(of: account.id, at: now) }
            }
            return state.waiter.take()
        }?.resume()
    }

    // MARK: Taking out; for one task

    /// Waits for something to do.
    func next() async -> Batch {
        while true {
            let batch = state.withLock { state -> Batch? in
                if state.items.isEmpty && !state.mustFlush && !state.isClosed { return nil }
                defer {
                    state.items = []
                    state.bytes = 0
                    state.mustFlush = false
                }
                return Batch(
                    items: state.items, mustFlush: state.mustFlush, isLast: state.isClosed)
            }
            if let batch { return batch }
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isDue = state.withLock { state -> Bool in
                    if !state.items.isEmpty || state.mustFlush || state.isClosed { return true }
                    state.waiter = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        }
    }

    /// Says how many bytes the file has.
    func report(byteCount: UInt64) { state.withLock { $0.byteCount = byteCount } }

    // MARK: Looking

    /// Whether every sensor that was added has ended; false before the first.
    var haveAllEnded: Bool {
        state.withLock { state in
            !state.accounts.isEmpty && state.accounts.allSatisfy(\.hasEnded)
        }
    }

    var progress: RecorderProgress {
        state.withLock { state in
            RecorderProgress(
                elapsed: start.duration(to: clock.now), byteCount: state.byteCount,
                sensors: state.accounts)
        }
    }
}

extension RecorderQueue.State {
    /// Puts in how many readings of a sensor found no room before this place.
    fileprivate mutating func tellOverflow(of id: SensorID, at now: SensorInstant) {
        if overflows.isEmpty { return }
        guard let count = overflows.removeValue(forKey: id) else { return }
        let loss = ReadingLoss(count: count, reason: .slowConsumer)
        items.append(.event(RecordedEvent(sensor: id, instant: now, content: .lost(loss))))
    }
}

extension RecordedReading {
    /// How many bytes of a picture it holds.
    fileprivate var pictureSize: Int {
        if case .camera(let frame) = self { frame.storage.bytes.count } else { 0 }
    }
}
