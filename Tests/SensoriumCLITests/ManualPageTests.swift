import Testing

@testable import SensoriumCLI

@Suite("manual page", .timeLimit(.minutes(1)))
struct ManualPageTests {
    private let page = ManualPage(Program.root, version: "1.2.3").text

    @Test("names every command, option and argument of the declaration")
    func complete() {
        for lineage in Program.root.lineages.dropFirst() {
            #expect(page.contains(".SS \"\(lineage.name)"))
            for argument in lineage.last?.arguments ?? [] {
                #expect(page.contains("\\fB\(argument.name)\\fP"))
            }
        }
        for spec in Program.root.lineages.flatMap(\.allOptions) {
            let dashed = spec.terms.split(separator: "-", omittingEmptySubsequences: false)
            #expect(page.contains("\\fB\(dashed.joined(separator: "\\-"))\\fP"))
        }
        for (code, _) in ExitCode.meanings { #expect(page.contains(".TP\n\\fB\(code)\\fP")) }
    }

    @Test("begins with the title, the version and a clause for apropos")
    func beginning() {
        #expect(
            page.hasPrefix(
                """
                .TH SENSORIUM 1 "" "sensorium 1.2.3" "User Commands"
                .SH "NAME"
                sensorium \\- reads the sensors of this machine: positions, motion, environment

                """))
    }

    @Test("writes text so that roff takes none of it for a request")
    func escapes() {
        let command = Command(
            name: "tool", summary: "Does.", discussion: [#".so 'a' "b" \c ~/x-y ^ `d`"#])
        let text = ManualPage(command, version: "1").text
        #expect(text.contains(#"\&.so \(aqa\(aq \(dqb\(dq \ec \(ti/x\-y \(ha \(gad\(ga"# + "\n"))
    }

    @Test("is what the command prints")
    func printed() async {
        let bench = CommandBench()
        #expect(await bench.run("manual") == .success)
        #expect(bench.output.text == ManualPage(Program.root, version: Program.version).text)
    }
}
