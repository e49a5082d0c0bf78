import Sensorium

/// The command `sensorium`: its declaration, and running it.
enum Program {
    static let version = "0.1.0"

    /// The whole tree of commands.
    ///
    /// A new command is added here, and nowhere else.
    static let root: Command = Command(
        name: "sensorium",
        summary: "Reads the sensors of this machine: positions, motion, environment.",
        discussion: [
            "Sensors come from plugins, which are looked for in the usual folders ('sensorium "
                + "plugins' lists them). Start with 'sensorium list', then 'sensorium watch'.",
            "Settings for plugins can also stand in $XDG_CONFIG_HOME/sensorium/config "
                + "(~/.config/sensorium/config by default), one KEY=VALUE per line; lines that begin "
                + "with # are comments.",
        ],
        options: GlobalOptions.all,
        examples: [
            .init("sensorium list", "What is there?"),
            .init("sensorium probe gpsd/location", "Does it work, and if not, why?"),
            .init("sensorium watch", "A live table of everything."),
            .init(
                "sensorium join location acceleration --json",
                "Positions with the accelerations that belong to them."),
        ],
        commands: [
            ListCommand.command, ProbeCommand.command, PluginsCommand.command,
            WatchCommand.command, JoinCommand.command, RecordCommand.command, ReplayCommand.command,
            InfoCommand.command,
            ConvertCommand.command, PlotCommand.command, DecodeCommand.command,
            VerifyCommand.command, CompletionsCommand.command, ManualCommand.command,
        ]
    )

    /// Runs a command line, without the program's name.
    static func run(_ arguments: [String], in surroundings: Surroundings) async -> ExitCode {
        do throws(CommandParser.Failure) {
            switch try CommandParser.parse(arguments, for: root) {
            case .help(let commands):
                let width = surroundings.terminal()?.columns ?? 80
                await surroundings.output.write(HelpPage(commands).text(width: width))
                return .success
            case .version:
                await surroundings.output.write("\(root.name) \(version)\n")
                return .success
            case .run(let command, let invocation):
                return await run(command, invocation, in: surroundings)
            }
        } catch {
            surroundings.notices.post("\(error.command): \(error.reason)")
            surroundings.notices.post("see '\(error.command) --help'")
            return error.reason.code
        }
    }

    private static func run(
        _ command: Command, _ invocation: Invocation, in surroundings: Surroundings
    ) async -> ExitCode {
        guard let action = command.action else { return .internalFault }
        do throws(CommandFailure) {
            return try await action(invocation, surroundings)
        } catch {
            surroundings.notices.post("\(invocation.name): \(error)")
            return error.code
        }
    }
}
