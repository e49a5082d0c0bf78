import Sensorium

/// What a receiver says, one thing after the other, until nobody listens any more.
struct NMEAConversation {
    private let connection: NMEAConnection
    private let link: any NMEALink
    private let isRecording: Bool
    private var decoder: NMEADecoder
    private var backoff = Backoff()
    private var pace = RecordingPace()
    private var hasConnected = false
    private var hasReading = false
    private var isStale = false
    private var told: [NMEADecoder.Rejection: Int] = [:]
    private var connectedAt: SensorInstant
    /// Since when, and with how many bytes, a speed is being tried.
    private var trial: (since: SensorInstant, bytes: Int)
    /// How many bytes came on this connection.
    private var byteCount = 0
    /// When the last position came, while there is one to lose.
    private var lastPosition: SensorInstant?

    /// A receiver says all of one epoch together; this long a silence ends it.
    static var silence: Duration { .milliseconds(100) }
    /// How long a speed is tried: most receivers speak once a second.
    static var trialLength: Duration { .seconds(2) }
    /// With this many bytes and no sentence among them, a speed is wrong.
    static var trialBytes: Int { 512 }

    init(_ connection: NMEAConnection) {
        self.connection = connection
        link = connection.link
        isRecording = link.isRecording
        decoder = connection.makeDecoder()
        connectedAt = connection.clock.now
        trial = (connection.clock.now, 0)
    }

    private var clock: any SensorClock { connection.clock }

    /// When the last sentence came, or the line was opened.
    private var lastSign: SensorInstant { decoder.lastSentence ?? connectedAt }

    /// Opens the line, listens, and opens it again, until the task is cancelled, or a recorded log ends.
    mutating func run() async {
        connection.report(
            SensorStatus(
                .waiting, reason: "opening \(link.peer)",
                hint: "wait, or plug the receiver in if it is not there"))
        while !Task.isCancelled {
            let end: NMEALinkError
            do throws(NMEALinkError) {
                let channel = try await link.connect()
                hasConnected = true
                let reason = await listen(to: channel)
                await channel.close()
                await deliver(decoder.finish(isFile: isRecording && reason == nil))
                guard let reason else {
                    if !Task.isCancelled { connection.end() }
                    return
                }
                end = reason
                if hasReading { backoff.reset() }
            } catch {
                end = error
            }
            if Task.isCancelled { return }
            let pause = backoff.next()
            // A stale sensor stays stale until a sentence comes: an open line alone is no news.
            if !isStale {
                connection.report(
                    SensorStatus(
                        hasConnected ? .reconnecting : .waiting, reason: end.reason, hint: end.hint)
                )
            }
            await clock.pause(for: pause)
        }
    }

    /// Listens until the line ends, and says why it did; nil at the end of a recorded log.
    private mutating func listen(to channel: any NMEAChannel) async -> NMEALinkError? {
        hasReading = false
        lastPosition = nil
        connectedAt = clock.now
        trial = (clock.now, 0)
        byteCount = 0
        while !Task.isCancelled {
            let deadline = nextDeadline(channel)
            let wait = clock.now.duration(to: deadline)
            let piece = wait > .zero ? await receive(from: channel, within: wait) : nil
            switch piece {
            case .success(let bytes?):
                byteCount += bytes.count
                trial.bytes += bytes.count
                await take(bytes)
            case .success(nil):
                if isRecording { return nil }
                return NMEALinkError(reason: "\(link.peer) ended", hint: "is it still there?")
            case .failure(let error):
                return error
            case nil:
                if Task.isCancelled { break }
                await deliver(
                    decoder.closeEpoch(
                        quietSince: clock.now.advanced(by: .zero - Self.silence)))
                if !isRecording, lastSign.duration(to: clock.now) >= connection.staleAfter {
                    return goStale()
                }
            }
            tryAnotherRate(of: channel)
        }
        return NMEALinkError(reason: "nobody listens any more", hint: "")
    }

    private func nextDeadline(_ channel: any NMEAChannel) -> SensorInstant {
        if isRecording { return clock.now.advanced(by: .seconds(3600)) }
        var next = lastSign.advanced(by: connection.staleAfter)
        if let quiet = decoder.quietSince { next = min(next, quiet.advanced(by: Self.silence)) }
        if channel.guessedRate != nil, decoder.lastSentence == nil {
            next = min(next, trial.since.advanced(by: Self.trialLength))
        }
        return next
    }

    private func receive(
        from channel: any NMEAChannel, within limit: Duration
    ) async -> Result<[UInt8]?, NMEALinkError>? {
        // Bytes can come at the very moment at which the time is up, and are taken either way.
        let answer = Answer()
        _ = await clock.within(limit) {
            do throws(NMEALinkError) {
                let bytes = try await channel.receive()
                if bytes != nil || !Task.isCancelled { answer.set(.success(bytes)) }
            } catch {
                answer.set(.failure(error))
            }
        }
        return answer.value
    }

    /// What `receive` gave, if it gave anything.
    private final class Answer: Sendable {
        private let state = Guarded<Result<[UInt8]?, NMEALinkError>?>(nil)

        var value: Result<[UInt8]?, NMEALinkError>? { state.withLock { $0 } }

        func set(_ value: Result<[UInt8]?, NMEALinkError>) { state.withLock { $0 = value } }
    }

    /// Goes on to the next speed when this one has given no sentence for long enough.
    private mutating func tryAnotherRate(of channel: any NMEAChannel) {
        guard let rate = channel.guessedRate, decoder.lastSentence == nil else { return }
        guard
            trial.bytes >= Self.trialBytes
                || trial.since.duration(to: clock.now) >= Self.trialLength
        else { return }
        channel.guessNextRate()
        // Half a line at the wrong speed spoils the first one at the right speed.
        _ = decoder.finish()
        trial = (clock.now, 0)
        connection.host.log(
            .debug,
            "\(link.peer): no sentence at \(rate) bit/s; trying \(channel.guessedRate ?? rate)")
    }

    // MARK: Silence

    private mutating func goStale() -> NMEALinkError {
        isStale = true
        let status = staleStatus
        connection.report(status)
        return NMEALinkError(reason: status.reason, hint: status.hint)
    }

    private var staleStatus: SensorStatus {
        let silence = connection.staleAfter.secondsText(1)
        let bare = decoder.rejected[.noChecksum] ?? 0
        if byteCount > 0, decoder.lastSentence == nil {
            return SensorStatus(
                .stale, reason: "\(link.peer) sends bytes, but no sentence for \(silence) s",
                hint: bare > 0
                    ? "its sentences have no checksum; set nmea.checksum to optional"
                    : "is the speed right (serial:DEVICE@RATE), and does it speak NMEA?")
        }
        return SensorStatus(
            .stale, reason: "no sentence from \(link.peer) for \(silence) s",
            hint: "is the receiver switched on and connected?")
    }

    // MARK: What came

    private mutating func take(_ bytes: [UInt8]) async {
        guard isRecording else {
            let outputs = decoder.decode(bytes, arrivedAt: clock.now)
            tellRejections()
            return await deliver(outputs)
        }
        // Line by line, so that each is taken at its time.
        var rest = bytes[...]
        while !rest.isEmpty, !Task.isCancelled {
            let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
            let outputs = decoder.decode(Array(rest[..<end]), arrivedAt: clock.now)
            rest = rest[end...]
            await deliver(outputs)
        }
        tellRejections()
    }

    private mutating func deliver(_ outputs: [NMEADecoder.Output]) async {
        for output in outputs {
            switch output {
            case .location(var fix):
                await keepPace(&fix.time)
                lastPosition = clock.now
                note(.location, SensorStatus(.running))
                connection.deliver(fix)
            case .satellites(var satellites):
                await keepPace(&satellites.time)
                note(.satellites, SensorStatus(.running))
                connection.deliver(satellites)
            case .heading(let heading):
                note(.heading, SensorStatus(.running))
                connection.deliver(heading)
            case .noFix:
                lastPosition = nil
                note(
                    .location,
                    SensorStatus(
                        .searching, reason: "the receiver has no fix",
                        hint: "give its antenna a view of the sky"))
            case .diagnostic(let message):
                connection.host.log(.warning, "\(link.peer): \(message)")
            }
        }
        missPosition()
    }

    /// Waits until a recorded reading is due, and stamps it then.
    private mutating func keepPace(_ time: inout ReadingTime) async {
        guard isRecording, let utc = time.utcNanoseconds else { return }
        let due = pace.due(utc, now: clock.now)
        let wait = clock.now.duration(to: due)
        if wait > .zero { await clock.pause(for: wait) }
        if time.source == .arrival { time.instant = max(due, time.instant) }
    }

    /// Tells the status of a kind of sensor, of which a sentence came; with the first of a connection,
    /// the sensors that nothing came for learn that they are connected too.
    private mutating func note(_ kind: SensorKind, _ status: SensorStatus) {
        isStale = false
        connection.report(status, to: kind)
        if hasReading { return }
        hasReading = true
        for other in NMEA.manifest.kinds where other != kind {
            connection.report(
                SensorStatus(
                    .searching, reason: "\(link.peer) gave no \(other.name) yet",
                    hint: "wait, or do without: not every receiver has it"), to: other)
        }
    }

    /// Tells the location sensor when positions have stopped while other sentences go on.
    private mutating func missPosition() {
        guard !isRecording, let last = lastPosition,
            last.duration(to: clock.now) >= connection.staleAfter
        else { return }
        lastPosition = nil
        connection.report(
            SensorStatus(
                .stale, reason: "\(link.peer) gives no new position, but other sentences",
                hint: "is the receiver set to send RMC or GGA?"), to: .location)
    }

    /// Counts what could not be used.
    ///
    /// Bytes between sentences were no readings of ours; nor is anything while a speed is wrong.
    private mutating func tellRejections() {
        guard decoder.rejected != told else { return }
        var (malformed, implausible) = (0, 0)
        for (reason, count) in decoder.rejected {
            let new = count - (told[reason] ?? 0)
            switch reason {
            case .noise: break
            case .implausible: implausible += new
            case .checksum, .noChecksum, .interrupted, .incomplete, .malformed, .overlong:
                malformed += new
            }
        }
        told = decoder.rejected
        guard decoder.lastSentence != nil else { return }
        connection.lose(malformed, .malformed)
        connection.lose(implausible, .implausible)
    }
}

/// When the readings of a recorded log are due: at the distances at which they were measured.
struct RecordingPace {
    private var start: (utc: Int64, instant: SensorInstant)?
    private var last: Int64 = 0

    /// A longer pause in a log, or a step back, is passed over in a second.
    private static var longest: Int64 { 60_000_000_000 }

    /// When a reading of that time is due.
    mutating func due(_ utc: Int64, now: SensorInstant) -> SensorInstant {
        let step = utc &- last
        defer { last = utc }
        guard let start else {
            self.start = (utc, now)
            return now
        }
        if step < 0 || step > Self.longest {
            let next = now.advanced(by: .seconds(1))
            self.start = (utc, next)
            return next
        }
        return start.instant.advanced(by: .nanoseconds(utc - start.utc))
    }
}
