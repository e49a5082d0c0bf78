import Sensorium

extension DeviceReader {
    /// Captures scans until the plan is outdated.
    func capture(_ job: ReadingJob, working: () -> Void) async throws(IIOFault) {
        let trigger = try await prepareTrigger(job)
        let stamps = try await stampClock(job)
        let rates = try await settleRates(job, trigger: trigger)
        let rate = rates.compactMap(\.self).max()
        let channels = scanChannels(job)
        let request = bufferRequest(job, channels, rate)
        let layout = ScanLayout(channels.map { ($0.scan.index, $0.scan.type) })

        let buffer = try await job.context.openBuffer(request)
        let isCurrent = state.withLock { state in
            state.buffer = buffer
            return !state.isStopping && state.generation == job.plan.generation
        }
        var result: Result<Void, IIOFault> = .success(())
        if isCurrent {
            var capture = Capture(
                channels: channels, layout: layout, request: request, buffer: buffer,
                clock: ScanClock(
                    stamps, isLocal: job.context.content.isLocal, rate: rate, clock: clock),
                // A device that tells of changes only leaves gaps that are no losses.
                gapsTell: !job.device.channels.contains { $0.attributes.contains("hysteresis") },
                rate: rate)
            do throws(IIOFault) {
                try capture.prepare(job)
                grant(job, rates)
                try await read(&capture, job, working)
            } catch {
                // A cancelled refill is how the reader is interrupted.
                if !isOutdated(job.plan) { result = .failure(error) }
            }
        }
        state.withLock { $0.buffer = nil }
        await buffer.close()
        try result.get()
    }

    private func read(
        _ capture: inout Capture, _ job: ReadingJob, _ working: () -> Void
    ) async throws(IIOFault) {
        var hasRead = false
        while !isOutdated(job.plan) {
            let refill = try await capture.buffer.refill()
            let arrival = clock.now
            if isOutdated(job.plan) { return }
            let count = try capture.accept(
                refill, job,
                losing: { lost in
                    for consumer in job.plan.consumers { consumer.lose(lost, .device) }
                })
            let stamps = capture.times(refill, count: count, arrival: arrival)
            if !hasRead {
                hasRead = true
                working()
                tellRunning()
            }
            let missing = capture.missing(before: stamps)
            if missing > 0 { for consumer in job.plan.consumers { consumer.miss(scans: missing) } }
            for consumer in job.plan.consumers {
                consumer.take(refill.bytes, step: capture.layout.size, stamps: stamps)
            }
            if let reason = capture.newRemark() { host.log(.warning, "\(key.token): \(reason)") }
        }
    }

    // MARK: Preparing

    /// Sees to it that the device has a trigger, where it knows triggers.
    ///
    /// - Returns: the device's trigger.
    private func prepareTrigger(_ job: ReadingJob) async throws(IIOFault) -> IIODevice? {
        let device = job.device
        let triggers = job.context.content.triggers
        let present: String?
        do throws(IIOFault) {
            present = try await job.context.trigger(of: device.id)
        } catch {
            if error.isOfConnection { throw error }
            // Some devices capture without a trigger, and have none to tell of. One that has none set
            // shows as an input/output error: its attribute is empty.
            if error.condition != .failed { return nil }
            present = nil
        }
        // A driver names the trigger that belongs to a device after it and its number.
        let number = device.id.drop { !$0.isNumber }
        let wanted =
            settings.trigger(for: job.entry)
            ?? (present == nil ? device.name.map { "\($0)-dev\(number)" } : present)
        guard let trigger = triggers.first(where: { $0.name == wanted }) else {
            if let wanted, settings.trigger(for: job.entry) != nil {
                remark(["\(key.address) has no trigger \(wanted) for \(key.token)"])
            }
            return triggers.first { $0.name == present }
        }
        if trigger.name != present, let name = trigger.name {
            do throws(IIOFault) {
                try await job.context.setTrigger(name, of: device.id)
            } catch {
                if error.isOfConnection { throw error }
                remark(["\(key.token) does not take the trigger \(name): \(error.reason)"])
            }
        }
        return trigger
    }

    /// The clock of the device's stamps: boot time where this host may choose it.
    ///
    /// - Returns: the clock's name; nil where scans have no stamp.
    private func stampClock(_ job: ReadingJob) async throws(IIOFault) -> String? {
        let device = job.device
        guard device.channel("timestamp")?.scan != nil else { return nil }
        let place = IIOAttribute(device: device.id, name: "current_timestamp_clock")
        // Kernels before 4.8 have no choice and stamp with this.
        guard device.attributes.contains(place.name) else { return "realtime" }
        do throws(IIOFault) {
            let present = String(AttributeText.trimmed(try await job.context.read(place)))
            // Another machine's clock is not ours to choose.
            guard job.context.content.isLocal, present != "boottime" else { return present }
            do throws(IIOFault) {
                try await job.context.write("boottime", to: place)
            } catch {
                if error.condition == .gone { throw error }
                return present
            }
            return String(AttributeText.trimmed(try await job.context.read(place)))
        } catch {
            if error.isOfConnection { throw error }
            return "realtime"
        }
    }

    /// Sets the rate of each consumer's quantity to the highest one wanted.
    private func settleRates(
        _ job: ReadingJob, trigger: IIODevice?
    ) async throws(IIOFault) -> [Double?] {
        let choice = RateChoice(job.resolver, trigger: trigger)
        var rates: [Double?] = []
        var remarks: [String] = []
        for consumer in job.plan.consumers {
            rates.append(
                try await choice.settle(
                    job.plan.demand.rate, for: consumer.part, fallback: Self.ownRate(consumer.part),
                    remarks: &remarks))
        }
        remark(remarks)
        return rates
    }

    /// What a part is read at when neither app nor device names a rate, in hertz.
    static func ownRate(_ part: SensedPart) -> Double { part.quantity.isVector ? 10 : 1 }

    /// Tells the consumers their rates; whoever asked for less than the device now gives gets a part.
    private func grant(_ job: ReadingJob, _ rates: [Double?]) {
        for (consumer, rate) in zip(job.plan.consumers, rates) {
            consumer.grant(
                rate,
                divisor: Self.divisor(asked: consumer.request.rate, rate, job.plan.demand.rate))
        }
    }

    /// Which part of the readings is for a consumer that asked for `asked` of a device that
    /// somebody else has run at `given`.
    static func divisor(asked: Double?, _ given: Double?, _ highest: Double?) -> Int {
        guard let asked, let given, let highest, asked < highest * 0.99 else { return 1 }
        return max(1, Int(min(given / asked * 1.001, 1e6)))
    }

    // MARK: The request

    private func scanChannels(_ job: ReadingJob) -> [ScanChannel] {
        let wanted = Set(job.plan.consumers.flatMap(\.part.channels)).union(["timestamp"])
        return job.device.channels
            .compactMap { channel in
                guard !channel.isOutput, wanted.contains(channel.id), let scan = channel.scan else {
                    return nil
                }
                return ScanChannel(id: channel.id, scan: scan)
            }
            .sorted { $0.scan.index < $1.scan.index }
    }

    private func bufferRequest(
        _ job: ReadingJob, _ channels: [ScanChannel], _ rate: Double?
    ) -> IIOBufferRequest {
        let known = rate.flatMap { $0 > 0 ? $0 : nil }
        // At most 200 refills a second: each is a round trip, and waits 5 ms at most.
        let latency = max(job.plan.demand.maxLatency.inSeconds, 0.005)
        let scans = known.map { max(1, min(1024, Int(($0 * latency).rounded(.down)))) } ?? 1
        // Two seconds of scans may wait in the kernel for a reader that was held up.
        let blocks = known.map { Int(($0 * 2 / Double(scans)).rounded(.up)) } ?? 4
        let patience = known.map { Duration.seconds(max(1, min(60, 5 * Double(scans) / $0))) }
        return IIOBufferRequest(
            device: job.device.id, channels: channels.map(\.id), scans: scans,
            blocks: max(4, min(256, blocks)), timeout: patience ?? .seconds(5))
    }
}

/// A channel that is captured.
struct ScanChannel: Sendable {
    var id: String
    var scan: IIOChannel.Scan
}

/// A running capture: what comes is checked, stamped, and given its layout.
struct Capture {
    let channels: [ScanChannel]
    private(set) var layout: ScanLayout
    let request: IIOBufferRequest
    let buffer: any IIOBuffer
    private var clock: ScanClock
    private var isAdapted = false
    private var isReported = false
    private var gaps: GapCounter?
    private let stamps: StampBuffer

    init(
        channels: [ScanChannel], layout: ScanLayout, request: IIOBufferRequest,
        buffer: any IIOBuffer, clock: ScanClock, gapsTell: Bool, rate: Double?
    ) {
        self.channels = channels
        self.layout = layout
        self.request = request
        self.buffer = buffer
        self.clock = clock
        gaps = gapsTell ? GapCounter(rate: rate, domain: clock.domain) : nil
        stamps = StampBuffer(request.scans)
    }

    /// Gives every consumer its decoder for the layout.
    func prepare(_ job: ReadingJob) throws(IIOFault) {
        for (consumer, resolution) in zip(job.plan.consumers, job.resolutions) {
            var elements: [ElementReader] = []
            for id in consumer.part.channels {
                guard let channel = channels.first(where: { $0.id == id }),
                    let offset = layout.offset(ofIndex: channel.scan.index)
                else {
                    throw IIOFault(
                        .unsupported, "\(job.device.id) cannot capture its channel \(id)")
                }
                elements.append(ElementReader(channel.scan.type, at: offset))
            }
            consumer.prepare(resolution, elements: elements, capacity: request.scans)
        }
    }

    /// Checks a refill.
    ///
    /// - Returns: how many scans there are in it.
    mutating func accept(
        _ refill: IIORefill, _ job: ReadingJob, losing: (Int) -> Void
    ) throws(IIOFault) -> Int {
        if !agrees(refill) { try adapt(to: refill, job) }
        let count = refill.bytes.count / layout.size
        // A daemon that captures for two clients cuts what it sends to the length that was asked for.
        let isWhole = isAdapted ? count > 0 : count == request.scans
        if !isWhole || (!isAdapted && refill.bytes.count % layout.size != 0) {
            // The rest of the library's memory holds old scans, and what follows is shifted.
            losing(max(1, count))
            throw IIOFault(
                isAdapted ? .malformed : .failed,
                "\(request.device) gave \(refill.bytes.count) bytes instead of \(request.scans) scans of "
                    + "\(layout.size)")
        }
        return count
    }

    private func agrees(_ refill: IIORefill) -> Bool {
        guard refill.step == layout.size else { return false }
        for (position, element) in layout.elements.enumerated()
        where buffer.offset(ofChannel: position) != element.offset {
            return false
        }
        return true
    }

    /// Finds the layout that the library sees: a daemon that serves two clients may capture the
    /// channels of both.
    private mutating func adapt(to refill: IIORefill, _ job: ReadingJob) throws(IIOFault) {
        let all = job.device.channels.compactMap { channel in
            channel.scan.map { ($0.index, $0.type) }
        }
        let offsets = channels.indices.map { buffer.offset(ofChannel: $0) }
        guard
            let found = ScanLayout.seen(
                step: refill.step, offsets: offsets,
                of: channels.map { ($0.scan.index, $0.scan.type) },
                among: all)
        else {
            throw IIOFault(
                .malformed,
                "libiio takes a scan of \(request.device) for \(refill.step) bytes where the kernel writes "
                    + "\(layout.size), and would shift every second one")
        }
        layout = found
        isAdapted = true
        try prepare(job)
    }

    /// The times of the scans.
    mutating func times(
        _ refill: IIORefill, count: Int, arrival: SensorInstant
    ) -> ScanStamps {
        let stamps = stamps.first(count)
        if clock.domain != nil, let base = refill.bytes.baseAddress,
            let channel = channels.first(where: { $0.id == "timestamp" }),
            let offset = layout.offset(ofIndex: channel.scan.index)
        {
            let element = ElementReader(channel.scan.type, at: offset)
            for position in 0..<count {
                stamps[position] = element.pattern(in: base + position * layout.size)
            }
        }
        return clock.times(of: stamps, arrival: arrival)
    }

    /// How many scans are missing, as far as the device's stamps tell, before and amid these.
    mutating func missing(before stamps: ScanStamps) -> Int {
        guard stamps.isDevices, stamps.source == .device else { return 0 }
        return gaps?.missing(before: stamps.stamps) ?? 0
    }

    /// What people should know of the stamps, once.
    mutating func newRemark() -> String? {
        guard !isReported, let reason = clock.implausibility else { return nil }
        isReported = true
        return reason.description
    }
}

/// Memory for the stamps of one refill.
private final class StampBuffer {
    private var memory: UnsafeMutableBufferPointer<Int64>

    init(_ count: Int) {
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0)
    }

    func first(_ count: Int) -> UnsafeMutableBufferPointer<Int64> {
        UnsafeMutableBufferPointer(rebasing: memory[..<min(count, memory.count)])
    }

    deinit { memory.deallocate() }
}
