import Sensorium

extension DeviceReader {
    /// The fastest polling, in hertz: each axis costs a read of its own.
    private static let fastestPoll = 200.0
    /// How many failures in a row make a sensor stale.
    private static let failuresUntilStale = 3

    /// Reads the attributes of every channel, time and again, until the plan is outdated.
    func poll(_ job: ReadingJob, working: () -> Void) async throws(IIOFault) {
        let rates = try await settlePollRates(job)
        let tick = rates.max() ?? 1
        var turns: [Turn] = []
        for (index, consumer) in job.plan.consumers.enumerated() {
            let divisor = max(1, Int((tick / rates[index] * 1.001).rounded(.down)))
            consumer.prepare(job.resolutions[index])
            consumer.grant(tick, divisor: divisor)
            turns.append(
                Turn(consumer: consumer, resolution: job.resolutions[index], divisor: divisor))
        }
        let period = Duration.nanoseconds(Int64(1e9 / tick))
        watch(patience: max(.seconds(1), period * 3))
        defer { state.withLock { $0.watchdog.take() }?.cancel() }

        var due = clock.now
        var count = 0
        var reached = tick
        while !isOutdated(job.plan) {
            let start = clock.now
            for index in turns.indices where count % turns[index].divisor == 0 {
                try await take(&turns[index], job, working)
                if isOutdated(job.plan) { return }
            }
            count &+= 1
            due = due.advanced(by: period)
            let now = clock.now
            // What was missed while a read blocked is not made up for.
            if due < now { due = now }
            // A device whose reads take longer than a period runs at the rate that it reaches.
            let rate = min(tick, 1 / max(start.duration(to: now).inSeconds, 1e-9))
            if abs(rate - reached) > 0.2 * reached {
                reached = rate
                for turn in turns { turn.consumer.grant(rate, divisor: turn.divisor) }
            }
            await pause(for: now.duration(to: due), job.plan)
        }
    }

    /// A consumer's part of polling.
    private struct Turn {
        let consumer: any ReaderConsumer
        let resolution: PartResolution
        let divisor: Int
        var failures = 0
    }

    private func take(_ turn: inout Turn, _ job: ReadingJob, _ working: () -> Void)
        async throws(IIOFault)
    {
        let part = turn.consumer.part
        let before = clock.now
        var numbers: [Double] = []
        var isCut = false
        do throws(IIOFault) {
            for (index, channel) in part.channels.enumerated() {
                let place = IIOAttribute(
                    device: job.device.id, channel: channel, name: part.polled ?? "raw")
                let text = try await job.context.read(place)
                guard let number = AttributeText.number(text) else {
                    throw IIOFault(
                        .malformed,
                        "\(place) is '\(AttributeText.trimmed(text))', which is not a number")
                }
                if part.isProcessed {
                    numbers.append(number)
                } else {
                    isCut = isCut || Self.isCut(number, job.device.channel(channel)?.scan?.type)
                    numbers.append(
                        (number + turn.resolution.offsets[index]) * turn.resolution.scales[index])
                }
            }
        } catch {
            try skip(&turn, error)
            return
        }
        turn.failures = 0
        let after = clock.now
        let span = before.duration(to: after)
        working()
        tellRunning()
        let time = ReadingTime(
            before.advanced(by: span / 2), uncertainty: span / 2, source: .arrival)
        turn.consumer.take(numbers, time: time, isCut: isCut)
    }

    /// Counts a failed read; goes on where the next one may work.
    private func skip(_ turn: inout Turn, _ fault: IIOFault) throws(IIOFault) {
        switch fault.condition {
        case .gone, .timedOut, .unanswered, .cancelled:
            throw fault
        case .malformed:
            turn.consumer.lose(1, .malformed)
        case .absent, .unsupported, .denied:
            // Nothing was ever read from it, and nothing will be.
            if turn.failures == 0, state.withLock({ $0.progress }) == nil { throw fault }
            turn.consumer.lose(1, .device)
        case .busy, .failed:
            turn.consumer.lose(1, .device)
        }
        turn.failures += 1
        if turn.failures == Self.failuresUntilStale {
            tell(SensorStatus(.stale, reason: fault.reason, hint: "reading goes on"))
        }
    }

    /// Whether a count is at the end of its range.
    ///
    /// Where no scan type tells the range, the ends of 16 and 32 bits count: what a device reports
    /// that is past its range.
    private static func isCut(_ number: Double, _ type: ScanType?) -> Bool {
        guard let type else {
            return number == 32_767 || number == -32_768 || number == 2_147_483_647
                || number == -2_147_483_648
        }
        if type.isSigned { return number == Double(type.minimum) || number == Double(type.maximum) }
        return number == Double(UInt64(bitPattern: type.maximum))
    }

    /// The rate of each consumer; the device's own is raised to it where that is possible, since many
    /// drivers let a read wait for the next measurement.
    private func settlePollRates(_ job: ReadingJob) async throws(IIOFault) -> [Double] {
        let choice = RateChoice(job.resolver)
        var rates: [Double] = []
        var remarks: [String] = []
        for consumer in job.plan.consumers {
            let own = Self.ownRate(consumer.part)
            let given = try await choice.settle(
                consumer.request.rate, for: consumer.part, fallback: own, remarks: &remarks)
            let device = given.flatMap { $0 > 0 ? $0 : nil }
            let wanted = min(consumer.request.rate ?? own, Self.fastestPoll)
            rates.append(min(wanted, device ?? wanted))
        }
        remark(remarks)
        return rates
    }

    /// Tells the consumers when a read blocks for longer than `patience`.
    ///
    /// It is a task of its own, since the reader's is the one that is blocked.
    private func watch(patience: Duration) {
        let clock = clock
        let start = clock.now
        let task = clock.spawn("watch \(key.token)") { [weak self] in
            var last = start
            while await clock.pause(for: clock.now.duration(to: last.advanced(by: patience))) {
                guard let self, !self.isStopping else { return }
                let progress = self.state.withLock { $0.progress } ?? start
                if progress > last {
                    last = progress
                    continue
                }
                self.tell(
                    SensorStatus(
                        .stale, reason: "a read of \(self.key.token) has blocked for \(patience)",
                        hint: "readings go on when it ends"))
                last = clock.now
            }
        }
        state.withLock { $0.watchdog = task }
    }
}
