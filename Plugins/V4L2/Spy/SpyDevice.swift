import Sensorium
import SensoriumTestKit
import V4L2Plugin

/// An open node of a `V4L2LinkSpy`.
final class SpyDevice: V4L2Device {
    private let spy: V4L2LinkSpy
    private let path: String
    private let handle: Int
    /// The camera that was opened: another one may have its node by now.
    private let signal: SpySignal?
    private let isInterrupted = Guarded(false)
    private let isClosed = Guarded(false)

    init(_ spy: V4L2LinkSpy, _ path: String, _ handle: Int) {
        self.spy = spy
        self.path = path
        self.handle = handle
        signal = spy.state.withLock { $0.cameras[path]?.signal }
    }

    /// Runs `body` on the camera; throws ENODEV where it is gone.
    private func withCamera<Result: Sendable>(
        _ what: @autoclosure () -> String, _ body: (inout CameraState) throws(V4L2Fault) -> Result
    ) throws(V4L2Fault) -> Result {
        let (path, signal) = (path, signal)
        return try spy.state.withLock { (state) throws(V4L2Fault) -> Result in
            // In place, since a copy would make each change copy the lists of buffers.
            let result = try state.cameras[path]?.change { (camera) throws(V4L2Fault) -> Result? in
                guard camera.signal === signal, camera.absence == nil || camera.absence == .silent
                else { return nil }
                return try body(&camera)
            }
            guard let result else { throw V4L2Fault(errno: 19, doing: what()) }
            return result
        }
    }

    // MARK: What it can do

    func capability() async throws(V4L2Fault) -> V4L2Capability {
        try await spy.check(.capability, "asking \(path) what it is")
        return try withCamera("asking \(path) what it is") { state in
            V4L2Capability(
                driver: "scripted", card: state.camera.name, bus: state.camera.place,
                abilities: .init(rawValue: state.camera.abilities.rawValue))
        }
    }

    func format(at index: Int) async throws(V4L2Fault) -> PixelFormat? {
        try withCamera("listing the formats of \(path)") { state in
            let names = state.camera.formats
            return names.indices.contains(index) ? names[index] : nil
        }
    }

    func size(of pixels: PixelFormat, at index: Int) async throws(V4L2Fault) -> V4L2SizeRange? {
        try withCamera("listing the sizes of \(path)") { state in
            let sizes = state.camera.modes.filter { $0.pixels == pixels }.flatMap(\.sizes)
            guard sizes.indices.contains(index) else { return nil }
            let (width, height) = sizes[index]
            return V4L2SizeRange(width: (width, width), height: (height, height))
        }
    }

    func interval(
        of pixels: PixelFormat, width: Int, height: Int, at index: Int
    ) async throws(V4L2Fault) -> V4L2IntervalRange? {
        try withCamera("listing the rates of \(path)") { state in
            let rates = state.camera.rates(of: pixels, width, height)
            return rates.indices.contains(index) ? .one(V4L2Interval(rate: rates[index])) : nil
        }
    }

    // MARK: Format and rate

    func setFormat(_ wish: V4L2Format) async throws(V4L2Fault) -> V4L2Format {
        spy.note("S_FMT \(wish.pixels) \(wish.width)x\(wish.height)")
        try await spy.check(.setFormat, "asking \(path) for \(wish.pixels)")
        return try withCamera("asking \(path) for \(wish.pixels)") { (state) throws(V4L2Fault) in
            if state.occupant != nil || state.owner != nil {
                throw V4L2Fault(errno: 16, doing: "asking \(path) for \(wish.pixels)")
            }
            state.format = state.camera.settled(wish)
            return state.format
        }
    }

    func format() async throws(V4L2Fault) -> V4L2Format {
        try withCamera("asking \(path) for its format") { state in
            if state.hasBuffers, let answer = state.camera.lies.afterBuffers {
                return answer.asFormat
            }
            return state.format
        }
    }

    func setInterval(_ interval: V4L2Interval) async throws(V4L2Fault) {
        spy.note("S_PARM \(interval.numerator)/\(interval.denominator)")
        try await spy.check(.setInterval, "setting the rate of \(path)")
        try withCamera("setting the rate of \(path)") { state in
            let format = state.format
            let rates = state.camera.rates(of: format.pixels, format.width, format.height)
            // The nearest rate that it has.
            let wish = interval.rate ?? 0
            let rate = rates.min { abs($0 - wish) < abs($1 - wish) }
            if let rate { state.interval = V4L2Interval(rate: rate) }
        }
    }

    func interval() async throws(V4L2Fault) -> V4L2Interval {
        try withCamera("asking \(path) for its rate") { $0.interval }
    }

    // MARK: Buffers

    func requestBuffers(_ count: Int) async throws(V4L2Fault) -> Int {
        spy.note("REQBUFS \(count)")
        try await spy.check(.requestBuffers, "asking \(path) for buffers")
        let handle = handle
        return try withCamera("asking \(path) for buffers") { (state) throws(V4L2Fault) in
            if state.occupant != nil || (state.owner ?? handle) != handle {
                throw V4L2Fault(errno: 16, doing: "asking \(path) for buffers")
            }
            let count = state.camera.lies.bufferCount ?? min(count, state.camera.mostBuffers)
            state.owner = handle
            let length = max(1, state.camera.lies.bufferLength ?? state.format.imageSize)
            state.memories = (0..<min(max(0, count), 64)).map { _ in SpyMemory(length) }
            return count
        }
    }

    func map(_ index: Int) async throws(V4L2Fault) -> any V4L2Memory {
        try await spy.check(.map, "mapping buffer \(index) of \(path)")
        let memory = try withCamera("mapping buffer \(index) of \(path)") { state in
            state.memories.indices.contains(index) ? state.memories[index] : nil
        }
        guard let memory else {
            throw V4L2Fault(errno: 22, doing: "mapping buffer \(index) of \(path)")
        }
        return SpyMapping(memory, length: memory.bytes.count, spy)
    }

    func queue(_ index: Int) async throws(V4L2Fault) {
        try await spy.check(.queue, "giving \(path) buffer \(index)")
        let isGood = try withCamera("giving \(path) buffer \(index)") { state in
            guard state.memories.indices.contains(index), !state.queued.contains(index),
                !state.done.contains(where: { $0.index == index })
            else { return false }
            state.queued.append(index)
            return true
        }
        if !isGood {
            spy.noteUnexpected("QBUF \(index), which the driver had")
            throw V4L2Fault(errno: 22, doing: "giving \(path) buffer \(index)")
        }
    }

    func dequeue() async throws(V4L2Fault) -> V4L2Buffer? {
        try await spy.check(.dequeue, "taking a frame of \(path)")
        await hangIfAbsent()
        return try withCamera("taking a frame of \(path)") { state in
            state.done.isEmpty ? nil : state.done.removeFirst()
        }
    }

    /// Waits for `release` where the camera's absence is a call that never returns.
    private func hangIfAbsent() async {
        let (path, signal) = (path, signal)
        await withUnsafeContinuation { (hanger: UnsafeContinuation<Void, Never>) in
            let hangs = spy.state.withLock { state in
                guard let camera = state.cameras[path], camera.signal === signal,
                    camera.absence == .hanging
                else { return false }
                state.hangers.append(hanger)
                return true
            }
            if !hangs { hanger.resume() }
        }
    }

    func start() async throws(V4L2Fault) {
        spy.note("STREAMON")
        try await spy.check(.start, "starting \(path)")
        let now = spy.clock.now
        try withCamera("starting \(path)") { $0.begin(at: now) }
    }

    func stop() async {
        spy.note("STREAMOFF")
        try? withCamera("stopping \(path)") { $0.end() }
    }

    // MARK: Waiting

    private enum Look {
        case event(V4L2Event)
        case sleep(SensorInstant)
    }

    func wait(for limit: Duration) async throws(V4L2Fault) -> V4L2Event {
        let clock = spy.clock
        let deadline = clock.now.advanced(by: limit)
        while true {
            switch look(deadline, clock) {
            case .event(let event): return event
            case .sleep(let instant):
                if let signal { await signal.wait(until: instant, on: clock) }
            }
        }
    }

    private func look(_ deadline: SensorInstant, _ clock: any SensorClock) -> Look {
        let isCalled = isInterrupted.withLock { flag in
            defer { flag = false }
            return flag
        }
        if isCalled { return .event(.interrupted) }
        let (path, signal) = (path, signal)
        return spy.state.withLock { state in
            let look = state.cameras[path]?.change { camera -> Look in
                if camera.signal !== signal { return .event(.broken) }
                switch camera.absence {
                case .told: return .event(.broken)
                case .hanging: return .event(.ready)
                case .silent: return clock.now >= deadline ? .event(.timedOut) : .sleep(deadline)
                case nil: break
                }
                camera.produce(clock)
                if !camera.done.isEmpty { return .event(.ready) }
                if clock.now >= deadline { return .event(.timedOut) }
                return .sleep(camera.nextDue.map { min($0, deadline) } ?? deadline)
            }
            return look ?? .event(.broken)
        }
    }

    func interrupt() {
        isInterrupted.withLock { $0 = true }
        signal?.wake()
    }

    func close() async {
        let isFirst = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        spy.note("close \(path)")
        let (path, signal, handle) = (path, signal, handle)
        let old = spy.state.withLock { state -> [SpyMemory] in
            state.openCount -= 1
            guard state.cameras[path]?.signal === signal, state.cameras[path]?.owner == handle
            else { return [] }
            defer {
                state.cameras[path]?.owner = nil
                state.cameras[path]?.memories = []
                state.cameras[path]?.end()
            }
            return state.cameras[path]?.memories ?? []
        }
        // Freed without the spy's lock.
        withExtendedLifetime(old) {}
    }
}
