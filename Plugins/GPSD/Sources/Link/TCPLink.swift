import Sensorium

/// The real way to gpsd: TCP, on a thread of each connection's own.
struct TCPLink: GPSDLink {
    private let address: GPSDAddress?
    private let text: String
    private let clock: any SensorClock

    /// How long a connection may take to be made.
    private static var timeLimit: Duration { .seconds(5) }

    /// Makes a link to `address`; to this machine's gpsd where it is nil.
    init(address: String?, clock: any SensorClock) {
        text = address ?? "127.0.0.1:2947"
        self.address = GPSDAddress(text)
        self.clock = clock
    }

    var peer: String { "gpsd at \(address?.description ?? text)" }

    func connect() async throws(GPSDLinkError) -> any GPSDChannel {
        guard let address else {
            throw GPSDLinkError(
                reason: "'\(text)' is no address",
                hint: "set gpsd.address to HOST:PORT, for example 127.0.0.1:2947")
        }
        let channel = TCPChannel(address: address, peer: peer)
        let result = await clock.within(Self.timeLimit) { await channel.connected() }
        switch result {
        case .success: return channel
        case .failure(let error):
            await channel.close()
            throw error
        case nil:
            await channel.close()
            throw GPSDLinkError(
                reason: "\(peer) did not answer within \(Self.timeLimit.secondsText(0)) s",
                hint: "is the address right, and does a firewall let it through?")
        }
    }
}
