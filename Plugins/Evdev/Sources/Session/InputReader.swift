import Sensorium
import SensoriumPluginKit

/// One open session: reads a device until it is closed, and gets it back after faults.
///
/// One task does all of it, on a thread of its own where the link blocks. After a fault everything
/// is built anew, from the list of devices on; touches that were under way are cancelled first.
final class InputReader<Decoder: InputDecoder>: DeviceSession {
    typealias Reading = Decoder.Reading
    /// Makes a decoder of what a device can do; the last one is that of the same session.
    typealias MakeDecoder =
        @Sendable (InputCapabilities, InputNode, Decoder?) throws(EvdevFault) -> Decoder

    struct State {
        var isStopping = false
        /// Whether the consumer hears nothing any more.
        var isSealed = false
        var device: (any EvdevDevice)?
        var sleep: Task<Void, Never>?
        var status: SensorStatus?
    }

    let id: SensorID
    let token: String
    let link: any EvdevLink
    let host: PluginHost
    let settings: EvdevSettings
    let answer = Answer<EvdevFault?>()
    let outlet: InputOutlet<Reading>
    let state = Guarded(State())
    private let makeDecoder: MakeDecoder
    /// Given when the task has ended, and the device is closed.
    private let ended = Answer<Bool>()

    /// How long closing may take; a call that blocks for longer is left to end by itself.
    static var closeLimit: Duration { .seconds(2) }
    /// How long a device that was pulled out may be back before it is noticed.
    static var longestBackoff: Duration { .seconds(2) }

    init(
        _ id: SensorID, token: String, link: any EvdevLink, host: PluginHost,
        _ sink: ReadingSink<Reading>, makeDecoder: @escaping MakeDecoder
    ) {
        self.id = id
        self.token = token
        self.link = link
        self.host = host
        self.makeDecoder = makeDecoder
        outlet = InputOutlet(sink)
        settings = EvdevSettings(host, for: token)
    }

    var clock: any SensorClock { host.clock }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    var waitsForDevice: Bool { !((try? settings.endsOnUnplug()) ?? false) }

    // MARK: From outside

    func start(over: @escaping @Sendable () -> Void) {
        clock.spawn("read \(token)", on: link.makeThread()) {
            await self.run()
            over()
            self.ended.give(true)
        }
    }

    func stop() async {
        outlet.seal()
        await end()
    }

    func finish() async {
        await end()
        outlet.finish(nil)
    }

    private func end() async {
        let (device, sleep) = state.withLock { state in
            state.isStopping = true
            return (state.device, state.sleep)
        }
        device?.interrupt()
        sleep?.cancel()
        let (clock, ended) = (clock, ended)
        // In a task of its own: who closes is often cancelled, and would not wait.
        await clock.spawn("wait for the end of \(token)") {
            _ = await clock.within(Self.closeLimit) { await ended.wait() }
        }.value
        if ended.value == nil {
            host.log(
                .info,
                "\(id) was closed while a call on it still blocked; its thread ends with the call")
        }
    }

    // MARK: The task

    private func run() async {
        var failures = 0
        var last: Decoder?
        while !isStopping {
            do throws(EvdevFault) {
                try await capture(&last) { failures = 0 }
            } catch {
                if isStopping { break }
                failures += 1
                guard goesOn(after: error) else { break }
                await pause(for: Self.backoff(after: failures))
            }
        }
        // Who waits for an opening that will not come waits no longer.
        answer.give(EvdevFault(.failed, "the session was closed"))
    }

    private func capture(_ last: inout Decoder?, working: () -> Void) async throws(EvdevFault) {
        guard let node = InputInventory(link.nodes())[token] else {
            throw EvdevFault(.gone, "the device is not plugged in")
        }
        let device = try await link.open(node.path)
        let isWanted = state.withLock { state in
            state.device = device
            return !state.isStopping
        }
        var result = Result<Void, EvdevFault>.success(())
        if isWanted {
            do throws(EvdevFault) {
                try await read(device, node, &last, working)
            } catch {
                result = .failure(error)
            }
        }
        state.withLock { $0.device = nil }
        await device.close()
        try result.get()
    }

    private func read(
        _ device: any EvdevDevice, _ node: InputNode, _ last: inout Decoder?, _ working: () -> Void
    ) async throws(EvdevFault) {
        let decoder = try makeDecoder(try await device.capabilities(), node, last)
        var pump = FramePump(
            decoder, EventClock(device.clockDomain, clock: clock), outlet)
        let state = try await device.state()
        _ = try settings.endsOnUnplug()
        answer.give(nil)
        tell(SensorStatus(.running))
        pump.begin(with: state, now: clock.now)
        working()
        var result = Result<Void, EvdevFault>.success(())
        do throws(EvdevFault) {
            try await self.pump(device, through: &pump)
        } catch {
            result = .failure(error)
        }
        pump.cancelAll(now: clock.now)
        last = pump.decoder
        try result.get()
    }

    /// Moves events from the device to the consumer, until the reader is stopped.
    private func pump(
        _ device: any EvdevDevice,
        through pump: inout FramePump<Decoder, InputOutlet<Reading>>
    ) async throws(EvdevFault) {
        var events: [InputEvent] = []
        events.reserveCapacity(256)
        var isDoubtTold = false
        var emptyLooks = 0
        while !isStopping {
            if try await device.wait() == .interrupted { continue }
            events.removeAll(keepingCapacity: true)
            try await device.read(into: &events)
            if isStopping { return }
            if events.isEmpty {
                // A poll that says so again and again would keep a processor busy.
                emptyLooks += 1
                if emptyLooks >= 8 {
                    throw EvdevFault(.failed, "the kernel reports events, but has none")
                }
                continue
            }
            emptyLooks = 0
            let arrival = clock.now
            if let stamp = pump.take(events, arrival: arrival) {
                pump.resync(to: try await device.state(), lossAt: stamp, arrival: arrival)
            }
            if let doubt = pump.doubt, !isDoubtTold {
                isDoubtTold = true
                host.log(.warning, "\(id): \(doubt)")
            }
        }
    }

    /// Tells of a fault; false where it ends the session.
    private func goesOn(after fault: EvdevFault) -> Bool {
        if answer.value == nil {
            outlet.seal()
            answer.give(fault)
            return false
        }
        if fault.condition == .gone, !waitsForDevice {
            outlet.finish(SensorError(fault, of: id))
            return false
        }
        if state.withLock({ $0.status?.state == .reconnecting }) { return true }
        host.log(.warning, "\(id): \(fault.reason)")
        tell(
            SensorStatus(
                .reconnecting, reason: fault.reason,
                hint: fault.hint ?? "trying again until it is back"))
        return true
    }

    private func tell(_ status: SensorStatus) {
        let isNew = state.withLock { state in
            defer { state.status = status }
            return state.status != status
        }
        if isNew { outlet.report(status) }
    }

    // MARK: Waiting

    private static func backoff(after failures: Int) -> Duration {
        min(.milliseconds(100) * (1 << min(failures - 1, 6)), longestBackoff)
    }

    /// Waits, until the reader is stopped.
    private func pause(for duration: Duration) async {
        let clock = clock
        let sleep = clock.spawn("wait for \(token)") { await clock.pause(for: duration) }
        let mustWait = state.withLock { state in
            state.sleep = sleep
            return !state.isStopping
        }
        if !mustWait { sleep.cancel() }
        await sleep.value
        state.withLock { $0.sleep = nil }
    }
}

/// The consumer of a session, which hears nothing more once it is sealed.
///
/// The sink is called with the lock held, so that nothing comes after `seal` has returned.
final class InputOutlet<Reading: SensorReading>: FrameOutlet {
    private let sink: ReadingSink<Reading>
    private let isSealed = Guarded(false)

    init(_ sink: ReadingSink<Reading>) { self.sink = sink }

    @inline(__always)
    func deliver(_ readings: Span<Reading>) {
        isSealed.withLock { isSealed in
            if !isSealed { sink.deliver(readings) }
        }
    }

    func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        isSealed.withLock { isSealed in
            if !isSealed { sink.lose(count, reason) }
        }
    }

    func report(_ status: SensorStatus) {
        isSealed.withLock { isSealed in
            if !isSealed { sink.report(status) }
        }
    }

    func seal() { isSealed.withLock { $0 = true } }

    func finish(_ error: SensorError?) {
        isSealed.withLock { isSealed in
            if !isSealed { sink.finish(error) }
            isSealed = true
        }
    }
}
