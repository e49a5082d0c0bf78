import Sensorium
import SensoriumTestKit

extension IIOLinkSpy: FaultTarget {
    /// Everything but what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool { !fault.isOfReadings }

    /// Makes `fault` happen to all devices.
    ///
    /// - `.stall`: they measure nothing, and nothing says so.
    /// - `.drop`: the next refills are torn, each of which loses the scans in it.
    /// - `.notANumber`: the next polled attribute is `nan`.
    /// - `.clockJump`: UTC, and with it stamps of CLOCK_REALTIME, is set.
    /// - `.unplug`: they are gone; a running capture hears nothing more.
    /// - `.deny`: captures and attributes fail with EACCES.
    /// - `.restart`: connections break and are refused for a while.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else { throw SpyError("iio cannot suffer this: \(fault)") }
        journal.record(.fault(fault.description), by: "iio", at: clock.now)
        switch fault {
        case .stall(let time):
            let devices = state.withLock { $0.order }
            for device in devices { stall(device) }
            later(time) { spy in for device in devices { spy.resume(device) } }
        case .drop(let count):
            state.withLock { state in
                // Who captures nothing loses nothing.
                if !state.buffers.isEmpty { state.torn += count }
            }
        case .notANumber: state.withLock { $0.spoiled += 1 }
        case .clockJump(let time): clock.step(.realtime, by: time)
        case .duplicate, .reorder, .noise: break
        case .unplug:
            let devices = state.withLock { state in
                state.pulled += state.order
                return state.order
            }
            for device in devices { unplug(device) }
        case .replug:
            let devices = state.withLock { state in
                defer { state.pulled = [] }
                return state.pulled.compactMap { state.devices[$0] }
            }
            for device in devices { plug(device) }
        case .deny:
            state.withLock { $0.isDenied = true }
            wake()
        case .permit: state.withLock { $0.isDenied = false }
        case .restart(let time):
            state.withLock { $0.isAway = true }
            wake()
            later(time) { spy in spy.state.withLock { $0.isAway = false } }
        }
    }

    private func later(_ time: Duration, _ act: @escaping @Sendable (IIOLinkSpy) -> Void) {
        let clock = clock
        clock.spawn("end a fault") { [weak self] in
            if await clock.pause(for: time), let self { act(self) }
        }
    }
}
