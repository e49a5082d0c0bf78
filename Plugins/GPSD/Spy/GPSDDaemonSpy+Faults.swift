import Sensorium
public import SensoriumTestKit

extension GPSDDaemonSpy: FaultTarget {
    /// Everything but what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool { !fault.isOfReadings }

    /// Makes `fault` happen.
    ///
    /// - `.stall`: gpsd sends nothing, on this connection and the next.
    /// - `.drop`: TPV lines are left out, as a full socket buffer of gpsd's leaves them out.
    /// - `.notANumber`: the latitude of the next TPV is `NaN`, which no JSON is.
    /// - `.unplug`, `.replug`: gpsd says that the receiver `/dev/spy` is gone, and that it is back.
    /// - `.restart`: the connection breaks, and nobody listens for a while.
    /// - `.deny`, `.permit`: connections are refused, and accepted again.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else { throw SpyError("gpsd cannot suffer this: \(fault)") }
        record(.fault(fault.description))
        switch fault {
        case .stall(let time):
            state.withLock { $0.stalledUntil = clock.now.advanced(by: time) }
        case .drop(let count): state.withLock { $0.toDrop += count }
        case .notANumber: state.withLock { $0.toSpoil += 1 }
        case .clockJump(let time): clock.step(.realtime, by: time)
        case .duplicate, .reorder, .noise: break
        case .unplug:
            state.withLock { $0.isUnplugged = true }
            await say(.line(#"{"class":"DEVICE","path":"/dev/spy","activated":0}"#))
        case .replug:
            state.withLock { $0.isUnplugged = false }
            await say(
                .line(
                    #"{"class":"DEVICE","path":"/dev/spy","activated":"2026-01-01T00:00:00.000Z"}"#)
            )
        case .deny:
            state.withLock { $0.isDenied = true }
            await hangUp()
        case .permit: state.withLock { $0.isDenied = false }
        case .restart(let time):
            state.withLock { $0.isStopped = true }
            await hangUp()
            clock.spawn("gpsd starts again") { [self] in
                await clock.pause(for: time)
                state.withLock { $0.isStopped = false }
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
