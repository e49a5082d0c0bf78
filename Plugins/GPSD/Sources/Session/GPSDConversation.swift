import Sensorium

/// What is said on a connection, one after the other, until nobody listens any more.
struct GPSDConversation {
    private let connection: GPSDConnection
    private let link: any GPSDLink
    private var decoder: GPSDDecoder
    /// The path of the only receiver to listen to; nil for any.
    private let device: String?
    private var backoff = Backoff()
    private var hasConnected = false
    private var hasReport = false
    private var receivers: [String]?
    private var told: [GPSDDecoder.Rejection: Int] = [:]
    private var complaints = Complaints()
    private var watchesAsked = 0
    /// The reports of other receivers until this connection.
    private var foreignBefore = 0
    private var connectedAt: SensorInstant

    /// After its first report, an epoch stays open for this long.
    static var epochLength: Duration { .milliseconds(100) }
    /// Asks for reports in JSON.
    ///
    /// Source: gpsd_json(5).
    static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\r\n".utf8)
    /// Asks for the last reports of all receivers, once.
    ///
    /// Source: gpsd_json(5).
    static let poll = Array("?POLL;\r\n".utf8)

    init(_ connection: GPSDConnection, _ link: any GPSDLink) {
        self.connection = connection
        self.link = link
        device = connection.host.configuration("gpsd.device")
        decoder = GPSDDecoder(clock: connection.clock, device: device)
        connectedAt = connection.clock.now
    }

    /// When the last report came, or the connection was made.
    private var lastSign: SensorInstant { decoder.lastReport ?? connectedAt }

    private var clock: any SensorClock { connection.clock }

    /// Connects, listens, and connects again, until the task is cancelled.
    mutating func run() async {
        connection.report(
            SensorStatus(
                .waiting, reason: "connecting to \(link.peer)",
                hint: "wait, or start gpsd if it is not running"))
        while !Task.isCancelled {
            let end: GPSDLinkError
            do throws(GPSDLinkError) {
                let channel = try await link.connect()
                hasConnected = true
                connection.use(channel)
                end = await listen(to: channel)
                connection.use(nil)
                await channel.close()
                deliver(decoder.finish())
                tell(complaints.finish())
                if hasReport { backoff.reset() }
            } catch {
                end = error
            }
            if Task.isCancelled { return }
            let pause = backoff.next()
            // A stale sensor stays stale until a report comes: a connection alone is no news.
            if !isStale {
                connection.report(
                    SensorStatus(
                        hasConnected ? .reconnecting : .waiting, reason: end.reason, hint: end.hint)
                )
            }
            await clock.pause(for: pause)
        }
    }

    private var isStale = false

    /// Listens until the connection ends, and says why it did.
    private mutating func listen(to channel: any GPSDChannel) async -> GPSDLinkError {
        hasReport = false
        lastPosition = nil
        receivers = nil
        watchesAsked = 1
        connectedAt = clock.now
        foreignBefore = decoder.foreign
        channel.send(Self.watch)
        while !Task.isCancelled {
            let deadline = nextDeadline
            let wait = clock.now.duration(to: deadline)
            let piece = wait > .zero ? await receive(from: channel, within: wait) : nil
            switch piece {
            case .success(let bytes?):
                deliver(decoder.decode(bytes, arrivedAt: clock.now))
                tellRejections()
                if !answer(on: channel) {
                    return GPSDLinkError(
                        reason: "\(link.peer) stopped sending to us",
                        hint: "does another program switch it off?")
                }
            case .success(nil):
                return GPSDLinkError(reason: "\(link.peer) closed the connection", hint: "")
            case .failure(let error):
                return error
            case nil:
                if Task.isCancelled { break }
                deliver(
                    decoder.closeEpochs(arrivedBy: clock.now.advanced(by: .zero - Self.epochLength))
                )
                if lastSign.duration(to: clock.now) >= connection.staleAfter { return goStale() }
            }
        }
        return GPSDLinkError(reason: "nobody listens any more", hint: "")
    }

    private var nextDeadline: SensorInstant {
        let stale = lastSign.advanced(by: connection.staleAfter)
        guard let epoch = decoder.oldestOpenEpoch else { return stale }
        return min(stale, epoch.advanced(by: Self.epochLength))
    }

    private func receive(
        from channel: any GPSDChannel, within limit: Duration
    ) async -> Result<[UInt8]?, GPSDLinkError>? {
        // Bytes can come at the very moment at which the time is up, and are taken either way.
        let answer = Answer()
        _ = await clock.within(limit) {
            do throws(GPSDLinkError) {
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
        private let state = Guarded<Result<[UInt8]?, GPSDLinkError>?>(nil)

        var value: Result<[UInt8]?, GPSDLinkError>? { state.withLock { $0 } }

        func set(_ value: Result<[UInt8]?, GPSDLinkError>) { state.withLock { $0 = value } }
    }

    private mutating func goStale() -> GPSDLinkError {
        isStale = true
        let status = staleStatus
        connection.report(status)
        return GPSDLinkError(reason: status.reason, hint: status.hint)
    }

    private var staleStatus: SensorStatus {
        let silence = connection.staleAfter.secondsText(1)
        if receivers == [] {
            return SensorStatus(
                .stale, reason: "\(link.peer) has no receiver",
                hint: "plug one in, or add it with gpsdctl add DEVICE")
        }
        if let device, decoder.foreign > foreignBefore {
            let others = (receivers ?? []).filter { $0 != device }.joined(separator: ", ")
            return SensorStatus(
                .stale, reason: "no report of \(device) from \(link.peer) for \(silence) s",
                hint: "is gpsd.device right? gpsd has \(others.isEmpty ? "other ones" : others)")
        }
        return SensorStatus(
            .stale, reason: "no report from \(link.peer) for \(silence) s",
            hint: "is the receiver still connected? (gpsmon shows what it sends)")
    }

    // MARK: What came

    private var mustAskAgain = false
    /// When the last TPV came, while there is a position to lose.
    private var lastPosition: SensorInstant?

    private mutating func deliver(_ outputs: [GPSDDecoder.Output]) {
        for output in outputs {
            switch output {
            case .location(let fix):
                lastPosition = clock.now
                note(.location, SensorStatus(.running))
                connection.deliver(fix)
            case .satellites(let satellites):
                note(.satellites, SensorStatus(.running))
                connection.deliver(satellites)
            case .heading(let heading):
                note(.heading, SensorStatus(.running))
                connection.deliver(heading)
            case .attitude(let attitude):
                note(.attitude, SensorStatus(.running))
                connection.deliver(attitude)
            case .noFix:
                lastPosition = nil
                note(
                    .location,
                    SensorStatus(
                        .searching, reason: "the receiver has no fix",
                        hint: "give its antenna a view of the sky"))
            case .receivers(let paths): receivers = paths
            case .receiverGone(let path):
                lastPosition = nil
                connection.report(
                    SensorStatus(
                        .reconnecting, reason: "the receiver \(path) was taken away",
                        hint: "plug it in again"))
            case .greeting(let release):
                connection.host.log(.debug, "\(link.peer) is gpsd \(release)")
            case .watching(let isOn): mustAskAgain = !isOn
            case .complaint(let message): tell(complaints.take(message, at: clock.now))
            case .diagnostic(let message):
                connection.host.log(.warning, "\(link.peer): \(message)")
            }
        }
        missPosition()
    }

    private func tell(_ complaints: [String]) {
        for text in complaints { connection.host.log(.warning, "\(link.peer) says: \(text)") }
    }

    /// Tells the status of a kind of sensor, of which a report came; with the first report of a
    /// connection, the sensors that nothing came for learn that they are connected too.
    private mutating func note(_ kind: SensorKind, _ status: SensorStatus) {
        isStale = false
        connection.report(status, to: kind)
        if hasReport { return }
        hasReport = true
        for other in GPSD.manifest.kinds where other != kind {
            connection.report(
                SensorStatus(
                    .searching, reason: "\(link.peer) gave no \(other.name) yet",
                    hint: "wait, or do without: not every receiver has it"), to: other)
        }
    }

    /// Tells the location sensor when positions have stopped while other reports go on.
    private mutating func missPosition() {
        guard let last = lastPosition, last.duration(to: clock.now) >= connection.staleAfter else {
            return
        }
        lastPosition = nil
        connection.report(
            SensorStatus(
                .stale, reason: "\(link.peer) gives no new position, but other reports",
                hint: "is the receiver still right? (gpsmon shows what it sends)"), to: .location)
    }

    /// Asks for reports again if gpsd stopped sending; false when that does not help.
    private mutating func answer(on channel: any GPSDChannel) -> Bool {
        guard mustAskAgain else { return true }
        mustAskAgain = false
        watchesAsked += 1
        if watchesAsked > 3 { return false }
        channel.send(Self.watch)
        return true
    }

    /// Counts what could not be used.
    ///
    /// Sentences amid the JSON were no readings of ours.
    private mutating func tellRejections() {
        guard decoder.rejected != told else { return }
        var (malformed, implausible) = (0, 0)
        for (reason, count) in decoder.rejected {
            let new = count - (told[reason] ?? 0)
            switch reason {
            case .nmea, .noise: break
            case .implausible: implausible += new
            case .truncated, .syntax, .type, .classless, .depth, .overlong: malformed += new
            }
        }
        told = decoder.rejected
        connection.lose(malformed, .malformed)
        connection.lose(implausible, .implausible)
    }
}
