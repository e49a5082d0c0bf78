import Sensorium
import SensoriumPluginKit

/// `sensorium plugins check`: tries plugin files out, each in a process of its own.
enum PluginsCheckCommand {
    static let patience = Option(
        "for", "SECONDS", .positive, "How long a file may take; 30 by default.")

    static let command = Command(
        name: "check",
        summary: "Tries plugin files out, each in a process of its own.",
        discussion: [
            "A file is loaded, started, and asked for its sensors. One that crashes or hangs takes "
                + "only its own process with it. The exit status is 0 when all files are good, and 70 "
                + "when one is not."
        ],
        arguments: [
            Argument(
                "FILE", "A plugin's file; every file of the usual folders where there is none.",
                .anyNumber, completion: .file)
        ],
        options: [patience.spec],
        examples: [
            .init("sensorium plugins check", "All that are installed."),
            .init("sensorium plugins check ./libSensoriumMine.so", "One that was just built."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        if surroundings.environment[ChildProgram.variable] != nil {
            return try await check(invocation.words, invocation, surroundings)
        }
        let path = PluginSearchPath(first: invocation[GlobalOptions.pluginFolders])
        let files = invocation.words.isEmpty ? path.files : invocation.words
        if files.isEmpty {
            throw CommandFailure(
                .unavailable, "there is no plugin file in the usual folders",
                hint: "name one, or a folder with --plugin-dir")
        }
        let limit = Duration.seconds(invocation[patience] ?? 30)
        var code = ExitCode.success
        for file in files {
            let arguments = invocation.settingArguments + ["plugins", "check", "--", file]
            let (end, text) = await ChildProgram.run(
                arguments, within: limit, on: surroundings.clock)
            if end != .exit(0) { code = .internalFault }
            await surroundings.output.write(line(file, end, text, limit))
            if Task.isCancelled { break }
        }
        return code
    }

    /// What is told of one file.
    static func line(
        _ file: String, _ end: ChildProgram.End, _ text: String, _ limit: Duration
    ) -> String {
        let said = text.split(separator: "\n").map { "\n         \(String($0).printable)" }.joined()
        let name = file.printable
        switch end {
        case .exit(0): return "good     \(name)\(said)\n"
        case .exit: return "bad      \(name)\(said)\n"
        case .crash(let signal):
            return "crashed  \(name)\(said)\n         it ended its process by "
                + "\(ChildProgram.name(of: signal)); report it to its author\n"
        case .timedOut:
            return "hung     \(name)\(said)\n         it was not done within "
                + "\(limit.secondsText(0)) s; report it to its author\n"
        case .unstarted(let why): return "unknown  \(name)\n         no process: \(why)\n"
        }
    }

    /// Does it here, in the child.
    private static func check(
        _ files: [String], _ invocation: Invocation, _ surroundings: Surroundings
    ) async throws(CommandFailure) -> ExitCode {
        let settings = try invocation.settings(in: surroundings.environment)
        let host = PluginHost(clock: surroundings.clock, configuration: { settings[$0] })
        let loader = PluginLoader(host: host, crashMarkers: nil)
        for file in files {
            let report = await loader.load(file: file)
            guard case .loaded(let plugin) = report.outcome else {
                await surroundings.output.write("\(report)\n")
                return .internalFault
            }
            do throws(SensorError) {
                let sensors = try await plugin.discover()
                let count = sensors.count == 1 ? "1 sensor" : "\(sensors.count) sensors"
                let manifest = plugin.manifest
                await surroundings.output.write(
                    "\(manifest.id) \(manifest.version): \(count)\n".printableLines)
            } catch {
                await surroundings.output.write("it loads, and cannot look for sensors: \(error)\n")
            }
            await plugin.stop()
        }
        return .success
    }
}

/// `sensorium plugins allow`: lets a file be loaded again that crashed.
enum PluginsAllowCommand {
    static let command = Command(
        name: "allow",
        summary: "Lets a plugin file be loaded again that crashed the program before.",
        discussion: [
            "A plugin that crashes while it is loaded is refused from then on, until its file is "
                + "replaced or allowed again by this."
        ],
        arguments: [Argument("FILE", "The plugin's file.", completion: .file)],
        examples: [
            .init("sensorium plugins allow ./libSensoriumMine.so", "It was not its fault.")
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        guard let markers = CrashMarkers() else {
            throw CommandFailure(
                .unavailable, "this user has no folder for markers", hint: "set XDG_STATE_HOME")
        }
        let file = invocation.words[0]
        do throws(LoadRefusal) {
            let wasRefused = try markers.allow(file)
            let name = file.printable
            await surroundings.output.write(
                wasRefused ? "\(name) may be loaded again\n" : "\(name) was not refused\n")
            return .success
        } catch {
            throw CommandFailure(.noInput, "\(file.printable) \(error)")
        }
    }
}

extension Invocation {
    /// The options of this command line that a child needs, too.
    var settingArguments: [String] {
        self[GlobalOptions.pluginFolders].flatMap { ["--plugin-dir", $0] }
            + self[GlobalOptions.settings].flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }
}
