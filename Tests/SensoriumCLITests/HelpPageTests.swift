import Testing

@testable import SensoriumCLI

@Suite("Help page", .timeLimit(.minutes(1)))
struct HelpPageTests {
    private static let child = Command(
        name: "join", summary: "Reads two sensors together.",
        discussion: [
            "A long paragraph that must be broken where the page of sixty columns ends, and goes on."
        ],
        arguments: [Argument("A", "The first."), Argument("B", "The second.", .optional)],
        options: [
            Option(
                "rate", letter: "r", "HZ", .positive,
                "Readings a second, as many as the sensor gives."
            )
            .spec
        ],
        examples: [.init("tool join a b", "Joins a and b.")])
    private static let root = Command(
        name: "tool", summary: "A tool.", options: [Flag("loud", "Be loud.").spec],
        commands: [child])

    @Test("is made of the declaration, filled to the width")
    func page() {
        let expected = """
            Usage: tool join A [B] [OPTION]...

            Reads two sensors together.

            A long paragraph that must be broken where the page of sixty
            columns ends, and goes on.

            Arguments:
              A  The first.
              B  The second.

            Options:
              -r, --rate HZ  Readings a second, as many as the sensor
                             gives.
              -h, --help     Show this help.

            Options of every command:
              --loud  Be loud.

            Examples:
              tool join a b
                  Joins a and b.

            """
        #expect(HelpPage([Self.root, Self.child]).text(width: 60) == expected)
    }

    @Test("of the program lists the commands, the exit statuses and where to read on")
    func overview() {
        let text = HelpPage([Self.root]).text(width: 80)
        #expect(text.contains("Usage: tool COMMAND [OPTION]...\n"))
        #expect(text.contains("Commands:\n  join  Reads two sensors together.\n"))
        #expect(text.contains("\n  64   The command line is wrong.\n"))
        #expect(text.contains("'tool COMMAND --help' says more about a command."))
    }

    @Test("stays within the width, for every command that there is", arguments: [60, 80, 100])
    func width(columns: Int) {
        for path in Self.paths(of: Program.root, above: []) {
            let page = HelpPage(path).text(width: columns)
            let examples = path.flatMap(\.examples).map { "  \($0.line)" }
            for line in page.split(separator: "\n") where !examples.contains(String(line)) {
                #expect(line.count <= columns, "\(line)")
            }
        }
    }

    @Test("of every command has an example, and says what each option and argument is")
    func complete() {
        for path in Self.paths(of: Program.root, above: []) {
            guard let command = path.last else { continue }
            #expect(command.summary.hasSuffix("."))
            if command.action != nil { #expect(!command.examples.isEmpty, "\(command.name)") }
            for option in command.options {
                #expect(option.summary.hasSuffix("."), "\(option.name)")
            }
            for word in command.arguments { #expect(word.summary.hasSuffix("."), "\(word.name)") }
        }
    }

    @Test("shows no example that the parser does not understand")
    func examples() {
        for path in Self.paths(of: Program.root, above: []) {
            for example in path.last?.examples ?? [] {
                // Of a pipe, the part that is this program.
                let parts = example.line.split(separator: "|").map { $0.split(separator: " ") }
                let words = parts.first { $0.first == "sensorium" } ?? []
                #expect(throws: Never.self, "\(example.line)") {
                    try CommandParser.parse(words.dropFirst().map(String.init), for: Program.root)
                }
            }
        }
    }

    private static func paths(of command: Command, above: [Command]) -> [[Command]] {
        let path = above + [command]
        return [path] + command.commands.flatMap { paths(of: $0, above: path) }
    }
}
