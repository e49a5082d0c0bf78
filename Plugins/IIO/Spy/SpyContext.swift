import IIOPlugin
import Sensorium

/// A connection to an `IIOLinkSpy`.
final class SpyContext: IIOContext {
    let content: IIOContextContent
    private let spy: IIOLinkSpy
    private let isClosed = Guarded(false)

    init(_ spy: IIOLinkSpy, _ content: IIOContextContent) {
        self.spy = spy
        self.content = content
    }

    func read(_ attribute: IIOAttribute) async throws(IIOFault) -> String {
        spy.note("read \(attribute)")
        if let hold = spy.state.withLock({ $0.holds[attribute.name] }) {
            // A read of a real attribute cannot be cancelled.
            let clock = spy.clock
            await clock.spawn("hold \(attribute)") { await clock.pause(for: hold) }.value
        }
        try spy.checkFailure(.read, "reading \(attribute)")
        try checkPresence(attribute.device)
        let text = spy.state.withLock { state -> String? in
            if state.spoiled > 0, ["raw", "input"].contains(attribute.name) {
                state.spoiled -= 1
                return "nan"
            }
            let all =
                state.devices[attribute.device]
                ?? state.triggers.first { $0.id == attribute.device }
            return all?.text(attribute.name, attribute.channel)
        }
        guard let text else {
            spy.noteUnexpected("read \(attribute), which there is not")
            throw IIOFault(errno: 2, doing: "reading \(attribute)")
        }
        return text
    }

    func write(_ text: String, to attribute: IIOAttribute) async throws(IIOFault) {
        spy.note("write \(attribute) \(text)")
        try spy.checkFailure(.write, "writing \(attribute)")
        try checkPresence(attribute.device)
        let isThere = spy.state.withLock { state in
            let old = state.devices[attribute.device]?.text(attribute.name, attribute.channel)
            state.devices[attribute.device]?.set(attribute.name, attribute.channel, text)
            return old != nil
        }
        if !isThere { spy.noteUnexpected("write \(attribute), which there is not") }
    }

    func trigger(of device: String) async throws(IIOFault) -> String? {
        try checkPresence(device)
        let trigger = spy.state.withLock { $0.devices[device]?.trigger }
        // What libiio 0.24 makes of the empty attribute of a real kernel.
        guard let trigger else {
            throw IIOFault(errno: 5, doing: "asking \(device) for its trigger")
        }
        return trigger
    }

    func setTrigger(_ trigger: String, of device: String) async throws(IIOFault) {
        spy.note("trigger \(device) \(trigger)")
        try checkPresence(device)
        spy.state.withLock { $0.devices[device]?.trigger = trigger }
    }

    func openBuffer(_ request: IIOBufferRequest) async throws(IIOFault) -> any IIOBuffer {
        spy.note(
            "open \(request.device) \(request.channels.joined(separator: ",")) \(request.scans)")
        try spy.checkFailure(.open, "capturing \(request.device)")
        try checkPresence(request.device)
        let device = spy.state.withLock { $0.devices[request.device] }
        guard let device else { throw IIOFault(errno: 19, doing: "capturing \(request.device)") }
        if case .none = device.feed {
            throw IIOFault(errno: 22, doing: "capturing \(request.device)")
        }
        let isTaken = spy.state.withLock { state in
            state.buffers.values.contains { $0.device == request.device }
        }
        if isTaken { throw IIOFault(errno: 16, doing: "capturing \(request.device)") }
        let channels = device.orderedChannels.filter { request.channels.contains($0.id) }
        let buffer = SpyBuffer(spy, device, channels, request)
        spy.state.withLock { state in
            state.nextBuffer += 1
            state.buffers[state.nextBuffer] = buffer
        }
        return buffer
    }

    func close() async {
        let isFirst = isClosed.withLock { closed in
            defer { closed = true }
            return !closed
        }
        if isFirst { spy.state.withLock { $0.openContexts -= 1 } }
    }

    private func checkPresence(_ device: String) throws(IIOFault) {
        if spy.state.withLock({ $0.absences[device] != nil }) {
            throw IIOFault(errno: 19, doing: "talking to \(device)")
        }
    }
}

/// A capture from an `IIOLinkSpy`.
///
/// The lock of `state` guards what changes, but for `memory`, which only `refill` touches.
final class SpyBuffer: IIOBuffer, @unchecked Sendable {
    private struct State {
        var isCancelled = false
        var sleep: Task<Void, Never>?
        var taken = 0
        /// Since when the device measures without a break, and how many scans it had then.
        var start: SensorInstant
        var before = 0
        /// Whether it does not measure now.
        var isIdle = false
    }

    let device: String
    private let spy: IIOLinkSpy
    private let request: IIOBufferRequest
    private let encoder: ScanEncoder
    private let period: Duration?
    private let feed: ScriptedDevice.Feed
    private let state: Guarded<State>
    /// Whether the device was pulled out since: this capture gets nothing more, also when it is back.
    private let isOrphan = Guarded(false)
    /// Touched by `refill` only, of which there is one at a time.
    private let memory: UnsafeMutableRawBufferPointer

    init(
        _ spy: IIOLinkSpy, _ device: ScriptedDevice, _ channels: [ScriptedChannel],
        _ request: IIOBufferRequest
    ) {
        self.spy = spy
        self.device = device.id
        self.request = request
        encoder = ScanEncoder(channels)
        feed = device.feed
        state = Guarded(State(start: spy.clock.now))
        period = device.frequency.flatMap { $0 > 0 ? .nanoseconds(Int64(1e9 / $0)) : nil }
        memory = .allocate(byteCount: max(1, encoder.size * request.scans), alignment: 1)
    }

    deinit { memory.deallocate() }

    func refill() async throws(IIOFault) -> IIORefill {
        let deadline = spy.clock.now.advanced(by: request.timeout)
        while true {
            if state.withLock({ $0.isCancelled }) {
                throw IIOFault(errno: 9, doing: "capturing \(device)")
            }
            try spy.checkFailure(.refill, "capturing \(device)")
            let absence = spy.state.withLock { $0.absences[device] }
            if absence == .told { throw IIOFault(errno: 19, doing: "capturing \(device)") }
            var wait = deadline
            if isMeasuring(absence) {
                if let scans = takeScans(&wait) { return deliver(scans) }
            }
            if spy.clock.now >= deadline {
                throw IIOFault(errno: 110, doing: "capturing \(device)")
            }
            await sleep(until: min(wait, deadline))
        }
    }

    /// Whether the device measures for this capture; when it does again, it goes on from now.
    private func isMeasuring(_ absence: IIOLinkSpy.Absence?) -> Bool {
        let isStalled = spy.state.withLock { $0.stalled.contains(device) }
        let isMeasuring = absence == nil && !isStalled && !isOrphan.withLock { $0 }
        state.withLock { state in
            if isMeasuring, state.isIdle {
                (state.start, state.before) = (spy.clock.now, state.taken)
            }
            state.isIdle = !isMeasuring
        }
        return isMeasuring
    }

    /// Says that the device was pulled out.
    func orphan() { isOrphan.withLock { $0 = true } }

    /// The scans of a refill, once they are there; else sets when they will be.
    private func takeScans(_ wait: inout SensorInstant) -> [RawScan]? {
        let count = request.scans
        switch feed {
        case .none:
            return nil
        case .pushed:
            return spy.state.withLock { state -> [RawScan]? in
                guard let queue = state.queues[device], queue.count >= count else { return nil }
                state.queues[device] = Array(queue.dropFirst(count))
                return queue.prefix(count).map { stamped($0, at: spy.clock.now) }
            }
        case .signal(let signal):
            guard let period else { return nil }
            let (first, start, before) = state.withLock { ($0.taken, $0.start, $0.before) }
            let due = start.advanced(by: period * (first - before + count))
            wait = due
            guard spy.clock.now >= due else { return nil }
            state.withLock { $0.taken += count }
            return (first..<(first + count)).map { number in
                stamped(
                    signal(number), at: start.advanced(by: period * (number - before + 1)))
            }
        }
    }

    private func stamped(_ scan: RawScan, at instant: SensorInstant) -> RawScan {
        guard scan["timestamp"] == nil else { return scan }
        let name = spy.attribute("current_timestamp_clock", in: device) ?? "realtime"
        let domain: ClockDomain =
            switch name {
            case "boottime": .boottime
            case "monotonic", "monotonic_coarse": .monotonic
            case "tai": .tai
            default: .realtime
            }
        guard let sample = spy.clock.sample(domain) else { return scan }
        var scan = scan
        scan["timestamp"] =
            sample.time.nanoseconds - instant.duration(to: sample.boottime).wholeNanoseconds
        return scan
    }

    private func deliver(_ scans: [RawScan]) -> IIORefill {
        var end = 0
        for scan in scans {
            for byte in encoder.encode(scan) {
                memory[end] = byte
                end += 1
            }
        }
        let (miscounts, isTorn) = spy.state.withLock { state in
            defer { state.torn = max(0, state.torn - 1) }
            return (state.miscounts, state.torn > 0)
        }
        return IIORefill(
            bytes: UnsafeRawBufferPointer(rebasing: memory[..<(isTorn ? end - 1 : end)]),
            step: miscounts ? encoder.sizeByLibiio : encoder.size)
    }

    func offset(ofChannel position: Int) -> Int? { encoder.offset(of: request.channels[position]) }

    private func sleep(until instant: SensorInstant) async {
        let clock = spy.clock
        let sleep = clock.spawn("wait for scans") {
            await clock.pause(for: clock.now.duration(to: instant))
        }
        let isCancelled = state.withLock { state in
            state.sleep = sleep
            return state.isCancelled
        }
        if isCancelled { sleep.cancel() }
        await sleep.value
        state.withLock { $0.sleep = nil }
    }

    func wake() { state.withLock { $0.sleep }?.cancel() }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        wake()
    }

    func close() async {
        let isFirst = spy.state.withLock { state in
            let place = state.buffers.first { $0.value === self }
            if let place { state.buffers[place.key] = nil }
            return place != nil
        }
        if isFirst { spy.note("close \(device)") }
    }
}
