import Glibc
import Sensorium
import SensoriumPluginKit

/// The real way to a receiver: a descriptor, on a thread of each connection's own.
struct SystemLink: NMEALink {
    private let source: NMEASource
    private let clock: any SensorClock
    private let guess: RateGuess?
    /// The name that the device has wherever it is plugged in, once it was there.
    private let stableName = StableName()

    /// How long opening may take.
    private static var timeLimit: Duration { .seconds(5) }

    init(_ source: NMEASource, clock: any SensorClock) {
        self.source = source
        self.clock = clock
        if case .serial(_, rate: nil) = source { guess = RateGuess() } else { guess = nil }
    }

    var peer: String { "\(source)" }

    var isRecording: Bool {
        guard case .file(let path) = source else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    var denial: NMEALinkError? {
        switch source {
        case .serial(let path, _), .file(let path): Self.denial(of: path)
        case .tcp, .udp: nil
        }
    }

    private static func denial(of path: String) -> NMEALinkError? {
        let id = SensorID(NMEA.manifest.id)
        guard case .denied(_, let reason, let hint) = DeviceAccess(path).error(for: id) else {
            return nil
        }
        return NMEALinkError(reason: reason, hint: hint)
    }

    func connect() async throws(NMEALinkError) -> any NMEAChannel {
        let channel = DescriptorChannel(origin, peer: peer)
        switch await clock.within(Self.timeLimit, { await channel.opened() }) {
        case .success: return channel
        case .failure(let error):
            await channel.close()
            throw error
        case nil:
            await channel.close()
            throw NMEALinkError(
                reason: "\(peer) did not answer within \(Self.timeLimit.secondsText(0)) s",
                hint: "is the address right, and does a firewall let it through?")
        }
    }

    private var origin: DescriptorChannel.Origin {
        switch source {
        case .serial(let path, let rate): serial(path, rate)
        case .tcp(let host, let port):
            DescriptorChannel.Origin(
                open: { [peer] in Sockets.connect(host, port, peer, $0) },
                end: NMEALinkError(
                    reason: "\(peer) closed the connection", hint: "was it stopped or restarted?"),
                failure: { [peer] in
                    NMEALinkError(
                        reason: "\(peer): \(SystemText.of($0))", hint: "check the network")
                })
        case .udp(let host, let port):
            DescriptorChannel.Origin(
                open: { [peer] in Sockets.bind(host, port, peer, $0) },
                failure: { [peer] in
                    NMEALinkError(
                        reason: "\(peer): \(SystemText.of($0))", hint: "check the network")
                }, hasMessages: true)
        case .file(let path): file(path)
        }
    }

    private func serial(_ path: String, _ rate: Int?) -> DescriptorChannel.Origin {
        // A device that comes back may have another number; its stable name stays.
        let known = stableName.value.flatMap { access($0, F_OK) == 0 ? $0 : nil } ?? path
        return DescriptorChannel.Origin(
            open: { [guess, stableName] _ in
                let result = SerialPort.open(known, rate: rate ?? guess?.current ?? 4800)
                if case .success = result, let name = SerialPort.stableName(of: known) {
                    stableName.value = name
                }
                return denied(known, result)
            },
            end: NMEALinkError(reason: "\(known) was pulled out", hint: "plug it in again"),
            failure: { SerialPort.problem($0, known) }, rates: guess)
    }

    /// A refusal, with what would help.
    private func denied(
        _ path: String, _ result: Result<Int32, NMEALinkError>
    ) -> Result<Int32, NMEALinkError> {
        if case .failure = result, let denial = Self.denial(of: path) { return .failure(denial) }
        return result
    }

    private func file(_ path: String) -> DescriptorChannel.Origin {
        DescriptorChannel.Origin(
            open: { _ in
                let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                if descriptor >= 0 { return .success(descriptor) }
                return denied(
                    path,
                    .failure(
                        NMEALinkError(
                            reason: "\(path): \(SystemText.of(errno))",
                            hint: "check nmea.source")))
            },
            failure: {
                NMEALinkError(
                    reason: "\(path): \(SystemText.of($0))", hint: "is it a file of sentences?")
            }, isBounded: true)
    }

    private final class StableName: Sendable {
        private let state = Guarded<String?>(nil)

        var value: String? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}

/// A link to a source that nobody can read: what was written is no source.
struct UnreadableLink: NMEALink {
    let text: String

    var peer: String { "'\(text)'" }

    func connect() async throws(NMEALinkError) -> any NMEAChannel {
        throw NMEALinkError(
            reason: "'\(text)' is no source of sentences",
            hint: "set nmea.source to \(NMEASource.forms)")
    }
}
