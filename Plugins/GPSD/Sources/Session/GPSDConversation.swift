import Sensorium

/// What is said on a connection, one after the other, until nobody listens any more.
struct GPSDConversation {
    private let connection: GPSDConnection
    private let link: any GPSDLink
    private var decoder: GPSDDecoder
    private var backoff = Backoff()
    private var hasConnected = false
    private var hasReport = false
    private var receivers: [String]?
    private var told: [GPSDDecoder.Rejection: Int] = [:]
    private var watchesAsked = 0
    private var connectedAt: SensorInstant

    /// After its first report, an epoch stays open for this long.
    static var epochLength: Duration { .milliseconds(100) }
    /// Asks for reports in JSON.
    ///
    /// Source: gpsd_json(5).
    static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\r\n".utf8)

    init(_ connection: GPSDConnection, _ link: any GPSDLink) {
        self.connection = connection
        self.link = link
        decoder = GPSDDecoder(
            clock: connection.clock, device: connection.host.configuration("gpsd.device"))
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
                end = await listen(to: channel)
                await channel.close()
                deliver(decoder.finish())
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
        receivers = nil
        watchesAsked = 1
        connectedAt = clock.now
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
        let answer = await clock.within(limit) { () -> Result<[UInt8]?, GPSDLinkError>? in
            do throws(GPSDLinkError) {
                let bytes = try await channel.receive()
                // The time was up: what comes now is for the next call.
                return bytes == nil && Task.isCancelled ? nil : .success(bytes)
            } catch {
                return .failure(error)
            }
        }
        return answer ?? nil
    }

    private mutating func goStale() -> GPSDLinkError {
        isStale = true
        let silence = connection.staleAfter.secondsText(1)
        let status =
            receivers == []
            ? SensorStatus(
                .stale, reason: "\(link.peer) has no receiver",
                hint: "plug one in, or add it with gpsdctl add DEVICE")
            : SensorStatus(
                .stale, reason: "no report from \(link.peer) for \(silence) s",
                hint: "is the receiver still connected? (gpsmon shows what it sends)")
        connection.report(status)
        return GPSDLinkError(reason: status.reason, hint: status.hint)
    }

    // MARK: What came

    private var mustAskAgain = false

    private mutating func deliver(_ outputs: [GPSDDecoder.Output]) {
        for output in outputs {
            switch output {
            case .location(let fix):
                note(SensorStatus(.running))
                connection.deliver(fix)
            case .satellites(let satellites):
                noteReport()
                connection.deliver(satellites)
            case .heading(let heading):
                noteReport()
                connection.deliver(heading)
            case .attitude(let attitude):
                noteReport()
                connection.deliver(attitude)
            case .noFix:
                note(
                    SensorStatus(
                        .searching, reason: "the receiver has no fix",
                        hint: "give its antenna a view of the sky"))
            case .receivers(let paths): receivers = paths
            case .receiverGone(let path):
                connection.report(
                    SensorStatus(
                        .reconnecting, reason: "the receiver \(path) was taken away",
                        hint: "plug it in again"))
            case .greeting(let release):
                connection.host.log(.debug, "\(link.peer) is gpsd \(release)")
            case .watching(let isOn): mustAskAgain = !isOn
            case .complaint(let message):
                connection.host.log(.warning, "\(link.peer) says: \(message)")
            case .diagnostic(let message):
                connection.host.log(.warning, "\(link.peer): \(message)")
            }
        }
    }

    private mutating func noteReport() {
        hasReport = true
        isStale = false
    }

    private mutating func note(_ status: SensorStatus) {
        noteReport()
        connection.report(status)
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
            case .truncated, .syntax, .type, .depth, .overlong: malformed += new
            }
        }
        told = decoder.rejected
        connection.lose(malformed, .malformed)
        connection.lose(implausible, .implausible)
    }
}
