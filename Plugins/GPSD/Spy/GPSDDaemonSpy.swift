public import GPSDPlugin
public import Sensorium
public import SensoriumTestKit

/// Plays gpsd's part from a script, and remembers what the plugin said to it.
///
/// It stands in for the link, so that the decoder, the retries and the time-outs under test are those
/// that ship. Nothing here opens a socket or sleeps, so a test gives the same result everywhere.
///
/// ```swift
/// let daemon = GPSDDaemonSpy(GPSDLine.version, GPSDLine.position(latitude: 48.1, longitude: 11.5), clock: clock)
/// let registry = SensorRegistry(host: PluginHost(clock: clock))
/// try await registry.add(daemon.plugin(host: registry.host))
/// ```
///
/// A greeting and the answer to `?WATCH` are sent by themselves, unless the script is
/// `bare`. After the script's end the connection stays open and silent; `say` goes on with it.
public final class GPSDDaemonSpy: Sendable {
    struct State {
        var steps: [GPSDStep] = []
        var isBare = false
        var isStopped = false
        var refusals = 0
        var isDenied = false
        var channel: SpyChannel?
        /// Whether the present client asked for reports.
        var isWatched = false
        var connections = 0
        var toDrop = 0
        var toSpoil = 0
        var stalledUntil: SensorInstant?
        var isUnplugged = false
        var onConnect: [@Sendable (Result<Void, any Error>) -> Void] = []
    }

    let state: Guarded<State>
    /// The test's clock.
    public let clock: VirtualClock
    /// Where it writes what it saw.
    public let journal: SpyJournal
    /// Its name in the journal.
    public let name: String

    /// Makes a daemon that says `script`, step by step.
    public init(
        _ script: GPSDStep..., clock: VirtualClock = VirtualClock(),
        journal: SpyJournal = SpyJournal(), name: String = "gpsd", bare: Bool = false
    ) {
        state = Guarded(State(steps: script, isBare: bare))
        self.clock = clock
        self.journal = journal
        self.name = name
    }

    /// The gpsd plugin, talking to this daemon.
    public func plugin(host: PluginHost) -> GPSD { GPSD(host: host, link: self) }

    // MARK: Looking

    /// Every command received, oldest first, without line ends.
    public var commands: [String] {
        journal.events(of: name).compactMap { if case .said(let text) = $0 { text } else { nil } }
    }

    /// How many steps nobody has come for yet.
    public var unread: Int { state.withLock { $0.steps.count } }

    /// How often the plugin connected.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// Whether a connection stands.
    public var isConnected: Bool { state.withLock { $0.channel != nil } }

    /// Whether a report of now would be heard: a client asked for them, the receiver is plugged in, and
    /// no stall holds them up.
    public var isHeard: Bool {
        state.withLock { state in
            state.channel != nil && state.isWatched && !state.isUnplugged
                && state.stalledUntil.map { $0 <= clock.now } ?? true
        }
    }

    /// Waits until a connection stands.
    ///
    /// - Throws: `VirtualClockError` when nobody connects.
    public func connected() async throws {
        try await clock.expect("\(name) to be connected to") { answer in
            let isConnected = state.withLock { state in
                if state.channel == nil { state.onConnect.append(answer) }
                return state.channel != nil
            }
            if isConnected { answer(.success(())) }
        }
    }

    // MARK: Going on

    /// Adds steps to the script, and waits until the plugin has dealt with them.
    public func say(_ steps: GPSDStep...) async {
        let channel = state.withLock { state in
            state.steps += steps
            return state.channel
        }
        channel?.wake()
        await clock.settle()
    }

    func record(_ event: SpyJournal.Event) { journal.record(event, by: name, at: clock.now) }
}

extension GPSDDaemonSpy: GPSDLink {
    /// `gpsd at spy`.
    package var peer: String { "gpsd at spy" }

    /// Connects, unless the script refuses.
    package func connect() async throws(GPSDLinkError) -> any GPSDChannel {
        let (channel, waiters) = state.withLock {
            state -> (SpyChannel?, [@Sendable (Result<Void, any Error>) -> Void]) in
            if case .refuse(let count)? = state.steps.first {
                state.steps.removeFirst()
                state.refusals += count
            }
            if state.isDenied || state.isStopped { return (nil, []) }
            if state.refusals > 0 {
                state.refusals -= 1
                return (nil, [])
            }
            state.connections += 1
            if !state.isBare {
                state.steps.insert(contentsOf: [.line(GPSDLine.version)], at: 0)
            }
            let channel = SpyChannel(self)
            state.channel = channel
            state.isWatched = false
            defer { state.onConnect = [] }
            return (channel, state.onConnect)
        }
        guard let channel else {
            record(.fault("a connection was refused"))
            throw GPSDLinkError(
                reason: "gpsd at spy refused the connection", hint: "is it running?")
        }
        record(.opened(.default))
        for tell in waiters { tell(.success(())) }
        return channel
    }

    func ended(_ channel: SpyChannel) {
        let wasOpen = state.withLock { state in
            guard state.channel === channel else { return false }
            state.channel = nil
            return true
        }
        if wasOpen { record(.closed) }
    }

    func heard(_ bytes: [UInt8], on channel: SpyChannel) {
        for line in GPSDCommand.lines(in: bytes) {
            record(.said(String(line)))
            if let oddity = GPSDCommand.oddity(of: line) { record(.unexpected(oddity)) }
            guard GPSDCommand.startsReports(line) else { continue }
            state.withLock { state in
                state.isWatched = true
                if state.isBare { return }
                let place = state.steps.first == .line(GPSDLine.version) ? 1 : 0
                state.steps.insert(.line(GPSDLine.watch), at: place)
            }
        }
        channel.wake()
    }
}
