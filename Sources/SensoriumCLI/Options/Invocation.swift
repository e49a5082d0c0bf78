/// One command line, understood.
struct Invocation: Sendable {
    /// The names of the commands, from the program's own.
    var path: [String]
    /// The words without dashes.
    var words: [String] = []
    private var values: [String: [any Sendable]] = [:]

    init(path: [String]) { self.path = path }

    /// `sensorium decode gpsd`.
    var name: String { path.joined(separator: " ") }

    mutating func add(_ value: any Sendable, for spec: OptionSpec) {
        values[spec.name, default: []].append(value)
    }

    /// Whether the flag was given.
    subscript(flag: Flag) -> Bool { values[flag.spec.name] != nil }

    /// The value; nil where the option was not given.
    subscript<Value>(option: Option<Value>) -> Value? { values[option.spec.name]?.last as? Value }

    /// All values, in the order of the command line.
    subscript<Value>(option: RepeatedOption<Value>) -> [Value] {
        (values[option.spec.name] ?? []).compactMap { $0 as? Value }
    }
}
