import Glibc
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("shell completion", .timeLimit(.minutes(1)))
struct CompletionTests {
    private static let scripts = [
        BashCompletion(Program.root).text, ZshCompletion(Program.root).text,
        FishCompletion(Program.root).text,
    ]

    @Test("names every command and option of the declaration", arguments: scripts)
    func complete(script: String) {
        for lineage in Program.root.lineages {
            #expect(script.contains(lineage.last?.name ?? "-"))
            for spec in lineage.allOptions { #expect(script.contains(spec.name)) }
        }
    }

    /// The completion skips an option's value wherever it stands, and looks for the option by its name
    /// only.
    @Test("an option takes a value in all commands that have it, or in none")
    func unambiguous() {
        let specs = Program.root.lineages.flatMap(\.allOptions)
        let valued = Set(specs.filter(\.takesValue).flatMap(\.spellings))
        let flags = Set(specs.filter { !$0.takesValue }.flatMap(\.spellings))
        #expect(valued.isDisjoint(with: flags))
    }

    @Test(
        "bash offers what fits at the cursor",
        arguments: [
            ("sensorium '' ", ["list", "watch", "decode"], ["gpsd", "--json"]),
            ("sensorium wa", ["watch"], ["list"]),
            ("sensorium --", ["--set", "--version"], ["--json"]),
            ("sensorium -v list --", ["--json", "--help"], ["--version", "--rate"]),
            ("sensorium decode ''", ["gpsd"], ["list"]),
            ("sensorium decode gpsd --j", ["--json"], ["--set"]),
            ("sensorium join --policy l", ["latest"], ["nearest"]),
            ("sensorium join --policy = l", ["latest"], ["nearest"]),
            ("sensorium join --policy =", ["latest", "nearest"], []),
            ("sensorium --set list list --", ["--json"], []),
            ("sensorium watch --rate ''", [], ["acceleration", "list"]),
            ("sensorium watch pressure acc", ["acceleration"], ["pressure"]),
            ("sensorium watch sha", ["shake"], ["orientation"]),
            ("sensorium join sha", [], ["shake"]),
            ("sensorium watch --plugin-dir /x spy/", ["spy/location"], ["location"]),
            ("sensorium join location --within 5 acc", ["acceleration"], ["location"]),
            ("sensorium join location pressure acc", [], ["acceleration"]),
            ("sensorium --plugin-dir /us", ["/usr"], ["list"]),
            ("sensorium completions ''", ["bash", "zsh", "fish"], []),
        ])
    func bash(line: String, offered: [String], withheld: [String]) throws {
        // A function in place of timeout(1) stands for the command that it would run.
        let script = """
            timeout() { shift 2; [ "$*" != '--plugin-dir /x list --json' ] ||
                echo '{"sensor":"spy/location","kind":"location"}'; }
            \(BashCompletion(Program.root).text)
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _sensorium sensorium; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let words = try Self.output(ofBash: script).split(separator: "\n").map(String.init)
        for word in offered { #expect(words.contains(word), "\(words)") }
        for word in withheld { #expect(!words.contains(word), "\(words)") }
    }

    @Test("is printed for the three shells, and for no other")
    func printed() async {
        for (shell, script) in zip(["bash", "zsh", "fish"], Self.scripts) {
            let bench = CommandBench()
            #expect(await bench.run("completions", shell) == .success)
            #expect(bench.output.text == script)
        }
        let bench = CommandBench()
        #expect(await bench.run("completions", "zhs") == .misuse)
        #expect(bench.errors.text.contains("did you mean 'zsh'?"))
    }

    /// What bash prints when it runs the script.
    private static func output(ofBash script: String) throws -> String {
        let folder = try TemporaryFolder()
        try folder.write("script", script)
        let pipe = try #require(popen("bash --norc '\(folder.path)/script' 2>&1", "r"))
        var bytes: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        #expect(pclose(pipe) == 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
