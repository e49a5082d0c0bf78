import EvdevPlugin
import Sensorium
import SensoriumTestKit

/// An open node of an `EvdevLinkSpy`.
final class SpyInput: EvdevDevice {
    let clockDomain: ClockDomain
    private let spy: EvdevLinkSpy
    private let path: String
    private let handle: Int
    private let signal: SpySignal
    private let isInterrupted = Guarded(false)
    private let isClosed = Guarded(false)

    init(
        _ spy: EvdevLinkSpy, _ path: String, _ handle: Int, _ signal: SpySignal,
        _ domain: ClockDomain
    ) {
        self.spy = spy
        self.path = path
        self.handle = handle
        self.signal = signal
        clockDomain = domain
    }

    /// Runs `body` on the device that was opened; throws ENODEV where it is gone.
    private func withWorld<Result: Sendable>(
        _ what: @autoclosure () -> String,
        _ body: (inout InputWorld, inout InputWorld.Reader) -> Result
    ) throws(EvdevFault) -> Result {
        let (path, handle) = (path, handle)
        let result = spy.state.withLock { state -> Result? in
            // In place, since a copy would make each change copy the queues.
            state.worlds[path]?.with(handle, body)
        }
        guard let result else { throw EvdevFault(errno: 19, doing: what()) }
        return result
    }

    func capabilities() async throws(EvdevFault) -> InputCapabilities {
        try await spy.check(.capabilities, "asking \(path) what it can do")
        return try withWorld("asking \(path) what it can do") { world, _ in
            world.input.capabilities
        }
    }

    func state() async throws(EvdevFault) -> InputState {
        spy.note("state \(path)")
        try await spy.check(.state, "asking \(path) for its state")
        return try withWorld("asking \(path) for its state") { world, _ in world.state }
    }

    func wait() async throws(EvdevFault) -> EvdevSignal {
        while true {
            let wasInterrupted = isInterrupted.withLock { flag in
                defer { flag = false }
                return flag
            }
            if wasInterrupted { return .interrupted }
            let now = spy.clock.now
            let (path, handle) = (path, handle)
            let (isReady, due) = spy.state.withLock { state -> (Bool, SensorInstant?) in
                guard state.worlds[path]?.readers[handle] != nil else { return (true, nil) }
                state.worlds[path]?.produce(at: now)
                guard let world = state.worlds[path], let reader = world.readers[handle] else {
                    return (true, nil)
                }
                return (reader.hasLost || !reader.queue.isEmpty, world.nextDue)
            }
            if isReady { return .ready }
            await signal.wait(until: due, on: spy.clock)
        }
    }

    func read(into events: inout [InputEvent]) async throws(EvdevFault) {
        try await spy.check(.read, "reading \(path)")
        let now = spy.clock.now
        let (offset, isRealtime) = offset(at: now)
        let first = events.count
        events += try withWorld("reading \(path)") { _, reader in
            defer {
                reader.queue.removeAll(keepingCapacity: true)
                reader.hasLost = false
            }
            guard reader.hasLost else { return reader.queue }
            return [InputCode.dropped, InputCode.report].map {
                InputEvent(InputCode.sync, $0, 0, stamp: now.nanoseconds)
            }
        }
        if isRealtime {
            for place in first..<events.count { events[place].stamp &+= offset }
        }
    }

    /// How far the stamps' clock is ahead of boot time.
    private func offset(at now: SensorInstant) -> (Int64, Bool) {
        guard clockDomain != .boottime, let sample = spy.clock.sample(clockDomain) else {
            return (0, false)
        }
        return (sample.time.nanoseconds - sample.boottime.nanoseconds, true)
    }

    func interrupt() {
        isInterrupted.withLock { $0 = true }
        signal.wake()
    }

    func close() async {
        let wasClosed = isClosed.withLock { flag in
            defer { flag = true }
            return flag
        }
        if wasClosed { return }
        spy.note("close \(path)")
        spy.state.withLock { state in
            state.openCount -= 1
            state.worlds[path]?.readers[handle] = nil
        }
    }
}

extension InputWorld {
    /// Runs `body` on the device and one of its readers; nil where it has no such reader.
    fileprivate mutating func with<Result>(
        _ handle: Int, _ body: (inout InputWorld, inout Reader) -> Result
    ) -> Result? {
        guard var reader = readers.removeValue(forKey: handle) else { return nil }
        defer { readers[handle] = reader }
        return body(&self, &reader)
    }
}
