import Sensorium

extension SensorSpy: FaultTarget {
    /// Everything but `.restart`, which is a daemon's.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { true }
    }

    /// Makes `fault` happen to the readings that the test delivers from now on.
    ///
    /// - `.stall`: they are withheld, and the app hears nothing.
    /// - `.drop`: they are counted as lost, with the reason `.injected`.
    /// - `.notANumber`: the reading is counted as lost, with the reason `.implausible`: a sensor
    ///   never hands out what is not a number.
    /// - `.duplicate`, `.reorder`, `.noise`: they come twice, in reverse order, with noise.
    /// - `.clockJump`: the virtual clock's UTC is set.
    /// - `.unplug`: open streams end with `.disconnected`; opening gives `.unavailable`.
    /// - `.deny`: open streams end with `.denied`.
    ///
    /// - Throws: `SpyError` for `.restart`.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("\(id) stands for a sensor, and \(fault) happens to a daemon")
        }
        record(.fault(fault.description))
        switch fault {
        case .stall(let time):
            state.withLock { $0.ailments.stalledUntil = virtualClock.now.advanced(by: time) }
        case .drop(let count): state.withLock { $0.ailments.toDrop += count }
        case .notANumber: state.withLock { $0.ailments.toSpoil += 1 }
        case .duplicate(let count): state.withLock { $0.ailments.toDouble += count }
        case .reorder(let count): state.withLock { $0.ailments.reverse(count) }
        case .noise(let deviation): state.withLock { $0.ailments.noise = deviation }
        case .clockJump(let time): virtualClock.step(.realtime, by: time)
        case .unplug:
            state.withLock { $0.ailments.isUnplugged = true }
            await end(by: .disconnected(id, reason: "it was pulled out", hint: "plug it in again"))
        case .replug: state.withLock { $0.ailments.isUnplugged = false }
        case .deny:
            authorization(.denied)
            await end(by: .denied(id, reason: "the right was taken away", hint: "ask for it again"))
        case .permit: authorization(.authorized)
        case .restart: break
        }
    }

    /// What is left of `readings` after the faults.
    func afflict(_ readings: [Reading]) -> Affliction<Reading>.Outcome {
        state.withLock { $0.ailments.suffer(readings, at: virtualClock.now) }
    }
}
