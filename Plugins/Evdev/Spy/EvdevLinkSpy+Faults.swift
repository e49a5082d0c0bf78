import Sensorium
import SensoriumTestKit

extension EvdevLinkSpy: FaultTarget {
    /// All but `.restart`, since input devices have no daemon, and what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { !fault.isOfReadings }
    }

    /// Makes `fault` happen to all devices.
    ///
    /// - `.stall`: they feel nothing, and nothing says so.
    /// - `.drop`: the kernel loses the next frames, and says so once.
    /// - `.notANumber`: the next frame speaks of a slot that is not there, or of an odd state of a key.
    /// - `.clockJump`: UTC is set, where the clock is a `VirtualClock`.
    /// - `.unplug`: they are gone, and the kernel says so.
    /// - `.deny`: nodes cannot be opened any more; what is open stays open.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("evdev cannot suffer this: \(fault)")
        }
        journal.record(.fault(fault.description), by: "evdev", at: clock.now)
        let now = clock.now
        switch fault {
        case .stall(let time): change { $0.stalledUntil = now.advanced(by: time) }
        case .drop(let count): change { $0.toDrop += count }
        case .notANumber: change { $0.toSpoil += 1 }
        case .clockJump(let time): (clock as? VirtualClock)?.step(.realtime, by: time)
        case .unplug:
            let inputs = state.withLock { state in
                let inputs = state.worlds.values.map(\.input)
                state.pulled += inputs
                return inputs
            }
            for input in inputs { unplug(input.node) }
        case .replug:
            let inputs = state.withLock { state in
                defer { state.pulled = [] }
                return state.pulled
            }
            for input in inputs { plug(input) }
        case .deny: setDenied(true)
        case .permit: setDenied(false)
        case .restart, .duplicate, .reorder, .noise: break
        }
    }

    /// Changes the devices that are read; what nobody reads suffers nothing.
    private func change(_ body: (inout InputWorld) -> Void) {
        state.withLock { state in
            for (node, world) in state.worlds where !world.readers.isEmpty {
                var world = world
                body(&world)
                state.worlds[node] = world
            }
        }
    }
}
