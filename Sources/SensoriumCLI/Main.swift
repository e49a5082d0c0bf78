import Glibc
import Sensorium

/// The process around the command: descriptors, signals, the exit status.
@main
enum Main {
    static func main() {
        takeStandardDescriptors()
        let signals = SignalWatch()
        // Detached: this function is the main actor's, and never gives its thread back.
        Task.detached { await run(signals) }
        signals.run()
    }

    /// Takes the places of standard descriptors that were closed, lest a socket or a pipe of
    /// ours or of a plugin gets one, and readings are written to it.
    private static func takeStandardDescriptors() {
        for place in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(place, F_GETFD) < 0 {
            // Opened the wrong way round, so that using it fails as before. It gets the lowest
            // place that is free, which is this one.
            _ = open("/dev/null", place == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func run(_ signals: SignalWatch) async {
        let ending = Ending()
        let output = DescriptorOutput(descriptor: STDOUT_FILENO) { _ in ending.end() }
        let errors = DescriptorOutput(descriptor: STDERR_FILENO)
        let notices = Notices(to: errors)
        let environment = environment()
        let screen = TerminalScreen(output: output, descriptor: STDOUT_FILENO)
        signals.guards(screen)
        let surroundings = Surroundings(
            environment: environment, output: output, notices: notices,
            terminal: { Terminal(descriptor: STDOUT_FILENO, environment: environment) },
            screen: screen,
            openInput: { path throws(CommandFailure) in
                try DescriptorInput(path, interruptedBy: ending)
            },
            loadSensors: { await SensorSet.load($0, $1) })

        let arguments = Array(CommandLine.arguments.dropFirst())
        let job = Task { await Program.run(arguments, in: surroundings) }
        ending.whenEnding { job.cancel() }
        signals.whenEnding { ending.end() }
        var code = await job.value

        // A reader that does not read must not keep a program that was asked to end.
        output.finish(within: signals.caught == nil ? nil : 300_000_000)
        if let failure = output.failure {
            code = .success
            if case .error(let number) = failure {
                let reason = FileError(code: number)
                notices.post("sensorium: standard output could not be written: \(reason)")
                code = .inputOutput
            }
        }
        if let number = signals.caught { code = .signal(number) }
        errors.finish(within: 300_000_000)
        // Not exit(): a plugin's threads may still run, and must not meet torn-down globals.
        _exit(code.number)
    }

    /// The variables that the command heeds.
    private static func environment() -> [String: String] {
        let names = [
            "COLORTERM", "COLUMNS", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "TERM",
            "XDG_CONFIG_HOME",
            ChildProgram.variable,
        ]
        var variables: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
