import Sensorium

/// What a command tells beside its output: statuses, losses, what plugins say, failures.
///
/// Goes to standard error, or, while a table is on the screen, to the table.
final class Notices: Sendable {
    private struct State {
        var divert: (@Sendable (String) -> Void)?
        var last: [SensorID: SensorStatus] = [:]
        var kept: [String] = []
    }

    private let output: any TextOutput
    private let state = Guarded(State())

    init(to output: any TextOutput) { self.output = output }

    /// Tells something, as one line.
    func post(_ text: String) {
        let line = text.printable
        if let divert = state.withLock({ $0.divert }) {
            divert(line)
        } else {
            output.post(line + "\n")
        }
    }

    /// Tells how a source does; not again while it stays the same, and not that all is well where
    /// nobody said otherwise.
    func post(_ status: SensorStatus, of source: SensorID) {
        let isNew = state.withLock { state in
            let last = state.last.updateValue(status, forKey: source)
            return last == nil ? status != SensorStatus(.running) : last != status
        }
        if isNew { post("\(source): \(status)") }
    }

    /// Tells something that must be read also when a table is on the screen: then it is told when the
    /// table is gone.
    func postLast(_ text: String) {
        let isDiverted = state.withLock { state in
            if state.divert != nil { state.kept.append(text) }
            return state.divert != nil
        }
        if !isDiverted { post(text) }
    }

    /// Sends what is told elsewhere; nil for standard error again.
    func divert(to place: (@Sendable (String) -> Void)?) {
        let kept = state.withLock { state in
            defer { state.kept = [] }
            state.divert = place
            return state.kept
        }
        for text in kept { post(text) }
    }

    /// Waits until all is told.
    func drained() async { await output.drained() }
}

/// Adds up lost readings, so that a flood of losses is told once a second, not once each.
final class LossLedger: Sendable {
    private struct Key: Hashable {
        var sensor: SensorID
        var reason: ReadingLoss.Reason
    }

    private struct Account {
        var untold = 0
        var total = 0
        var told: SensorInstant?
    }

    private let accounts = Guarded<[Key: Account]>([:])
    private let notices: Notices
    private let clock: any SensorClock

    init(notices: Notices, clock: any SensorClock) {
        self.notices = notices
        self.clock = clock
    }

    func add(_ loss: ReadingLoss, of sensor: SensorID) {
        let key = Key(sensor: sensor, reason: loss.reason)
        let now = clock.now
        let count = accounts.withLock { accounts -> Int? in
            var account = accounts[key] ?? Account()
            defer { accounts[key] = account }
            account.untold += loss.count
            account.total += loss.count
            if let told = account.told, told.duration(to: now) < .seconds(1) { return nil }
            defer { account.untold = 0 }
            account.told = now
            return account.untold
        }
        if let count { tell(count, key) }
    }

    /// How many readings of a sensor are lost.
    func total(of sensor: SensorID) -> Int {
        accounts.withLock { accounts in
            accounts.filter { $0.key.sensor == sensor }.values.reduce(0) { $0 + $1.total }
        }
    }

    /// Tells what was added up and not yet told.
    func settle() {
        let untold = accounts.withLock { accounts in
            defer { for key in accounts.keys { accounts[key]?.untold = 0 } }
            return accounts.filter { $0.value.untold > 0 }
        }
        let inOrder = untold.sorted {
            ($0.key.sensor, $0.key.reason.rawValue) < ($1.key.sensor, $1.key.reason.rawValue)
        }
        for (key, account) in inOrder { tell(account.untold, key) }
    }

    private func tell(_ count: Int, _ key: Key) {
        let noun = count == 1 ? "reading" : "readings"
        notices.post("\(key.sensor): \(count) \(noun) lost: \(key.reason.words)")
    }
}

extension ReadingLoss.Reason {
    /// Why, as a clause.
    var words: String {
        switch self {
        case .slowConsumer: "they came faster than they could be written"
        case .device: "the device, its driver or its daemon dropped them"
        case .malformed: "what came could not be understood"
        case .implausible: "what came made no sense (not a number, or out of range)"
        case .injected: "a fault was injected"
        }
    }
}
