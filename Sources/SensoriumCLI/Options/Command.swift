/// A command as it is declared: the parser, the help pages, and whatever else is made from the
/// declaration (shell completion, a manual page) read this.
struct Command: Sendable {
    typealias Action = @Sendable (Invocation, Surroundings) async throws(CommandFailure) -> ExitCode

    /// The word that names it.
    var name: String
    /// What it does, as a sentence, for lists of commands.
    var summary: String
    /// More about it, in paragraphs.
    var discussion: [String] = []
    /// Its words without dashes, in order.
    var arguments: [Argument] = []
    /// Its own options.
    var options: [OptionSpec] = []
    /// Command lines, each with what it does.
    var examples: [Example] = []
    /// Commands below it.
    var commands: [Command] = []
    /// What it does; nil where it only has commands below it.
    var action: Action?

    /// A command line, and what it does.
    struct Example: Sendable {
        var line: String
        var meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }
}

/// A word without dashes that a command takes.
struct Argument: Sendable {
    /// What it is called in the help: `SENSOR`.
    var name: String
    /// What it is, as a sentence.
    var summary: String
    /// How often it may be given.
    var occurrence: Occurrence
    /// What completes it.
    var completion: Completion

    init(
        _ name: String, _ summary: String, _ occurrence: Occurrence = .required,
        completion: Completion = .nothing
    ) {
        self.name = name
        self.summary = summary
        self.occurrence = occurrence
        self.completion = completion
    }

    /// How often an argument may be given.
    enum Occurrence: Sendable {
        case required
        case optional
        case anyNumber
    }

    /// `SENSOR`, `[FILE]`, `[SENSOR]...`.
    var usage: String {
        switch occurrence {
        case .required: name
        case .optional: "[\(name)]"
        case .anyNumber: "[\(name)]..."
        }
    }
}

/// What a shell may offer for an argument or for the value of an option.
enum Completion: Hashable, Sendable {
    case nothing
    case file
    case folder
    /// A sensor's id, or a kind; at `watch` also one of a few other words.
    case sensor(orWords: [String] = [])
    case words([String])
}

extension Command {
    /// This command and all below it, each with its ancestors before it.
    var lineages: [[Command]] {
        [[self]] + commands.flatMap { below in below.lineages.map { [self] + $0 } }
    }
}

extension [Command] {
    /// The names from the program's on: `sensorium decode gpsd`.
    var name: String { map(\.name).joined(separator: " ") }

    /// The options that the last one takes: its own, its ancestors', and those of the parser.
    var allOptions: [OptionSpec] {
        flatMap(\.options) + [CommandParser.help.spec]
            + (count == 1 ? [CommandParser.version.spec] : [])
    }
}
