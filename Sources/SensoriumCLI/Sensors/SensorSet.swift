import Sensorium
import SensoriumPluginKit

/// The sensors of this machine as one run of the command sees them, and how they were found.
struct SensorSet: Sendable {
    var registry: SensorRegistry
    /// What became of every folder and file; nil where none was looked at.
    var report: LoadReport?
    /// Plugins that were loaded and could not look for sensors, by id.
    var failures: [(plugin: String, error: SensorError)] = []

    /// Loads the plugins of the usual folders, those in `folders` first.
    static func load(_ folders: [String], _ host: PluginHost) async -> SensorSet {
        var set = SensorSet(registry: SensorRegistry(host: host))
        let loader = PluginLoader(host: host, crashMarkers: CrashMarkers())
        let report = await loader.load(PluginSearchPath(first: folders))
        set.report = report
        await set.add(report.plugins)
        return set
    }

    /// How long a plugin may look for sensors before the command goes on without it.
    static let patience = Duration.seconds(3)

    /// Adds plugins, all at once, so that one that waits for an answer holds up no other.
    ///
    /// One that is not done in time is told, and goes on; what it finds later arrives later.
    mutating func add(_ plugins: [any PluginInstance]) async {
        let (registry, clock) = (registry, registry.host.clock)
        let start = clock.now
        let searches = plugins.map { plugin in
            let answer = Answer<Result<Bool, SensorError>>()
            let name = plugin.manifest.id
            clock.spawn("look for sensors of \(name)") {
                do throws(SensorError) {
                    try await registry.add(plugin)
                    answer.give(.success(true))
                } catch {
                    answer.give(.failure(error))
                }
            }
            return (name: name, answer: answer)
        }
        for (name, answer) in searches {
            let left = clock.now.duration(to: start.advanced(by: Self.patience))
            let result = await clock.within(left) { await answer.wait() } ?? answer.value
            switch result {
            case .success: break
            case .failure(let error): failures.append((name, error))
            case nil:
                if Task.isCancelled { return }
                registry.host.log(
                    .warning,
                    "\(name) still looks for sensors after \(Self.patience.secondsText(0)) s; "
                        + "going on without those it has not found")
            }
        }
    }

    /// Stops every plugin; waits no longer than 2 s for that, also when the task is cancelled.
    ///
    /// - Returns: whether all stopped in time.
    func stop(on clock: any SensorClock) async -> Bool {
        await withUnsafeContinuation { continuation in
            let answer = FirstAnswer(continuation)
            let alarm = clock.spawn("time limit of stopping") {
                if await clock.pause(for: .seconds(2)) { answer.give(false) }
            }
            clock.spawn("stop the plugins") {
                await registry.removeAll()
                alarm.cancel()
                answer.give(true)
            }
        }
    }
}

/// Resumes a continuation with the first of several answers.
private final class FirstAnswer: Sendable {
    private let waiting: Guarded<UnsafeContinuation<Bool, Never>?>

    init(_ continuation: UnsafeContinuation<Bool, Never>) { waiting = Guarded(continuation) }

    func give(_ answer: Bool) {
        let first = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        first?.resume(returning: answer)
    }
}

// MARK: Choosing

extension SensorSet {
    /// The sensors that words name: ids, or kinds; all kinds where there is no word.
    ///
    /// A kind stands for every sensor of it, but simulated ones only where no real one is there, so
    /// that nobody takes made-up readings for real ones.
    func all(_ words: [String]) throws(CommandFailure) -> [SensorDescriptor] {
        let there = registry.descriptors
        if words.isEmpty {
            guard !there.isEmpty else { throw nothing("sensor") }
            return SensorKind.allCases.flatMap { Self.standing(for: $0, there) }
        }
        var chosen: [SensorDescriptor] = []
        for word in words {
            let named: [SensorDescriptor]
            if let sensor = there.first(where: { $0.id.rawValue == word }) {
                named = [sensor]
            } else if let kind = SensorKind(name: word) {
                named = Self.standing(for: kind, there)
                if named.isEmpty { throw nothing("\(kind.words) sensor") }
            } else {
                throw unknown(word)
            }
            chosen += named.filter { new in !chosen.contains { $0.id == new.id } }
        }
        return chosen
    }

    /// The sensor that a word names: an id, or a kind, which stands for the best of it.
    func one(_ word: String) throws(CommandFailure) -> SensorDescriptor {
        let there = registry.descriptors
        if let sensor = there.first(where: { $0.id.rawValue == word }) { return sensor }
        guard let kind = SensorKind(name: word) else { throw unknown(word) }
        guard let best = there.first(where: { $0.kind == kind }) else {
            throw nothing("\(kind.words) sensor")
        }
        return best
    }

    /// The kinds among `words` that only simulated sensors stand for.
    func simulatedOnly(_ words: [String]) -> [SensorKind] {
        let there = registry.descriptors
        var kinds: [SensorKind] = []
        for word in words where !there.contains(where: { $0.id.rawValue == word }) {
            guard let kind = SensorKind(name: word), !kinds.contains(kind) else { continue }
            let all = there.filter { $0.kind == kind }
            if !all.isEmpty, all.allSatisfy(\.isSimulated) { kinds.append(kind) }
        }
        return kinds
    }

    private static func standing(
        for kind: SensorKind, _ there: [SensorDescriptor]
    ) -> [SensorDescriptor] {
        let all = there.filter { $0.kind == kind }
        let real = all.filter { !$0.isSimulated }
        return real.isEmpty ? all : real
    }

    private func unknown(_ word: String) -> CommandFailure {
        let ids = registry.descriptors.map(\.id.rawValue)
        let near = NearestWord(to: word, among: SensorKind.allCases.map(\.name) + ids)
        if word.contains("/") || near.word == nil && !ids.isEmpty && !word.allSatisfy(\.isLetter) {
            return CommandFailure(
                .unavailable, "there is no sensor '\(word.printable)'",
                hint: near.word == nil ? "'sensorium list' shows what there is" : near.suggestion)
        }
        return .misuse(
            "'\(word.printable)' is neither a sensor nor a kind of sensor",
            hint: near.word == nil
                ? "the kinds are \(SensorKind.allCases.map(\.name).joined(separator: ", "))"
                : near.suggestion)
    }

    /// Why there is no such sensor, and what to do.
    private func nothing(_ what: String) -> CommandFailure {
        CommandFailure(.unavailable, "there is no \(what): \(pluginsInWords)", hint: advice)
    }

    /// Which plugins were asked.
    var pluginsInWords: String {
        let names = registry.plugins.map(\.id).sorted()
        var words = names.isEmpty ? "no plugin is loaded" : "asked \(names.joined(separator: ", "))"
        for failure in failures { words += "; \(failure.error)" }
        return words
    }

    private var advice: String {
        if registry.plugins.isEmpty {
            return
                "'sensorium plugins' shows where plugins are looked for; --plugin-dir names a folder"
        }
        return "connect one, or say where it is (--set iio.uri=ip:HOST); "
            + "'sensorium plugins' shows why a plugin is missing"
    }
}
