import Sensorium

extension RecordedSensorSpy: FaultTarget {
    /// Everything but `.restart`, which is a daemon's.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { true }
    }

    /// Makes `fault` happen to the readings that come from now on, as a `SensorSpy` does.
    ///
    /// The recording goes on meanwhile: what a stall or an unplugged sensor keeps back is gone.
    ///
    /// - Throws: `SpyError` for `.restart`.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("\(id) stands for a sensor, and \(fault) happens to a daemon")
        }
        record(.fault(fault.description))
        let now = virtualClock.now
        switch fault {
        case .stall(let time):
            state.withLock { $0.affliction.stalledUntil = now.advanced(by: time) }
        case .drop(let count): state.withLock { $0.affliction.toDrop += count }
        case .notANumber: state.withLock { $0.affliction.toSpoil += 1 }
        case .duplicate(let count): state.withLock { $0.affliction.toDouble += count }
        case .reorder(let count): state.withLock { $0.affliction.reverse(count) }
        case .noise(let deviation): state.withLock { $0.affliction.noise = deviation }
        case .clockJump(let time): virtualClock.step(.realtime, by: time)
        case .unplug:
            state.withLock { $0.affliction.isUnplugged = true }
            end(by: .disconnected(id, reason: "it was pulled out", hint: "plug it in again"))
        case .replug: state.withLock { $0.affliction.isUnplugged = false }
        case .deny:
            state.withLock { $0.authorization = .denied }
            end(by: .denied(id, reason: "the right was taken away", hint: "ask for it again"))
        case .permit: state.withLock { $0.authorization = .authorized }
        case .restart: break
        }
        await virtualClock.settle()
    }

    private func end(by error: SensorError) {
        let sinks = state.withLock { state in
            defer { state.sinks = [:] }
            return state.sinks.sorted { $0.key < $1.key }.map(\.value)
        }
        if sinks.isEmpty { return }
        record(.finished(error))
        for sink in sinks { sink.finish(error) }
    }
}

extension RecordingSpy: FaultTarget {
    /// Everything but `.restart`, which is a daemon's.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { true }
    }

    /// Makes `fault` happen to all of its sensors; UTC is set once.
    ///
    /// For one sensor, let `sensor(of:)` suffer.
    ///
    /// - Throws: `SpyError` for `.restart`.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("\(player.name) is a recording, and \(fault) happens to a daemon")
        }
        if case .clockJump(let time) = fault {
            journal.record(.fault(fault.description), by: player.name, at: clock.now)
            return clock.step(.realtime, by: time)
        }
        for spy in spies.values.sorted(by: { $0.id < $1.id }) { try await spy.suffer(fault) }
    }
}
