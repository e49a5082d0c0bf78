import ReplayPlugin
public import Sensorium
public import SensoriumRecording
public import SensoriumTestKit

/// Stands in for the file that the plugin plays: recordings in memory, which may be missing, may not be
/// read, or hold what a file should not.
///
/// ```swift
/// let files = RecordingFileSpy(["walk.mcap": recording], clock: clock)
/// let registry = SensorRegistry(host: files.host(playing: "walk.mcap"))
/// try await registry.add(files.plugin(for: registry.host))
/// ```
///
/// An app's tests rather want `RecordingSpy`, which needs no plugin.
public final class RecordingFileSpy: Sendable {
    /// Where it writes what it saw; shared with other spies, if the test says so.
    public let journal: SpyJournal
    /// The test's clock.
    public let clock: VirtualClock

    struct State {
        var recordings: [String: MemoryRecording]
        var isDenied = false
        var toDrop = 0
        var toSpoil = 0
    }

    let state: Guarded<State>

    /// Makes files of those names.
    public init(
        _ recordings: [String: MemoryRecording], clock: VirtualClock = VirtualClock(),
        journal: SpyJournal = SpyJournal()
    ) {
        self.clock = clock
        self.journal = journal
        state = Guarded(State(recordings: recordings))
    }

    /// A host whose configuration names one of the files.
    ///
    /// - Parameter configuration: more of it, such as `replay.speed`.
    public func host(
        playing path: String, _ configuration: [String: String] = [:]
    ) -> PluginHost {
        PluginHost(
            clock: clock, configuration: { $0 == "replay.file" ? path : configuration[$0] })
    }

    /// Makes the plugin over these files.
    public func plugin(for host: PluginHost) -> any PluginInstance {
        Replay(host: host, link: self)
    }

    func record(_ event: SpyJournal.Event) {
        journal.record(event, by: "recording files", at: clock.now)
    }
}

extension RecordingFileSpy: ReplayLink {
    package func open(_ path: String) throws(RecordingError) -> sending any RecordingReader {
        record(.said("open \(path)"))
        let (recording, isDenied) = state.withLock { ($0.recordings[path], $0.isDenied) }
        if isDenied {
            throw RecordingError(
                .denied, path: path, reason: "permission denied (EACCES)",
                hint: "let this user read it")
        }
        guard let recording else {
            throw RecordingError(
                .unreadable, path: path, reason: "there is no such file (ENOENT)",
                hint: "check its name")
        }
        return AfflictedReader(recording.reader(), self)
    }
}

extension RecordingFileSpy: FaultTarget {
    /// What can be wrong with a file, and UTC: `.drop`, `.notANumber`, `.deny`, `.permit`, `.clockJump`.
    public func canSuffer(_ fault: Fault) -> Bool {
        switch fault {
        case .drop, .notANumber, .deny, .permit, .clockJump: true
        default: false
        }
    }

    /// Makes `fault` happen.
    ///
    /// - `.drop`: the next readings are recorded as lost.
    /// - `.notANumber`: the next reading with numbers holds one that is none.
    /// - `.deny`, `.permit`: files cannot be opened, and can; what is played goes on.
    ///
    /// - Throws: `SpyError` for what it cannot suffer.
    public func suffer(_ fault: Fault) async throws {
        guard canSuffer(fault) else { throw SpyError("a file cannot suffer this: \(fault)") }
        record(.fault(fault.description))
        switch fault {
        case .drop(let count): state.withLock { $0.toDrop += count }
        case .notANumber: state.withLock { $0.toSpoil += 1 }
        case .deny: state.withLock { $0.isDenied = true }
        case .permit: state.withLock { $0.isDenied = false }
        case .clockJump(let time): clock.step(.realtime, by: time)
        default: break
        }
    }

    /// What becomes of an event on its way out of the file.
    fileprivate func afflict(_ event: RecordedEvent) -> RecordedEvent {
        guard let reading = event.reading else { return event }
        return state.withLock { state in
            var changed = event
            if state.toDrop > 0 {
                state.toDrop -= 1
                changed.content = .lost(ReadingLoss(count: 1, reason: .injected))
            } else if state.toSpoil > 0, let spoiled = reading.spoiled {
                state.toSpoil -= 1
                changed.content = .reading(spoiled)
            }
            return changed
        }
    }
}

extension RecordedReading {
    /// The reading with a number that is none; nil where it has no number.
    fileprivate var spoiled: RecordedReading? {
        switch self {
        case .location(var fix):
            fix.latitude = .nan
            return .location(fix)
        case .acceleration(var reading):
            reading.x = .nan
            return .acceleration(reading)
        case .angularVelocity(var reading):
            reading.x = .nan
            return .angularVelocity(reading)
        case .magneticField(var reading):
            reading.x = .nan
            return .magneticField(reading)
        case .pressure(var reading):
            reading.value = .nan
            return .pressure(reading)
        case .temperature(var reading):
            reading.value = .nan
            return .temperature(reading)
        default: return nil
        }
    }
}

private final class AfflictedReader: RecordingReader {
    private let base: any RecordingReader
    private let spy: RecordingFileSpy

    init(_ base: sending any RecordingReader, _ spy: RecordingFileSpy) {
        self.base = base
        self.spy = spy
    }

    var metadata: RecordingMetadata { base.metadata }
    var sensors: [RecordedSensor] { base.sensors }
    var damage: RecordingDamage { base.damage }

    func next() throws(RecordingError) -> RecordedEvent? { try base.next().map(spy.afflict) }

    func seek(to instant: SensorInstant) throws(RecordingError) { try base.seek(to: instant) }
}
