/// The manual page of the whole program, made from its declaration.
///
/// Source: groff_man(7), with the macros that mandoc(1) knows too.
struct ManualPage {
    /// The page, as roff.
    let text: String

    init(_ root: Command, version: String) {
        var page = Roff()
        let title = Roff.escaped(root.name.uppercased())
        page.request(".TH \(title) 1 \"\" \"\(root.name) \(version)\" \"User Commands\"")
        page.section("NAME")
        page.line("\(Roff.escaped(root.name)) \\- \(Roff.escaped(Self.clause(root.summary)))")
        page.section("SYNOPSIS")
        page.bold(HelpPage([root]).usage)
        page.section("DESCRIPTION")
        page.paragraphs(root.discussion)
        page.section("OPTIONS")
        page.line("All but \\-\\-version go before or after the name of any command.")
        page.options(root.options + [CommandParser.help.spec])
        page.options([CommandParser.version.spec])
        page.section("COMMANDS")
        for lineage in root.lineages.dropFirst() { page.command(lineage) }
        page.section("EXIT STATUS")
        for (code, meaning) in ExitCode.meanings { page.item(code, meaning) }
        page.section("EXAMPLES")
        page.examples(root.examples)
        page.section("SEE ALSO")
        page.line("\\fBgpsd\\fP(8), \\fBgpspipe\\fP(1), \\fBiio_info\\fP(1)")
        text = page.text
    }

    /// A sentence without its capital and its full stop, as lists of manual pages want it.
    private static func clause(_ sentence: String) -> String {
        let words = sentence.hasSuffix(".") ? sentence.dropLast() : Substring(sentence)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}

/// Text in the language of manual pages.
private struct Roff {
    private(set) var text = ""

    mutating func request(_ line: String) { text += line + "\n" }

    /// Adds a line that is escaped already.
    mutating func line(_ line: String) { text += line + "\n" }

    mutating func section(_ title: String) { request(".SH \"\(title)\"") }

    mutating func bold(_ words: String) { line("\\fB\(Self.escaped(words))\\fP") }

    mutating func paragraphs(_ paragraphs: [String]) {
        for (index, words) in paragraphs.enumerated() {
            if index > 0 { request(".PP") }
            line(Self.escaped(words))
        }
    }

    /// A term, and indented below it what it means.
    mutating func item(_ term: String, _ meaning: String) {
        request(".TP")
        bold(term)
        line(Self.escaped(meaning))
    }

    mutating func options(_ specs: [OptionSpec]) {
        for spec in specs { item(spec.terms, spec.summary) }
    }

    mutating func examples(_ examples: [Command.Example]) {
        for example in examples { item(example.line, example.meaning) }
    }

    /// A command below the program, without the options that all commands have.
    mutating func command(_ lineage: [Command]) {
        let command = lineage[lineage.count - 1]
        request(".SS \"\(Self.escaped(HelpPage(lineage).usage))\"")
        paragraphs([command.summary] + command.discussion)
        for argument in command.arguments { item(argument.name, argument.summary) }
        options(command.options)
        if command.examples.isEmpty { return }
        request(".PP")
        line(command.examples.count == 1 ? "Example:" : "Examples:")
        examples(command.examples)
    }

    /// Text that means itself, whatever it holds.
    ///
    /// A dash is written as the dash that can be copied into a command line, and so are quotes. A dot
    /// or a quote at the beginning of a line would be a request.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "\"": escaped += "\\(dq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\n": escaped += " "
            default: escaped.append(character)
            }
        }
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
