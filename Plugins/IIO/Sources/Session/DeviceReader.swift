import Sensorium
import SensoriumPluginKit

/// Reads one device for all of its sensors, until the last of them is closed.
///
/// The device's channels are captured together, so that the sensors of one device share each scan
/// and its time; where capturing does not work they are polled. One task does all of it, on a thread of
/// its own where the link blocks. After a fault nothing of the failed read is delivered; the sensors
/// are told once, and everything is built anew, connection included, until it works again.
final class DeviceReader: Sendable {
    /// What is read, and in which way.
    struct Key: Hashable, Sendable {
        /// The context's address.
        var address: String
        /// The device's name in sensor ids.
        var token: String
        /// Whether the channels can be in a scan.
        ///
        /// Those that cannot have a reader of their own, which polls: a slow attribute must not
        /// hold up scans.
        var isScannable: Bool
    }

    struct State {
        var consumers: [any ReaderConsumer] = []
        /// Grows when what the consumers want has changed.
        var generation = 0
        /// What the device is made to do now.
        var demand: ReadingPlan.Demand?
        var isRunning = false
        var isStopping = false
        var buffer: (any IIOBuffer)?
        var sleep: Task<Void, Never>?
        var watchdog: Task<Void, Never>?
        var status: SensorStatus?
        /// Whether capturing turned out not to work, so that the device is polled.
        var hasGivenUpCapturing = false
        /// When something was read last.
        var progress: SensorInstant?
    }

    let key: Key
    let link: any IIOLink
    let host: PluginHost
    let settings: IIOSettings
    let state = Guarded(State())
    /// Given when the task has ended.
    let ended = Answer<Bool>()

    /// How long a call on the context may take.
    static let callLimit = Duration.seconds(2)
    /// How long closing may take; a call that blocks for longer is left to end by itself.
    static let closeLimit = Duration.seconds(2)

    init(_ key: Key, link: any IIOLink, host: PluginHost) {
        self.key = key
        self.link = link
        self.host = host
        settings = IIOSettings(host)
    }

    var clock: any SensorClock { host.clock }

    // MARK: Consumers

    /// Takes a consumer in; false when the reader is about to end.
    func add(_ consumer: any ReaderConsumer) -> Bool {
        let (isTaken, mustStart) = state.withLock { state in
            if state.isStopping { return (false, false) }
            state.consumers.append(consumer)
            state.generation += 1
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if mustStart {
            clock.spawn("read \(key.token)", on: link.makeThread()) { await self.run() }
        } else if isTaken {
            interrupt()
        }
        return isTaken
    }

    /// Lets a consumer go; the last one ends the reader.
    func remove(_ consumer: any ReaderConsumer) async {
        let key = key
        let (isLast, mustChange) = state.withLock { state in
            state.consumers.removeAll { $0 === consumer }
            guard let next = ReadingPlan(state, key) else {
                state.isStopping = true
                return (true, false)
            }
            // Who stays is not disturbed by who leaves, unless that one drove the device.
            return (false, next.demand != state.demand)
        }
        if isLast { await stop() } else if mustChange { reconsider() }
    }

    /// Looks again at what the consumers want.
    func reconsider() {
        state.withLock { $0.generation += 1 }
        interrupt()
    }

    /// Ends the reader, within `closeLimit`.
    func stop() async {
        state.withLock { $0.isStopping = true }
        interrupt()
        let ended = ended
        if await clock.within(Self.closeLimit, { await ended.wait() }) == nil {
            host.log(
                .info,
                "\(key.token) was closed while a call on it still blocked; its thread ends with the call"
            )
        }
    }

    /// Ends the reader and every sensor on it.
    func end() async {
        let consumers = state.withLock { state in
            state.isStopping = true
            defer { state.consumers = [] }
            return state.consumers
        }
        for consumer in consumers { consumer.finish(nil) }
        await stop()
    }

    /// Makes the task look at the state again soon.
    private func interrupt() {
        let (buffer, sleep, watchdog) = state.withLock { state in
            (state.buffer, state.sleep, state.isStopping ? state.watchdog : nil)
        }
        buffer?.cancel()
        sleep?.cancel()
        watchdog?.cancel()
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Whether the task must leave what it does for what the consumers now want.
    func isOutdated(_ plan: ReadingPlan) -> Bool {
        state.withLock { $0.isStopping || $0.generation != plan.generation }
    }

    // MARK: The task

    private func run() async {
        var context: (any IIOContext)?
        var backoff = ReaderBackoff()
        while let plan = nextPlan() {
            do throws(IIOFault) {
                let connection: any IIOContext
                if let context {
                    connection = context
                } else {
                    connection = try await link.connect(to: key.address, timeout: Self.callLimit)
                    context = connection
                }
                try await serve(plan, through: connection) { backoff.work(since: clock.now) }
            } catch {
                await context?.close()
                context = nil
                if isStopping { break }
                complain(error, plan)
                await pause(for: backoff.next(at: clock.now), plan)
            }
        }
        await context?.close()
        state.withLock { $0.watchdog }?.cancel()
        ended.give(true)
    }

    private func nextPlan() -> ReadingPlan? {
        let key = key
        return state.withLock { state in
            let plan = ReadingPlan(state, key)
            state.demand = plan?.demand
            return plan
        }
    }

    /// Reads until the plan is outdated.
    private func serve(
        _ plan: ReadingPlan, through context: any IIOContext, working: () -> Void
    ) async throws(IIOFault) {
        let inventory = try await DeviceInventory(
            of: context, at: IIOSettings.host(of: key.address))
        guard let entry = inventory[key.token] else {
            throw IIOFault(.gone, "\(key.address) has no device \(key.token) any more")
        }
        let resolver = AttributeResolver(entry.device, through: context)
        var resolutions: [PartResolution] = []
        var remarks: [String] = []
        for consumer in plan.consumers {
            let resolution = try await resolver.resolve(
                consumer.part, chosen: settings.mountMatrix(for: entry))
            resolutions.append(resolution)
            remarks += resolution.remarks
        }
        remark(remarks)
        let job = ReadingJob(
            plan: plan, entry: entry, resolutions: resolutions, resolver: resolver)
        if plan.demand.captures, !state.withLock({ $0.hasGivenUpCapturing }) {
            do throws(IIOFault) {
                return try await capture(job, working: working)
            } catch {
                guard canPoll(job, after: error) else { throw error }
                state.withLock { $0.hasGivenUpCapturing = true }
                let hint = error.hint.map { "; \($0)" } ?? ""
                host.log(.warning, "\(key.token) is polled, since \(error.reason)\(hint)")
            }
        }
        try await poll(job, working: working)
    }

    /// Whether polling may do what capturing could not: only before a capture has ever worked.
    private func canPoll(_ job: ReadingJob, after fault: IIOFault) -> Bool {
        guard job.plan.consumers.allSatisfy({ $0.part.polled != nil }),
            state.withLock({ $0.progress }) == nil
        else { return false }
        return switch fault.condition {
        case .absent, .unsupported, .denied, .malformed, .timedOut: true
        case .gone, .busy, .cancelled, .failed, .unanswered: false
        }
    }

    // MARK: Telling

    /// Tells diagnostics, each once.
    func remark(_ remarks: [String]) {
        for text in Set(remarks).sorted() { host.log(.warning, text) }
    }

    /// Tells all consumers, unless they know already.
    func tell(_ status: SensorStatus) {
        let consumers = state.withLock { state -> [any ReaderConsumer] in
            if state.isStopping || state.status == status { return [] }
            state.status = status
            return state.consumers
        }
        for consumer in consumers { consumer.report(status) }
    }

    /// Tells that reading works.
    func tellRunning() {
        state.withLock { $0.progress = clock.now }
        tell(SensorStatus(.running))
    }

    private func complain(_ fault: IIOFault, _ plan: ReadingPlan) {
        for consumer in plan.consumers where !consumer.isAnswered {
            switch fault.condition {
            case .busy, .denied, .unsupported, .malformed, .absent:
                state.withLock { state in state.consumers.removeAll { $0 === consumer } }
                consumer.refuse(fault)
            case .gone, .timedOut, .unanswered, .cancelled, .failed:
                // It may come back: the consumer waits for it as the others do.
                consumer.grant(nil, divisor: 1)
            }
        }
        let isEmpty = state.withLock { state in
            if state.consumers.isEmpty { state.isStopping = true }
            return state.consumers.isEmpty
        }
        if isEmpty { return }
        let isStall = [.timedOut, .unanswered].contains(fault.condition)
        let old = state.withLock { $0.status }
        // A stall that goes on, or turns out to be an absence, is one trouble and not many.
        if old?.state == .reconnecting || (isStall && old?.state == .stale) { return }
        // The status says it, too.
        host.log(.debug, "\(key.token): \(fault.reason)")
        tell(
            SensorStatus(
                isStall ? .stale : .reconnecting, reason: fault.reason,
                hint: isStall ? "it is started anew" : "trying again until it is back"))
    }

    // MARK: Waiting

    /// Waits, until the reader is interrupted.
    func pause(for duration: Duration, _ plan: ReadingPlan) async {
        let clock = clock
        let sleep = clock.spawn("wait for \(key.token)") { await clock.pause(for: duration) }
        let mustWait = state.withLock { state in
            state.sleep = sleep
            return !state.isStopping && state.generation == plan.generation
        }
        if !mustWait { sleep.cancel() }
        await sleep.value
        state.withLock { $0.sleep = nil }
    }
}

/// What the consumers of a device want together.
struct ReadingPlan: Sendable {
    /// The consumers, in the order of coming.
    let consumers: [any ReaderConsumer]
    /// The state that this is the plan of.
    let generation: Int
    /// What the device must do for them.
    let demand: Demand

    /// What a device must do.
    struct Demand: Hashable, Sendable {
        /// The highest rate asked for; nil where nobody asks.
        var rate: Double?
        /// The shortest time that readings may be held back.
        var maxLatency: Duration
        /// Whether to capture scans; else the attributes are polled.
        var captures: Bool
    }

    /// Up to this rate in hertz, single numbers are polled as long as nothing else is captured.
    private static let calmRate = 10.0

    /// The plan for a reader's state; nil when there is nothing more to read.
    init?(_ state: DeviceReader.State, _ key: DeviceReader.Key) {
        guard !state.isStopping, !state.consumers.isEmpty else { return nil }
        consumers = state.consumers
        generation = state.generation
        let requests = state.consumers.map(\.request)
        demand = Demand(
            rate: requests.compactMap(\.rate).max(),
            maxLatency: requests.map(\.maxLatency).min() ?? .zero,
            captures: key.isScannable && state.consumers.contains { Self.needsCapture($0) })
    }

    private static func needsCapture(_ consumer: any ReaderConsumer) -> Bool {
        consumer.part.quantity.isVector || consumer.part.polled == nil
            || (consumer.request.rate ?? 0) > calmRate
    }
}

/// What there is to read: a plan, and the device that it came out at.
struct ReadingJob: Sendable {
    let plan: ReadingPlan
    let entry: DeviceInventory.Entry
    /// What the attributes say, a consumer each.
    let resolutions: [PartResolution]
    let resolver: AttributeResolver

    var device: IIODevice { entry.device }
    var context: any IIOContext { resolver.context }
}
