/// `sensorium manual`: this program's manual page.
enum ManualCommand {
    static let command: Command = Command(
        name: "manual",
        summary: "Prints the manual page of this program.",
        discussion: ["It is made from what '--help' shows, so that the two agree."],
        examples: [.init("sensorium manual | man -l -", "Shows it.")]
    ) { _, surroundings throws(CommandFailure) in
        let page = ManualPage(Program.root, version: Program.version)
        await surroundings.output.write(page.text)
        return .success
    }
}
