/// `sensorium completions`: what makes a shell complete this program's command line.
enum CompletionsCommand {
    static let command: Command = Command(
        name: "completions",
        summary: "Prints the script with which a shell completes this program's command line.",
        discussion: [
            "'make install' has put it where the shells look. Without an installation, source it; "
                + "zsh wants it as a file named _sensorium in a folder of its fpath."
        ],
        arguments: [
            Argument("SHELL", "bash, zsh or fish.", completion: .words(Shell.names))
        ],
        examples: [
            .init("sensorium completions fish | source", "For this fish."),
            .init(
                "sensorium completions bash | tee -a ~/.bash_completion",
                "For every bash from now on, where the package bash-completion is installed."),
        ]
    ) { invocation, surroundings throws(CommandFailure) in
        let word = invocation.words.first ?? ""
        guard let shell = Shell(rawValue: word) else {
            let near = NearestWord(to: word, among: Shell.names).suggestion
            throw .misuse(
                "there are no completions for '\(word.printable)'",
                hint: near.isEmpty ? "there are \(Shell.names.joined(separator: ", "))" : near)
        }
        await surroundings.output.write(shell.script(for: Program.root))
        return .success
    }
}

/// A shell that completions can be made for.
private enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish

    static let names = allCases.map(\.rawValue)

    func script(for root: Command) -> String {
        switch self {
        case .bash: BashCompletion(root).text
        case .zsh: ZshCompletion(root).text
        case .fish: FishCompletion(root).text
        }
    }
}
