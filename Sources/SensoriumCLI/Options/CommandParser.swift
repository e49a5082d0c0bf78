/// Understands a command line by the declaration of its commands.
struct CommandParser {
    /// What a command line asks for.
    enum Request {
        /// To run a command.
        case run(Command, Invocation)
        /// The help page of the last command, whose ancestors are the others.
        case help([Command])
        /// The program's version.
        case version
    }

    /// What is wrong with a command line, and where.
    struct Failure: Error {
        /// The command that was understood until then: `sensorium join`.
        var command: String
        var reason: CommandFailure
    }

    /// Asks for help; understood by every command.
    static let help = Flag("help", letter: "h", "Show this help.")
    /// Asks for the version.
    static let version = Flag("version", "Show the version.")

    private let arguments: [String]
    private var position = 0
    private var commands: [Command]
    private var invocation: Invocation
    private var wantsHelp = false
    private var wantsVersion = false

    /// Understands `arguments`, which do not hold the program's name.
    static func parse(
        _ arguments: [String], for root: Command
    ) throws(Failure) -> Request {
        var parser = CommandParser(arguments, root)
        do throws(CommandFailure) {
            return try parser.parse()
        } catch {
            // Somebody who asks for help gets it, whatever else is wrong with the line.
            if parser.asksForHelp { return .help(parser.commands) }
            throw Failure(command: parser.invocation.name, reason: error)
        }
    }

    private init(_ arguments: [String], _ root: Command) {
        self.arguments = arguments
        commands = [root]
        invocation = Invocation(path: [root.name])
    }

    private var asksForHelp: Bool {
        wantsHelp || arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    private var command: Command { commands[commands.count - 1] }

    private mutating func parse() throws(CommandFailure) -> Request {
        while position < arguments.count {
            let word = arguments[position]
            position += 1
            if word == "--" {
                invocation.words += arguments[position...]
                break
            } else if word.hasPrefix("--") {
                try readLongOption(word.dropFirst(2))
            } else if word.hasPrefix("-"), word != "-" {
                try readShortOption(word.dropFirst())
            } else if invocation.words.isEmpty,
                let next = command.commands.first(where: { $0.name == word })
            {
                commands.append(next)
                invocation.path.append(next.name)
            } else if commands.count == 1, word == "help" {
                wantsHelp = true
            } else if command.arguments.isEmpty, !command.commands.isEmpty {
                throw unknownCommand(word)
            } else {
                invocation.words.append(word)
            }
        }
        if wantsHelp { return .help(commands) }
        if wantsVersion { return .version }
        guard command.action != nil else {
            let names = command.commands.map(\.name).joined(separator: ", ")
            throw .misuse("say which command: \(names)")
        }
        try checkWords()
        return .run(command, invocation)
    }

    // MARK: Options

    private var known: [OptionSpec] {
        var specs = commands.flatMap(\.options) + [Self.help.spec]
        if commands.count == 1 { specs.append(Self.version.spec) }
        return specs
    }

    private mutating func readLongOption(_ text: Substring) throws(CommandFailure) {
        let name = text.prefix { $0 != "=" }
        let attached = name.endIndex == text.endIndex ? nil : text[name.endIndex...].dropFirst()
        guard let spec = known.first(where: { $0.name == name }) else {
            throw unknownOption(String(name))
        }
        try add(spec, attached)
    }

    private mutating func readShortOption(_ text: Substring) throws(CommandFailure) {
        guard let spec = known.first(where: { $0.letter != nil && $0.letter == text.first }) else {
            throw .misuse("there is no option '-\(String(text).printable)'")
        }
        let rest = text.dropFirst()
        try add(spec, rest.isEmpty ? nil : rest)
    }

    private mutating func add(
        _ spec: OptionSpec, _ attached: Substring?
    ) throws(CommandFailure) {
        guard let placeholder = spec.placeholder else {
            if let attached {
                throw .misuse(
                    "--\(spec.name) takes no value, and got '\(String(attached).printable)'")
            }
            if spec.name == Self.help.spec.name { wantsHelp = true }
            if spec.name == Self.version.spec.name { wantsVersion = true }
            invocation.add(true, for: spec)
            return
        }
        let value: String
        if let attached {
            value = String(attached)
        } else if position < arguments.count, !arguments[position].hasPrefix("--") {
            value = arguments[position]
            position += 1
        } else {
            throw .misuse(
                "--\(spec.name) needs a value", hint: "write --\(spec.name) \(placeholder)")
        }
        invocation.add(try spec.read(value), for: spec)
    }

    private func unknownOption(_ name: String) -> CommandFailure {
        let near = NearestWord(to: name, among: known.map(\.name)).word
        let elsewhere = commands[0].commands.filter { $0.options.contains { $0.name == name } }
        let hint =
            if let near {
                "did you mean '--\(near)'?"
            } else if !elsewhere.isEmpty {
                "it belongs to '\(elsewhere.map(\.name).joined(separator: "', '"))'"
            } else {
                ""
            }
        return .misuse("there is no option '--\(name.printable)'", hint: hint)
    }

    // MARK: Words

    private func unknownCommand(_ word: String) -> CommandFailure {
        let names = command.commands.map(\.name)
        let near = NearestWord(to: word, among: names)
        return .misuse(
            "there is no command '\(word.printable)'",
            hint: near.word == nil
                ? "there are \(names.joined(separator: ", "))" : near.suggestion)
    }

    private func checkWords() throws(CommandFailure) {
        let words = invocation.words
        let required = command.arguments.filter { $0.occurrence == .required }
        if words.count < required.count {
            throw .misuse(
                "\(required[words.count].name) is missing",
                hint: "write \(HelpPage(commands).usage)")
        }
        if command.arguments.contains(where: { $0.occurrence == .anyNumber }) { return }
        if words.count > command.arguments.count {
            let extra = words[command.arguments.count].printable
            throw .misuse(
                "'\(extra)' is one word too many", hint: "write \(HelpPage(commands).usage)")
        }
    }
}
