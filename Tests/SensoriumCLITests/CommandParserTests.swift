import Testing

@testable import SensoriumCLI

@Suite("Command parser", .timeLimit(.minutes(1)))
struct CommandParserTests {
    private static let rate = Option("rate", letter: "r", "HZ", .positive, "A rate.")
    private static let name = RepeatedOption("name", "NAME", .text("a name"), "A name.")
    private static let rule = Option<MatchRule>("rule", "RULE", .oneOf, "A rule.")
    private static let json = Flag("json", "JSON.")

    private static let root = Command(
        name: "tool", summary: "A tool.", options: [name.spec],
        commands: [
            Command(
                name: "join", summary: "Joins.",
                arguments: [Argument("A", "a"), Argument("B", "b")],
                options: [rate.spec, json.spec, rule.spec], action: act),
            Command(
                name: "watch", summary: "Watches.",
                arguments: [Argument("SENSOR", "s", .anyNumber)], options: [rate.spec],
                action: act),
            Command(
                name: "plugins", summary: "Plugins.",
                commands: [
                    Command(
                        name: "check", summary: "Checks.",
                        arguments: [Argument("FILE", "f", .optional)], action: act)
                ], action: act),
        ])

    private static let act: Command.Action = { _, _ throws(CommandFailure) in .success }

    private func parse(_ line: String) throws -> Invocation {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(_, let invocation) = try CommandParser.parse(words, for: Self.root) else {
            throw CommandFailure.misuse("no command is run")
        }
        return invocation
    }

    private func rejection(_ line: String) -> CommandParser.Failure? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        do throws(CommandParser.Failure) {
            _ = try CommandParser.parse(words, for: Self.root)
            return nil
        } catch {
            return error
        }
    }

    // MARK: What is understood

    @Test("takes a value after a space, an equals sign, or a letter")
    func values() throws {
        for line in ["join a b --rate 5", "join a b --rate=5", "join a b -r 5", "join -r5 a b"] {
            let invocation = try parse(line)
            #expect(invocation[Self.rate] == 5)
            #expect(invocation.words == ["a", "b"])
            #expect(invocation.path == ["tool", "join"])
        }
    }

    @Test("takes options before and after the command, and of its ancestors")
    func inherited() throws {
        let invocation = try parse("--name x join a --name=y b --json")
        #expect(invocation[Self.name] == ["x", "y"])
        #expect(invocation[Self.json])
    }

    @Test("knows what was not given")
    func absent() throws {
        let invocation = try parse("join a b")
        #expect(invocation[Self.rate] == nil)
        #expect(invocation[Self.name] == [])
        #expect(!invocation[Self.json])
    }

    @Test("lets the last of several values count")
    func last() throws {
        #expect(try parse("join a b --rate 5 --rate 7")[Self.rate] == 7)
    }

    @Test("keeps the equals signs of a value")
    func equals() throws {
        #expect(try parse("watch --name=k=v=w")[Self.name] == ["k=v=w"])
    }

    @Test("takes everything after -- as words, and a lone - too")
    func dashes() throws {
        #expect(try parse("watch - -- --rate -x --").words == ["-", "--rate", "-x", "--"])
    }

    @Test("finds commands below commands, and the command itself without one")
    func nested() throws {
        #expect(try parse("plugins check").path == ["tool", "plugins", "check"])
        #expect(try parse("plugins check x").words == ["x"])
        #expect(try parse("plugins").path == ["tool", "plugins"])
    }

    @Test("does not take a word for a command where words were given before")
    func words() throws {
        #expect(try parse("watch join watch").words == ["join", "watch"])
    }

    @Test(
        "gives help whatever else is wrong with the line",
        arguments: [
            "--help", "join --help", "-h", "join -h a b", "--nonsense --help",
            "join a b c d --help",
            "join --rate x --help", "nonsense --help", "help", "help join", "help nonsense",
        ])
    func help(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        guard case .help(let commands) = try CommandParser.parse(words, for: Self.root) else {
            Issue.record("no help")
            return
        }
        #expect(commands.last?.name == (line.contains("join") ? "join" : "tool"))
    }

    @Test("does not take --help for help after --")
    func helpAsWord() throws {
        #expect(try parse("watch -- --help").words == ["--help"])
    }

    @Test("gives the version only to the program itself")
    func version() throws {
        guard case .version = try CommandParser.parse(["--version"], for: Self.root) else {
            Issue.record("no version")
            return
        }
        #expect(rejection("join a b --version") != nil)
    }

    // MARK: What is not

    @Test(
        "says in a sentence what is wrong, and what would be right",
        arguments: [
            ("--name=x", "say which command: join, watch, plugins"),
            ("jion a b", "there is no command 'jion'; did you mean 'join'?"),
            ("zzz", "there is no command 'zzz'; there are join, watch, plugins"),
            ("join a", "B is missing; write tool join A B [OPTION]..."),
            ("join a b c", "'c' is one word too many; write tool join A B [OPTION]..."),
            ("join a b --rat 5", "there is no option '--rat'; did you mean '--rate'?"),
            ("plugins --json", "there is no option '--json'; it belongs to 'join'"),
            ("join a b -x", "there is no option '-x'"),
            ("join a b --rate", "--rate needs a value; write --rate HZ"),
            ("join a b --rate --json", "--rate needs a value; write --rate HZ"),
            ("join a b --rate 0", "--rate takes a number above 0, up to 1e9, not '0'"),
            ("join a b --rate -5", "--rate takes a number above 0, up to 1e9, not '-5'"),
            ("join a b --rate=", "--rate takes a number above 0, up to 1e9, not ''"),
            ("join a b --json=yes", "--json takes no value, and got 'yes'"),
            (
                "join a b --rule nearst",
                "--rule takes nearest, latest or interpolated, not 'nearst'; did you mean 'nearest'?"
            ),
            ("watch --name=", "--name takes a name, not ''"),
        ])
    func misuse(line: String, sentence: String) throws {
        let failure = try #require(
            rejection(line), "no failure for \(line)")
        #expect(failure.reason.description == sentence)
        #expect(failure.reason.code == .misuse)
    }

    @Test("says of which command it speaks")
    func command() {
        #expect(rejection("plugins check --nonsense")?.command == "tool plugins check")
        #expect(rejection("nonsense")?.command == "tool")
    }

    @Test("does not print what moves a cursor")
    func harmless() throws {
        let failure = try #require(rejection("\u{1b}[2Jx"))
        #expect(!failure.reason.description.contains("\u{1b}"))
    }
}

@Suite("Value forms", .timeLimit(.minutes(1)))
struct ValueFormTests {
    @Test(
        "a number above 0 is a finite decimal number",
        arguments: [
            ("5", 5), ("0.5", 0.5), ("1e3", 1000), ("007", 7), ("5e-324", .leastNonzeroMagnitude),
        ])
    func positive(text: String, value: Double) {
        #expect(ValueForm<Double>.positive.read(text) == value)
    }

    @Test(
        "anything else is no number",
        arguments: [
            "", "0", "-1", "+1", "x", "1x", "nan", "inf", "0x10", "1e999", "1e10", " 1", "1 ",
            "1,5", "١",
        ])
    func notPositive(text: String) {
        #expect(ValueForm<Double>.positive.read(text) == nil)
    }

    @Test("a number of 0 or more may be 0")
    func notNegative() {
        #expect(ValueForm<Double>.notNegative.read("0") == 0)
        #expect(ValueForm<Double>.notNegative.read("-0.1") == nil)
    }

    @Test(
        "a count is a whole number above 0",
        arguments: [
            ("1", 1), ("20", 20), ("0", nil), ("", nil), ("1.0", nil), ("-1", nil),
            ("99999999999999999999", nil),
        ])
    func count(text: String, value: Int?) {
        #expect(ValueForm<Int>.count.read(text) == value)
    }
}
