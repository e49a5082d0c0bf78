import Sensorium
import SensoriumTestKit

extension V4L2LinkSpy: FaultTarget {
    /// All but `.restart`, since cameras have no daemon, and what happens to readings on their way.
    public func canSuffer(_ fault: Fault) -> Bool {
        if case .restart = fault { false } else { !fault.isOfReadings }
    }

    /// Makes `fault` happen to all cameras.
    ///
    /// - `.stall`: they take nothing, and nothing says so.
    /// - `.drop`: the next frames are lost in the driver, which counts on.
    /// - `.notANumber`: the next frame is cut after its first byte.
    /// - `.clockJump`: UTC is set, where the clock is a `VirtualClock`.
    /// - `.unplug`: they are gone, and the kernel says so.
    /// - `.deny`: nodes cannot be opened any more; what is open stays open.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else {
            throw SpyError("v4l2 cannot suffer this: \(fault)")
        }
        journal.record(.fault(fault.description), by: "v4l2", at: clock.now)
        switch fault {
        case .stall(let time):
            let nodes = present
            for node in nodes { stall(node) }
            let clock = clock
            clock.spawn("end a fault") { [weak self] in
                guard await clock.pause(for: time), let self else { return }
                for node in nodes { self.resume(node) }
            }
        case .drop(let count): change { $0.toDrop += count }
        case .notANumber: change { $0.toCut += 1 }
        case .clockJump(let time): (clock as? VirtualClock)?.step(.realtime, by: time)
        case .unplug:
            for node in present {
                state.withLock { state in
                    if let camera = state.cameras[node]?.camera { state.pulled.append(camera) }
                }
                unplug(node)
            }
        case .replug:
            let cameras = state.withLock { state in
                defer { state.pulled = [] }
                return state.pulled
            }
            for camera in cameras { plug(camera) }
        case .deny: setDenied(true)
        case .permit: setDenied(false)
        case .restart, .duplicate, .reorder, .noise: break
        }
    }

    private var present: [String] {
        state.withLock { state in
            state.cameras.filter { $0.value.absence == nil }.keys.sorted()
        }
    }

    /// Changes the cameras that stream; who streams nothing loses nothing.
    private func change(_ body: (inout CameraState) -> Void) {
        state.withLock { state in
            for node in state.cameras.keys where state.cameras[node]?.isStreaming ?? false {
                if var camera = state.cameras[node] {
                    body(&camera)
                    state.cameras[node] = camera
                }
            }
        }
    }
}
