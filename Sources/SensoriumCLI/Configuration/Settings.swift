/// What plugins are configured with: `gpsd.address` and the like.
struct Settings: Hashable, Sendable {
    private var values: [String: String] = [:]

    /// The value of `key`; nil where none is set.
    subscript(key: String) -> String? { values[key] }

    /// The keys that are set, in order.
    var keys: [String] { values.keys.sorted() }

    /// All of them.
    var dictionary: [String: String] { values }

    /// Takes a setting; a later one replaces an earlier one.
    mutating func set(_ setting: Setting) { values[setting.key] = setting.value }
}

/// One `key=value`.
struct Setting: Hashable, Sendable {
    var key: String
    var value: String

    /// Reads `text`; nil where it is not of the form `plugin.name=value`.
    init?(_ text: some StringProtocol) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        key = String(Self.trimmed(text[..<equals]))
        value = String(Self.trimmed(text[text.index(after: equals)...]))
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        let isKey =
            parts.count >= 2
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isKeyByte) }
        if !isKey { return nil }
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Without the spaces and tabs at both ends.
    static func trimmed<Text: StringProtocol>(_ text: Text) -> Text.SubSequence {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return text.prefix(0) }
        return text[...last].drop(while: isSpace)
    }
}

extension ValueForm where Value == Setting {
    /// `key=value`.
    static let setting = ValueForm(expectation: "key=value, as in gpsd.address=127.0.0.1:2947") {
        Setting($0)
    }
}
