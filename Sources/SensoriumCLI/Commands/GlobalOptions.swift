import Sensorium

/// The options that every command has.
enum GlobalOptions {
    static let pluginFolders = RepeatedOption(
        "plugin-dir", "DIR", .folder,
        "Look for plugins in this folder too, before the usual ones. May be repeated.")
    static let settings = RepeatedOption(
        "set", "KEY=VALUE", .setting,
        "Configure a plugin, as in gpsd.address=127.0.0.1:2947 or iio.uri=ip:HOST. "
            + "May be repeated; wins over the configuration file.")
    static let verbose = Flag(
        "verbose", letter: "v", "Show also what plugins have to say when nothing is wrong.")

    static let all = [pluginFolders.spec, settings.spec, verbose.spec]
}

extension Invocation {
    /// The configuration file's settings, and over them those of the command line.
    func settings(in environment: [String: String]) throws(CommandFailure) -> Settings {
        var settings =
            try ConfigurationFile(environment: environment)?.settings() ?? Settings()
        for setting in self[GlobalOptions.settings] { settings.set(setting) }
        return settings
    }

    /// Loads the plugins and looks for their sensors, hands them to `body`, and stops the plugins.
    func withSensors(
        _ surroundings: Surroundings,
        _ body: (SensorSet) async throws(CommandFailure) -> ExitCode
    ) async throws(CommandFailure) -> ExitCode {
        let settings = try settings(in: surroundings.environment)
        let notices = surroundings.notices
        let threshold = self[GlobalOptions.verbose] ? LogLevel.debug : .warning
        let host = PluginHost(clock: surroundings.clock) { key in
            settings[key]
        } log: { level, message in
            if level >= threshold { notices.post("\(level): \(message)") }
        }
        let sensors = await surroundings.loadSensors(self[GlobalOptions.pluginFolders], host)
        for failure in sensors.failures { notices.post("\(failure.error)") }
        warnOfPlugins(sensors, notices)
        warnOfStraySettings(sensors, notices)
        for kind in sensors.simulatedOnly(words) {
            notices.post("there is no real \(kind.words) sensor; a simulated one stands in")
        }
        let result: Result<ExitCode, CommandFailure>
        do throws(CommandFailure) {
            // Who ends the search for sensors need not be told that there are none.
            result = .success(Task.isCancelled ? .success : try await body(sensors))
        } catch {
            result = .failure(error)
        }
        if await !sensors.stop(on: surroundings.clock) {
            notices.post("a plugin did not stop within 2 s, and is left behind")
        }
        return try result.get()
    }

    /// Tells of folders that were named and hold nothing, and of plugins that cannot be loaded.
    private func warnOfPlugins(_ sensors: SensorSet, _ notices: Notices) {
        if path.last == PluginsCommand.name { return }
        for folder in sensors.report?.folders ?? [] where folder.origin == .option {
            switch folder.outcome {
            case .searched: break
            case .absent: notices.post("warning: --plugin-dir \(folder.path) is not there")
            case .skipped(let why): notices.post("warning: --plugin-dir \(folder.path) \(why)")
            }
        }
        for file in sensors.report?.files ?? [] {
            // A file that is no plugin at all is nobody's loss.
            guard case .refused(let why) = file.outcome, file.note != nil else { continue }
            notices.post("warning: the plugin \(file.path) \(why)")
        }
    }

    /// A setting for a plugin that is not there is probably a slip.
    private func warnOfStraySettings(_ sensors: SensorSet, _ notices: Notices) {
        let plugins = sensors.registry.plugins.map(\.id).sorted()
        for setting in self[GlobalOptions.settings] {
            let plugin = String(setting.key.prefix { $0 != "." })
            if plugins.contains(plugin) || plugins.isEmpty { continue }
            let near = NearestWord(to: plugin, among: plugins).suggestion
            let hint = near.isEmpty ? "loaded are \(plugins.joined(separator: ", "))" : near
            notices.post(
                "warning: --set \(setting.key) has no effect: no plugin '\(plugin)' is loaded; "
                    + hint)
        }
    }
}
