/// The help of one command, made from its declaration.
struct HelpPage {
    private let commands: [Command]
    private var command: Command { commands[commands.count - 1] }
    private var isRoot: Bool { commands.count == 1 }

    /// Makes the page of the last of `commands`; the others are its ancestors.
    init(_ commands: [Command]) { self.commands = commands }

    /// `sensorium join A B [OPTION]...`.
    var usage: String {
        let words = command.arguments.map(\.usage)
        let below =
            command.commands.isEmpty ? [] : [command.action == nil ? "COMMAND" : "[COMMAND]"]
        return (commands.map(\.name) + below + words + ["[OPTION]..."]).joined(separator: " ")
    }

    /// The page, for a terminal `width` columns wide.
    func text(width: Int) -> String {
        var page = Page(width: min(max(width, 60), 100))
        page.paragraph("Usage: \(usage)")
        page.paragraph(command.summary)
        for paragraph in command.discussion { page.paragraph(paragraph) }
        page.table("Commands", command.commands.map { ($0.name, $0.summary) })
        page.table(
            "Arguments", command.arguments.map { ($0.name, $0.summary) })
        page.table("Options", options(command.options + (isRoot ? [] : [CommandParser.help.spec])))
        if isRoot {
            page.table(
                "Other options", options([CommandParser.help.spec, CommandParser.version.spec]))
            page.table("Exit status", ExitCode.meanings.map { ($0.code, $0.meaning) })
        } else {
            let inherited = commands.dropLast().flatMap(\.options)
            page.table("Options of every command", options(inherited))
        }
        page.examples(command.examples)
        if !command.commands.isEmpty {
            let path = commands.map(\.name).joined(separator: " ")
            page.paragraph("'\(path) COMMAND --help' says more about a command.")
        }
        return page.text
    }

    private func options(_ specs: [OptionSpec]) -> [(String, String)] {
        specs.map { ($0.terms, $0.summary) }
    }
}

/// Text that is filled to a width.
private struct Page {
    let width: Int
    private(set) var text = ""

    init(width: Int) { self.width = width }

    mutating func paragraph(_ words: String) {
        startSection()
        for line in Self.fill(words, width: width) { text += line + "\n" }
    }

    /// Names to the left, what they mean beside them, or below where a name is too long.
    mutating func table(_ title: String, _ rows: [(name: String, meaning: String)]) {
        if rows.isEmpty { return }
        startSection()
        text += "\(title):\n"
        let column = min(rows.map(\.name.count).max() ?? 0, 24) + 4
        for (name, meaning) in rows {
            var left = "  " + name
            if left.count > column - 2 {
                text += left + "\n"
                left = ""
            }
            for line in Self.fill(meaning, width: max(width - column, 20)) {
                text += left + String(repeating: " ", count: column - left.count) + line + "\n"
                left = ""
            }
        }
    }

    mutating func examples(_ examples: [Command.Example]) {
        if examples.isEmpty { return }
        startSection()
        text += "Examples:\n"
        for example in examples {
            text += "  \(example.line)\n"
            for line in Self.fill(example.meaning, width: width - 6) { text += "      \(line)\n" }
        }
    }

    private mutating func startSection() { if !text.isEmpty { text += "\n" } }

    static func fill(_ words: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in words.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
