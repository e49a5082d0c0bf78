/// An option as the command line, the help page and shell completion see it.
struct OptionSpec: Sendable {
    /// The long name, without dashes.
    var name: String
    /// A one-letter name; nil for none.
    var letter: Character?
    /// What its value is called in the help: `DIR`; nil for a flag, which takes none.
    var placeholder: String?
    /// What it does, as a sentence.
    var summary: String
    /// Whether it may be given several times.
    var isRepeatable: Bool
    /// What a shell may offer for its value.
    var completion: Completion
    /// Reads and checks a value.
    fileprivate(set) var read: @Sendable (String) throws(CommandFailure) -> any Sendable

    /// `--rate HZ`.
    var usage: String { placeholder.map { "--\(name) \($0)" } ?? "--\(name)" }
}

/// An option without a value: it was given or not.
struct Flag: Sendable {
    let spec: OptionSpec

    init(_ name: String, letter: Character? = nil, _ summary: String) {
        spec = OptionSpec(
            name: name, letter: letter, placeholder: nil, summary: summary, isRepeatable: true,
            completion: .nothing, read: { _ throws(CommandFailure) in true })
    }
}

/// An option with a value.
///
/// Given twice, the last one counts.
struct Option<Value: Sendable>: Sendable {
    let spec: OptionSpec

    init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ form: ValueForm<Value>,
        _ summary: String
    ) {
        spec = OptionSpec(
            name, letter, placeholder, form, summary, isRepeatable: false)
    }
}

/// An option that may be given several times.
struct RepeatedOption<Value: Sendable>: Sendable {
    let spec: OptionSpec

    init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ form: ValueForm<Value>,
        _ summary: String
    ) {
        spec = OptionSpec(
            name, letter, placeholder, form, summary, isRepeatable: true)
    }
}

extension OptionSpec {
    fileprivate init<Value: Sendable>(
        _ name: String, _ letter: Character?, _ placeholder: String, _ form: ValueForm<Value>,
        _ summary: String, isRepeatable: Bool
    ) {
        self.init(
            name: name, letter: letter, placeholder: placeholder, summary: summary,
            isRepeatable: isRepeatable, completion: form.completion
        ) { text throws(CommandFailure) in
            guard let value = form.read(text) else {
                let near = NearestWord(to: text, among: form.choices).suggestion
                throw .misuse(
                    "--\(name) takes \(form.expectation), not '\(text.printable)'", hint: near)
            }
            return value
        }
    }
}

/// How a value is read from text, and what to say when it cannot be.
struct ValueForm<Value: Sendable>: Sendable {
    /// `a number above 0`, to go after "takes".
    var expectation: String
    /// What a shell may offer.
    var completion = Completion.nothing
    /// The value; nil where the text is none.
    var read: @Sendable (String) -> Value?
}

extension ValueForm {
    /// All its values, where they are few.
    var choices: [String] {
        if case .words(let words) = completion { words } else { [] }
    }
}

extension ValueForm where Value == String {
    /// Any text but none.
    static func text(_ expectation: String) -> Self {
        ValueForm(expectation: expectation) { $0.isEmpty ? nil : $0 }
    }

    /// The path of a folder.
    static let folder = ValueForm(expectation: "a folder", completion: .folder) {
        $0.isEmpty ? nil : $0
    }
}

extension ValueForm where Value == Double {
    /// A number above zero, as large as anybody may mean: 30 years in seconds are less.
    static let positive = ValueForm(expectation: "a number above 0, up to 1e9") { text in
        number(text).flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
    }

    /// A number from zero.
    static let notNegative = ValueForm(expectation: "a number from 0 to 1e9") { text in
        number(text).flatMap { $0 >= 0 && $0 <= 1e9 ? $0 : nil }
    }

    /// Decimal digits only: `Double` itself would also read hexadecimal, `inf` and `nan`.
    private static func number(_ text: String) -> Double? {
        guard let first = text.utf8.first, first != UInt8(ascii: "+"),
            text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text),
            value.isFinite
        else { return nil }
        return value
    }
}

extension ValueForm where Value == Int {
    /// A whole number above zero.
    static let count = ValueForm(expectation: "a whole number above 0") { text in
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int(text), value > 0
        else { return nil }
        return value
    }
}

extension ValueForm where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the cases, by its raw value.
    static var oneOf: Self {
        let names = Value.allCases.map(\.rawValue)
        let last = names.last ?? ""
        return ValueForm(
            expectation: names.dropLast().joined(separator: ", ") + " or \(last)",
            completion: .words(names)
        ) { Value(rawValue: $0) }
    }
}
