import Sensorium
public import SensoriumTestKit

extension NMEALineSpy: FaultTarget {
    /// Everything but what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool { !fault.isOfReadings }

    /// Makes `fault` happen.
    ///
    /// - `.stall`: the receiver sends nothing, on this line and the next.
    /// - `.drop`: positions are left out, as a full buffer of a serial driver leaves them out.
    /// - `.notANumber`: the latitude of the next position is `NaN`, in sentences whose checksum is right.
    /// - `.unplug`, `.replug`: the line breaks and cannot be opened, and can again.
    /// - `.restart`: the same for a while.
    /// - `.deny`, `.permit`: the line breaks and may not be opened, and may again.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else { throw SpyError("a receiver cannot suffer this: \(fault)") }
        record(.fault(fault.description))
        switch fault {
        case .stall(let time):
            state.withLock { $0.stalledUntil = clock.now.advanced(by: time) }
        case .drop(let count): state.withLock { $0.toDrop += count }
        case .notANumber: state.withLock { $0.toSpoil += 1 }
        case .clockJump(let time): clock.step(.realtime, by: time)
        case .duplicate, .reorder, .noise: break
        case .unplug:
            state.withLock { $0.isAway = true }
            await hangUp()
        case .replug: state.withLock { $0.isAway = false }
        case .deny:
            state.withLock { $0.isDenied = true }
            await hangUp()
        case .permit: state.withLock { $0.isDenied = false }
        case .restart(let time):
            state.withLock { $0.isAway = true }
            await hangUp()
            clock.spawn("receiver starts again") { [self] in
                await clock.pause(for: time)
                state.withLock { $0.isAway = false }
            }
            await clock.settle()
        }
    }

    private func hangUp() async {
        let channel = state.withLock { $0.channel }
        await channel?.close()
        await clock.settle()
    }
}
