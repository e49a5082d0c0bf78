public import NMEAPlugin
public import Sensorium
public import SensoriumTestKit

/// Plays a receiver's part from a script, below the plugin.
///
/// It stands in for the line, so that the decoder, the retries and the time-outs under test are those
/// that ship. Nothing here opens a device or sleeps, so a test gives the same result everywhere.
///
/// ```swift
/// let receiver = NMEALineSpy(.line(NMEALine.position(latitude: 48.1, longitude: 11.5)), clock: clock)
/// let registry = SensorRegistry(host: PluginHost(clock: clock))
/// try await registry.add(receiver.plugin(host: registry.host))
/// ```
///
/// After the script's end the line stays open and silent; `say` goes on with it.
public final class NMEALineSpy: Sendable {
    struct State {
        var steps: [NMEAStep] = []
        var isAway = false
        var refusals = 0
        var isDenied = false
        var channel: SpyLine?
        var connections = 0
        var toDrop = 0
        var toSpoil = 0
        var stalledUntil: SensorInstant?
        /// The rate that the line is set to.
        var rate: Int
        var onConnect: [@Sendable (Result<Void, any Error>) -> Void] = []
    }

    let state: Guarded<State>
    /// The test's clock.
    public let clock: VirtualClock
    /// Where it writes what it saw.
    public let journal: SpyJournal
    /// Its name in the journal.
    public let name: String
    /// The speed in bit/s at which it can be understood; nil where any will do.
    public let speaksAt: Int?

    /// Makes a receiver that says `script`, step by step.
    ///
    /// - Parameter speaksAt: the speed in bit/s that the plugin has to guess: at any other, all that it
    ///   gets is garbled.
    public init(
        _ script: NMEAStep..., clock: VirtualClock = VirtualClock(),
        journal: SpyJournal = SpyJournal(), name: String = "receiver", speaksAt: Int? = nil
    ) {
        state = Guarded(State(steps: script, rate: SpyLine.rates[0]))
        self.clock = clock
        self.journal = journal
        self.name = name
        self.speaksAt = speaksAt
    }

    /// The NMEA plugin, listening to this receiver.
    public func plugin(host: PluginHost) -> NMEA { NMEA(host: host, link: self) }

    // MARK: Looking

    /// How many steps nobody has come for yet.
    public var unread: Int { state.withLock { $0.steps.count } }

    /// How often the plugin opened the line.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// Whether the line is open.
    public var isConnected: Bool { state.withLock { $0.channel != nil } }

    /// Whether a sentence of now would be heard: the line is open, and no stall holds it up.
    public var isHeard: Bool {
        state.withLock { state in
            state.channel != nil && state.stalledUntil.map { $0 <= clock.now } ?? true
        }
    }

    /// Every speed that the plugin tried after the first, in bit/s.
    public var ratesTried: [Int] {
        journal.events(of: name).compactMap {
            if case .said(let text) = $0 { Int(text) } else { nil }
        }
    }

    /// Waits until the line is open.
    ///
    /// - Throws: `VirtualClockError` when nobody opens it.
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
    public func say(_ steps: NMEAStep...) async {
        let channel = state.withLock { state in
            state.steps += steps
            return state.channel
        }
        channel?.wake()
        await clock.settle()
    }

    func record(_ event: SpyJournal.Event) { journal.record(event, by: name, at: clock.now) }
}

extension NMEALineSpy: NMEALink {
    /// `the receiver spy`.
    package var peer: String { "the receiver spy" }

    /// While the right to read is taken away.
    package var denial: NMEALinkError? {
        state.withLock { $0.isDenied }
            ? NMEALinkError(reason: "the receiver spy is root's", hint: "join the group dialout")
            : nil
    }

    /// Opens the line, unless the script refuses.
    package func connect() async throws(NMEALinkError) -> any NMEAChannel {
        let (channel, waiters) = state.withLock {
            state -> (SpyLine?, [@Sendable (Result<Void, any Error>) -> Void]) in
            if case .refuse(let count)? = state.steps.first {
                state.steps.removeFirst()
                state.refusals += count
            }
            if state.isDenied || state.isAway { return (nil, []) }
            if state.refusals > 0 {
                state.refusals -= 1
                return (nil, [])
            }
            state.connections += 1
            let channel = SpyLine(self)
            state.channel = channel
            defer { state.onConnect = [] }
            return (channel, state.onConnect)
        }
        guard let channel else {
            record(.fault("the line could not be opened"))
            throw denial ?? NMEALinkError(reason: "there is no receiver spy", hint: "plug it in")
        }
        record(.opened(.default))
        for tell in waiters { tell(.success(())) }
        return channel
    }

    func ended(_ channel: SpyLine) {
        let wasOpen = state.withLock { state in
            guard state.channel === channel else { return false }
            state.channel = nil
            return true
        }
        if wasOpen { record(.closed) }
    }
}
