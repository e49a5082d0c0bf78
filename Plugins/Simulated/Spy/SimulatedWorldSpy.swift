import Sensorium
import SensoriumTestKit
import SimulatedPlugin

/// Plays the world around the simulated device, and remembers what the plugin did with it.
///
/// It stands in for the link, so that the sensors and the decoding under test are the ones that
/// ship. Nothing here waits or sleeps.
///
/// ```swift
/// let world = SimulatedWorldSpy(clock: clock)
/// let registry = SensorRegistry(host: PluginHost(clock: clock))
/// try await registry.add(world.plugin(for: registry.host))
/// world.loseFix()
/// ```
public final class SimulatedWorldSpy: Sendable {
    struct State {
        var unplugged: Set<SensorKind> = []
        var denied: Set<SensorKind> = []
        var silent: Set<SensorKind> = []
        var hasFix = true
        // What `suffer` has done.
        var stalledUntil: SensorInstant?
        var toDrop = 0
        var toSpoil = 0
        var connections: [SensorKind: Int] = [:]
        var tell: (@Sendable (SensorKind, Bool) -> Void)?
    }

    /// Where it writes what it saw; shared with other spies, if the test says so.
    public let journal: SpyJournal
    let clock: VirtualClock
    private let walk: Walk
    /// When the walk began: when this was made.
    package let origin: SensorInstant
    let state = Guarded(State())

    /// Makes a world in which nothing goes wrong until the test says so.
    public init(
        clock: VirtualClock = VirtualClock(), journal: SpyJournal = SpyJournal(), seed: UInt64 = 1
    ) {
        self.clock = clock
        self.journal = journal
        walk = Walk(seed: seed)
        origin = clock.now
    }

    /// Makes the plugin in this world.
    public func plugin(for host: PluginHost) -> any PluginInstance {
        Simulated(host: host, link: self)
    }

    // MARK: Setting up

    /// Takes the satellites away: the receiver goes on, but has no fix.
    public func loseFix() { change("the fix was lost") { $0.hasFix = false } }

    /// Gives the satellites back.
    public func findFix() { change("the fix came back") { $0.hasFix = true } }

    /// Makes a sensor answer no more.
    public func stall(_ kind: SensorKind) {
        change("\(kind.name) stalled") { $0.silent.insert(kind) }
    }

    /// Makes a stalled sensor answer again.
    public func resume(_ kind: SensorKind) {
        change("\(kind.name) answers again") { $0.silent.remove(kind) }
    }

    /// Refuses a sensor to this process; sessions that are open go on.
    public func deny(_ kind: SensorKind) {
        change("\(kind.name) was denied") { $0.denied.insert(kind) }
    }

    /// Allows a sensor to this process again.
    public func permit(_ kind: SensorKind) {
        change("\(kind.name) was permitted") { $0.denied.remove(kind) }
    }

    /// Takes a sensor away.
    public func unplug(_ kind: SensorKind) {
        change("\(kind.name) was unplugged") { $0.unplugged.insert(kind) }
        state.withLock { $0.tell }?(kind, false)
    }

    /// Puts a sensor back.
    public func plug(_ kind: SensorKind) {
        change("\(kind.name) was plugged in") { $0.unplugged.remove(kind) }
        state.withLock { $0.tell }?(kind, true)
    }

    func change(_ what: String, _ change: (inout State) -> Void) {
        journal.record(.fault(what), by: self, at: clock.now)
        state.withLock { change(&$0) }
    }

    // MARK: Looking

    /// How many sessions of a sensor are open.
    public func connections(to kind: SensorKind) -> Int {
        state.withLock { $0.connections[kind] ?? 0 }
    }

    /// How many sessions are open, over all sensors.
    public var connectionCount: Int {
        state.withLock { $0.connections.values.reduce(0, +) }
    }

    /// What the plugin said, oldest first: `connect location`.
    public var commands: [String] {
        journal.events(of: self).compactMap { event in
            if case .said(let what) = event { what } else { nil }
        }
    }
}

extension SimulatedWorldSpy: CustomStringConvertible {
    /// `simulated world`, its name in the journal.
    public var description: String { "simulated world" }
}

extension SimulatedWorldSpy: SimulatedLink {
    package var plugged: Set<SensorKind> {
        Set(Simulated.manifest.kinds).subtracting(state.withLock { $0.unplugged })
    }

    package func watch(_ tell: (@Sendable (SensorKind, Bool) -> Void)?) {
        state.withLock { $0.tell = tell }
    }

    package func authorization(of kind: SensorKind) -> AuthorizationStatus {
        state.withLock { $0.denied.contains(kind) } ? .denied : .authorized
    }

    package func connect(_ kind: SensorKind) async throws(SimulatedFault) {
        journal.record(.said("connect \(kind.name)"), by: self, at: clock.now)
        try state.withLock { state throws(SimulatedFault) in
            if state.unplugged.contains(kind) { throw .missing }
            if state.denied.contains(kind) { throw .denied }
            state.connections[kind, default: 0] += 1
        }
    }

    package func disconnect(_ kind: SensorKind) {
        journal.record(.said("disconnect \(kind.name)"), by: self, at: clock.now)
        let wasConnected = state.withLock { state in
            let count = state.connections[kind] ?? 0
            state.connections[kind] = max(0, count - 1)
            return count > 0
        }
        if !wasConnected { complain("disconnect \(kind.name), which is not connected") }
    }

    package func read(_ kind: SensorKind, at instant: SensorInstant) -> SimulatedAnswer {
        let moment = walk.moment(after: origin.duration(to: instant))
        let (answer, isConnected) = state.withLock { state in
            (state.answer(kind, at: instant, moment), state.connections[kind] ?? 0 > 0)
        }
        if !isConnected { complain("a reading of \(kind.name), which is not connected") }
        return answer
    }

    private func complain(_ what: String) {
        journal.record(.unexpected(what), by: self, at: clock.now)
    }
}

extension SimulatedWorldSpy.State {
    /// What a sensor answers that would measure `moment` at `instant`.
    fileprivate mutating func answer(
        _ kind: SensorKind, at instant: SensorInstant, _ moment: Walk.Moment
    ) -> SimulatedAnswer {
        if unplugged.contains(kind) { return .unplugged }
        if silent.contains(kind) { return .silence }
        if let until = stalledUntil {
            if instant < until { return .silence }
            stalledUntil = nil
        }
        if kind == .location, !hasFix { return .nothingToMeasure }
        if toDrop > 0 {
            toDrop -= 1
            return .lost
        }
        if toSpoil > 0 {
            toSpoil -= 1
            return .measured(moment.spoiled)
        }
        return .measured(moment)
    }
}
