import Sensorium
import SensoriumPluginKit
import SensoriumTestKit

/// `sensorium verify`: examines a plugin by the suite that all plugins must pass.
enum VerifyCommand {
    static let patience = Option(
        "for", "SECONDS", .positive, "How long it may take; 300 by default.")

    static let command = Command(
        name: "verify",
        summary: "Checks that a plugin keeps the contract that apps rely on.",
        discussion: [
            "Every sensor of the plugin is opened, read, reconfigured, closed and opened again, in "
                + "real time and in a process of its own. So what the plugin reads must be there and "
                + "on: a plugin without a sensor fails, and so does a sensor that gives no reading and "
                + "does not say why. What a sensor says to wait or to search for cannot be looked at, "
                + "and is told as skipped, with its reason. The exit status is 0 when no check "
                + "failed, and 70 when one did."
        ],
        arguments: [
            Argument(
                "PLUGIN", "A plugin's file, or the id of an installed plugin.", completion: .file)
        ],
        options: [patience.spec],
        examples: [
            .init("sensorium verify simulated", "The plugin of that id."),
            .init("sensorium verify ./libSensoriumMine.so", "One that was just built."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let file = try file(invocation.words[0], invocation)
        if surroundings.environment[ChildProgram.variable] != nil {
            return try await examine(file, invocation, surroundings)
        }
        let limit = Duration.seconds(invocation[patience] ?? 300)
        let arguments = invocation.settingArguments + ["verify", "--", file]
        let (end, text) = await ChildProgram.run(arguments, within: limit, on: surroundings.clock)
        await surroundings.output.write(text.printableLines)
        switch end {
        case .exit(let status): return ExitCode(number: status)
        case .crash(let signal):
            throw CommandFailure(
                .internalFault,
                "\(file.printable) ended its process by \(ChildProgram.name(of: signal))",
                hint: "report it to its author")
        case .timedOut:
            throw CommandFailure(
                .internalFault,
                "\(file.printable) was not done within \(limit.secondsText(0)) s",
                hint: "give it more time with --for, or report it to its author")
        case .unstarted(let why):
            throw CommandFailure(.internalFault, "no process could be started: \(why)")
        }
    }

    /// The file that a word names: a file, or the plugin of that id in the usual folders.
    private static func file(
        _ word: String, _ invocation: Invocation
    ) throws(CommandFailure) -> String {
        if word.contains("/") || word.hasSuffix(".so") { return word }
        let path = PluginSearchPath(first: invocation[GlobalOptions.pluginFolders])
        for file in path.files {
            if let found = try? PluginFile(path: file), found.note.id == word { return file }
        }
        throw CommandFailure(
            .unavailable, "there is no plugin '\(word.printable)' in the usual folders",
            hint: "name its file with a slash (./libSensoriumMine.so), or its folder with "
                + "--plugin-dir")
    }

    /// Does it here, in the child.
    private static func examine(
        _ file: String, _ invocation: Invocation, _ surroundings: Surroundings
    ) async throws(CommandFailure) -> ExitCode {
        let settings = try invocation.settings(in: surroundings.environment)
        let conformance = SensorConformance(
            clock: surroundings.clock, configuration: settings.dictionary)
        let report = await conformance.check { host in
            let loaded = await PluginLoader(host: host, crashMarkers: nil).load(file: file)
            guard case .loaded(let plugin) = loaded.outcome else {
                throw SensorError.incompatible(
                    SensorID(file), reason: "\(loaded)", hint: "see 'sensorium plugins check'")
            }
            return plugin
        }
        await surroundings.output.write("\(report)\n")
        return report.passed ? .success : .internalFault
    }
}
