import Sensorium
import SensoriumPluginKit

/// One open session: reads a camera until it is closed, and gets it back after faults.
///
/// One task does all of it, on a thread of its own where the link blocks. After a fault everything
/// is built anew, from the list of nodes on.
final class CameraReader: Sendable {
    struct State {
        var request: SamplingRequest
        var generation = 0
        var isStopping = false
        /// Whether the consumer hears nothing any more.
        var isSealed = false
        var device: (any V4L2Device)?
        var sleep: Task<Void, Never>?
        var status: SensorStatus?
        var grantedRate: Double?
        /// Given when the request of that generation was looked at.
        var change: Answer<Bool>?
    }

    let id: SensorID
    let token: String
    let link: any V4L2Link
    let host: PluginHost
    let settings: V4L2Settings
    let state: Guarded<State>
    /// Nil once the camera streams, or the reason why it cannot.
    let answer = Answer<V4L2Fault?>()
    /// Given when the task has ended, and the camera is closed.
    let ended = Answer<Bool>()
    private let sink: ReadingSink<CameraFrame>

    /// How long closing may take; a call that blocks for longer is left to end by itself.
    static let closeLimit = Duration.seconds(2)
    /// How long a camera that was pulled out may be back before it is noticed.
    static let longestBackoff = Duration.seconds(2)
    /// How long no frame may come before the camera counts as stalled.
    static let stallLimit = Duration.seconds(2)

    init(
        _ id: SensorID, token: String, link: any V4L2Link, host: PluginHost,
        _ request: SamplingRequest, _ sink: ReadingSink<CameraFrame>
    ) {
        self.id = id
        self.token = token
        self.link = link
        self.host = host
        self.sink = sink
        settings = V4L2Settings(host, for: token)
        state = Guarded(State(request: request))
    }

    var clock: any SensorClock { host.clock }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    var grantedRate: Double? { state.withLock { $0.grantedRate } }

    // MARK: From outside

    /// Starts the task; `over` is called when it has ended.
    func start(over: @escaping @Sendable () -> Void) {
        clock.spawn("read \(token)", on: link.makeThread()) {
            await self.run()
            over()
            self.ended.give(true)
        }
    }

    /// Changes the request.
    ///
    /// - Returns: what is given once the camera runs as it is wanted.
    func reconfigure(_ request: SamplingRequest) -> Answer<Bool> {
        let change = Answer<Bool>()
        let isOver = state.withLock { state in
            state.change?.give(true)
            if state.isStopping || state.request.rate == request.rate {
                state.request = request
                state.change = nil
                return true
            }
            state.request = request
            state.generation += 1
            state.change = change
            return false
        }
        if isOver { change.give(true) } else { interrupt() }
        return change
    }

    /// Ends it, within `closeLimit`; nothing is delivered after that.
    func stop() async {
        let change = state.withLock { state in
            state.isStopping = true
            state.isSealed = true
            return state.change.take()
        }
        change?.give(true)
        interrupt()
        if await !hasEnded() {
            host.log(
                .info,
                "\(id) was closed while a call on it still blocked; its thread ends with the call")
        }
    }

    /// Waits, for `limit` at most, until the task has ended and the camera is closed.
    func hasEnded(within limit: Duration = closeLimit) async -> Bool {
        let (clock, ended) = (clock, ended)
        // In a task of its own: who closes is often cancelled, and would not wait.
        await clock.spawn("wait for the end of \(token)") {
            _ = await clock.within(limit) { await ended.wait() }
        }.value
        return ended.value != nil
    }

    /// Ends it and tells the consumer.
    func finish(_ error: SensorError?) {
        state.withLock { state in
            state.isStopping = true
            if state.isSealed { return }
            state.isSealed = true
            sink.finish(error)
        }
        interrupt()
    }

    private func interrupt() {
        let (device, sleep) = state.withLock { ($0.device, $0.sleep) }
        device?.interrupt()
        sleep?.cancel()
    }

    // MARK: The task

    private func run() async {
        var failures = 0
        while !isStopping {
            do throws(V4L2Fault) {
                try await capture { failures = 0 }
            } catch {
                if isStopping { break }
                failures += 1
                guard goesOn(after: error) else { break }
                await pause(for: Self.backoff(after: failures))
            }
        }
        // Who waits for a change or an opening that will not come waits no longer.
        state.withLock { $0.change.take() }?.give(true)
        answer.give(V4L2Fault(.failed, "the session was closed"))
    }

    private func capture(working: () -> Void) async throws(V4L2Fault) {
        guard let node = CameraInventory(link.nodes())[token] else {
            throw V4L2Fault(.gone, "the camera is not plugged in")
        }
        let device: any V4L2Device
        do throws(V4L2Fault) {
            device = try await link.open(node.path)
        } catch {
            throw explained(error, node)
        }
        let isWanted = state.withLock { state in
            state.device = device
            return !state.isStopping
        }
        var result = Result<Void, V4L2Fault>.success(())
        if isWanted {
            do throws(V4L2Fault) {
                try await stream(device, working: working)
            } catch {
                result = .failure(explained(error, node))
            }
        }
        state.withLock { $0.device = nil }
        await device.close()
        try result.get()
    }

    /// Says who is in the way.
    private func explained(_ fault: V4L2Fault, _ node: VideoNode) -> V4L2Fault {
        guard fault.number == 16 else { return fault }  // EBUSY
        let holders = link.holders(of: node.path).filter { $0 != "this program itself" }
        guard !holders.isEmpty else { return fault }
        var fault = fault
        let names = holders.joined(separator: " and ")
        fault.reason += "; \(names) \(holders.count == 1 ? "has" : "have") it open"
        fault.hint = "end \(names), or let it close the camera"
        return fault
    }

    /// Tells of a fault; false where it ends the session.
    private func goesOn(after fault: V4L2Fault) -> Bool {
        if answer.value == nil {
            answer.give(fault)
            state.withLock { state in
                state.isStopping = true
                state.isSealed = true
            }
            return false
        }
        if fault.condition == .gone, (try? settings.endsOnUnplug()) ?? false {
            finish(SensorError(fault, of: id))
            return false
        }
        let isStall = fault.condition == .timedOut
        let old = state.withLock { $0.status }
        // A stall that goes on, or turns out to be an absence, is one trouble and not many.
        if old?.state == .reconnecting || (isStall && old?.state == .stale) { return true }
        host.log(.warning, "\(id): \(fault.reason)")
        tell(
            SensorStatus(
                isStall ? .stale : .reconnecting, reason: fault.reason,
                hint: isStall ? "it is started anew" : fault.hint ?? "trying again until it is back"
            ))
        return true
    }

    // MARK: To the consumer. The sink is called with the lock held, so that nothing comes after `stop`.

    func tell(_ status: SensorStatus) {
        state.withLock { state in
            if state.isSealed || state.status == status { return }
            state.status = status
            sink.report(status)
        }
    }

    func deliver(_ frame: CameraFrame) {
        state.withLock { state in
            if !state.isSealed { sink.deliver(frame) }
        }
    }

    func lose(_ count: Int, _ reason: ReadingLoss.Reason) {
        state.withLock { state in
            if !state.isSealed { sink.lose(count, reason) }
        }
    }

    // MARK: Waiting

    private static func backoff(after failures: Int) -> Duration {
        // The first attempt comes soon: a stream that broke often works when it is made anew.
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
