import Sensorium

extension String {
    /// The text as one word of bash or zsh, which neither of them looks into.
    ///
    /// Outside quotes, a backslash before a quote means the quote.
    var shellQuoted: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }
}

extension OptionSpec {
    /// `-v` and `--verbose`, or just the long one.
    var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// Whether a value follows it.
    var takesValue: Bool { placeholder != nil }

    /// `-v, --verbose`, as help pages show it.
    var terms: String { letter.map { "-\($0), \(usage)" } ?? usage }
}

extension SensorKind {
    /// What a shell may offer where a command takes a sensor or a kind, before it asks the command
    /// itself for the sensors that are there.
    static var words: String { allCases.map(\.name).joined(separator: " ") }
}
