import CSensorium
import Glibc
public import Sensorium

/// Finds plugins in folders, loads those that are safe, and says what became of each file.
///
/// ```swift
/// let loader = PluginLoader(host: registry.host, crashMarkers: CrashMarkers())
/// let report = await loader.load(PluginSearchPath())
/// for plugin in report.plugins { try await registry.add(plugin) }
/// ```
///
/// No file is mapped or run before its ELF headers and its note have been read and checked, and no
/// library is ever unloaded. A bad file never ends the search.
public final class PluginLoader: Sendable {
    private let host: PluginHost
    private let crashMarkers: CrashMarkers?
    private let limits: CallLimits
    private let loaded = Guarded<[LoadedFile]>([])
    /// One search at a time, so that two that run at once load nothing twice.
    private let gate = AsyncGate()

    private struct LoadedFile {
        var identity: FileFingerprint.Identity
        var plugin: LoadedPlugin
    }

    /// Makes a loader.
    ///
    /// - Parameters:
    ///   - host: what plugins are given.
    ///   - crashMarkers: remembers plugins that crash; see there what it does to the process. Nil
    ///     for a program that does not want that.
    public convenience init(host: PluginHost, crashMarkers: CrashMarkers?) {
        self.init(host: host, crashMarkers: crashMarkers, limits: CallLimits())
    }

    init(host: PluginHost, crashMarkers: CrashMarkers?, limits: CallLimits) {
        self.host = host
        self.crashMarkers = crashMarkers
        self.limits = limits
    }

    /// The plugins that this loader has loaded and that were not stopped, in order.
    public var plugins: [LoadedPlugin] { running.map(\.plugin) }

    private var running: [LoadedFile] {
        loaded.withLock { files in
            files.removeAll { $0.plugin.isStopped }
            return files
        }
    }

    /// Looks through folders, and loads every plugin that is not loaded yet.
    ///
    /// The order is that of the folders, then of the names. Of two files with the same plugin the
    /// one of the higher version is loaded, or the first of the same version; if it cannot be
    /// loaded, the next.
    public func load(_ path: PluginSearchPath) async -> LoadReport {
        await gate.enter()
        defer { gate.leave() }
        let (folders, candidates) = Scan(path).run()
        return LoadReport(folders: folders, files: await load(candidates))
    }

    /// Loads one file, by the same rules.
    public func load(file path: String) async -> LoadReport.File {
        await gate.enter()
        defer { gate.leave() }
        let isPrivileged = ProcessSurroundings.current.isPrivileged
        let files = await load([Candidate(path: path, mustBeRoots: isPrivileged)])
        return files.first ?? LoadReport.File(path: path, outcome: .refused(LoadRefusal("is gone")))
    }

    private func load(_ candidates: [Candidate]) async -> [LoadReport.File] {
        var files = candidates.map(\.report)
        for group in groups(of: candidates, &files) {
            var winner: LoadedPlugin?
            for index in group {
                guard let file = candidates[index].file else { continue }
                if let winner {
                    files[index].outcome = .skipped(
                        LoadRefusal(
                            "holds \(file.note.id) \(file.note.version), and "
                                + "\(winner.manifest.version) was loaded from \(winner.path)",
                            hint: "remove one of the two"))
                    continue
                }
                do throws(LoadRefusal) {
                    let plugin = try await load(file)
                    winner = plugin
                    files[index].outcome = .loaded(plugin)
                } catch {
                    files[index].outcome = .refused(error)
                }
            }
        }
        return files
    }

    /// The files to load, by index: one group for each plugin, best first.
    ///
    /// What is the same file as another, or is loaded already, is reported and left out.
    private func groups(
        of candidates: [Candidate], _ files: inout [LoadReport.File]
    ) -> [[Int]] {
        let running = running
        var paths = Dictionary(uniqueKeysWithValues: running.map { ($0.identity, $0.plugin.path) })
        var order: [String] = []
        var groups: [String: [Int]] = [:]
        for (index, candidate) in candidates.enumerated() {
            guard let file = candidate.file else { continue }
            let identity = file.fingerprint.identity
            if let path = paths[identity] {
                files[index].outcome = .skipped(
                    path == file.path
                        ? LoadRefusal("is loaded already")
                        : LoadRefusal("is the same file as \(path)"))
                continue
            }
            paths[identity] = file.path
            if let other = running.first(where: { $0.plugin.manifest.id == file.note.id })?.plugin {
                files[index].outcome = .skipped(
                    LoadRefusal(
                        "holds \(file.note.id) \(file.note.version), and "
                            + "\(other.manifest.version) is loaded already, from \(other.path)",
                        hint: "remove one of the two"))
                continue
            }
            if groups[file.note.id] == nil { order.append(file.note.id) }
            groups[file.note.id, default: []].append(index)
        }
        return order.map { id in
            (groups[id] ?? []).sorted { one, other in
                let first = PluginVersion(candidates[one].file?.note.version ?? "")
                let second = PluginVersion(candidates[other].file?.note.version ?? "")
                return first == second ? one < other : first > second
            }
        }
    }

    // MARK: One file

    private func load(_ file: PluginFile) async throws(LoadRefusal) -> LoadedPlugin {
        if let refusal = crashMarkers?.refusal(of: file.fingerprint, path: file.path) {
            throw refusal
        }
        let firstCalls = FirstCalls { [crashMarkers] in
            crashMarkers?.begin(file.fingerprint, path: file.path)
        }
        // Whatever happens: a plugin that is refused without a crash leaves no marker.
        defer { firstCalls.pause() }
        try file.checkUnchanged()
        let table = try Self.table(of: file, firstCalls)
        let plugin = try await LoadedPlugin.start(
            LoadedPlugin.Start(
                file: file, table: table, host: host, limits: limits, firstCalls: firstCalls))
        let entry = LoadedFile(identity: file.fingerprint.identity, plugin: plugin)
        loaded.withLock { $0.append(entry) }
        return plugin
    }

    /// Maps the library, which runs its constructors, and asks it for its table.
    private static func table(
        of file: PluginFile, _ firstCalls: FirstCalls
    ) throws(LoadRefusal) -> PluginTable {
        var message: String?
        var function: UnsafeMutableRawPointer?
        var table: UnsafePointer<sensorium_plugin_table>?
        firstCalls.guarding {
            guard let library = dlopen(file.realPath, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
                message = dlerror().map { String(cString: $0) } ?? "it does not say why"
                return
            }
            function = dlsym(library, "sensorium_plugin")
            guard let function else { return }
            table = unsafeBitCast(
                function, to: (@convention(c) () -> UnsafePointer<sensorium_plugin_table>?).self)()
        }
        if let message { throw DynamicLinkerMessage.refusal(message, path: file.realPath) }
        guard function != nil else {
            throw LoadRefusal(
                "has a note, but no function sensorium_plugin()",
                hint: "write SENSORIUM_PLUGIN of sensorium_plugin.h in its entry")
        }
        return try PluginTable(table, note: file.note)
    }
}
