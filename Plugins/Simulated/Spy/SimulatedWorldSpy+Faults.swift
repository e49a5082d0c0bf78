import Sensorium
import SensoriumTestKit
import SimulatedPlugin

extension SimulatedWorldSpy: FaultTarget {
    /// Everything but `.restart`, which is a daemon's, and what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { !fault.isOfReadings }
    }

    /// Makes `fault` happen to all sensors of the device.
    ///
    /// - `.stall`: none of them answers.
    /// - `.drop`: the next readings, of whatever sensor, are lost on the way.
    /// - `.notANumber`: the next reading, of whatever sensor, is none.
    /// - `.clockJump`: the virtual clock's UTC is set.
    /// - `.unplug`, `.replug`: all are taken away, and put back.
    /// - `.deny`, `.permit`: none may be opened; sessions that are open go on.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("\(self) is a device, and cannot suffer this: \(fault)")
        }
        let kinds = Simulated.manifest.kinds
        switch fault {
        case .unplug: for kind in kinds { unplug(kind) }
        case .replug: for kind in kinds { plug(kind) }
        case .deny: for kind in kinds { deny(kind) }
        case .permit: for kind in kinds { permit(kind) }
        case .stall(let time):
            change(fault.description) { $0.stalledUntil = clock.now.advanced(by: time) }
        case .drop(let count): change(fault.description) { $0.toDrop += count }
        case .notANumber: change(fault.description) { $0.toSpoil += 1 }
        case .clockJump(let time):
            change(fault.description) { _ in }
            clock.step(.realtime, by: time)
        case .restart, .duplicate, .reorder, .noise: break
        }
    }
}
