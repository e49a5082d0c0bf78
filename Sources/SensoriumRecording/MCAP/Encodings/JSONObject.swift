import Sensorium

/// An object of a JSON text: texts and numbers by name, and lists of such objects.
struct JSONObject {
    /// Texts and numbers; a number as its digits.
    var values: [String: String] = [:]
    var lists: [String: [JSONObject]] = [:]
    private static let deepest = 4

    init() {}

    /// Parses one object; nil where the text is not one, or is deeper than ours are.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var parser = Parser(rest: bytes)
        guard let object = parser.object(depth: 0), parser.isAtEnd else { return nil }
        self = object
    }

    private init(values: [String: String], lists: [String: [JSONObject]]) {
        self.values = values
        self.lists = lists
    }

    private struct Parser {
        var rest: UnsafeRawBufferPointer

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return rest.isEmpty
            }
        }

        private mutating func skipBlanks() {
            while let byte = rest.first, byte == 0x20 || (0x09...0x0d).contains(byte) { advance() }
        }

        private mutating func advance() { rest = UnsafeRawBufferPointer(rebasing: rest[1...]) }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard rest.first == byte else { return false }
            advance()
            return true
        }

        mutating func object(depth: Int) -> JSONObject? {
            guard depth < JSONObject.deepest, take(0x7b) else { return nil }
            var object = JSONObject()
            if take(0x7d) { return object }
            repeat {
                skipBlanks()
                guard let name = string(), take(0x3a) else { return nil }
                skipBlanks()
                switch rest.first {
                case 0x22:
                    guard let text = string() else { return nil }
                    object.values[name] = text
                case 0x5b:
                    advance()
                    var list: [JSONObject] = []
                    if !take(0x5d) {
                        repeat {
                            guard let item = self.object(depth: depth + 1) else { return nil }
                            list.append(item)
                        } while take(0x2c)
                        guard take(0x5d) else { return nil }
                    }
                    object.lists[name] = list
                default:
                    guard let word = word() else { return nil }
                    if word != "null" { object.values[name] = word }
                }
            } while take(0x2c)
            return take(0x7d) ? object : nil
        }

        /// A number, `true`, `false` or `null`.
        private mutating func word() -> String? {
            let end = rest.firstIndex { byte in
                !((0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2b
                    || byte == 0x2d || byte == 0x2e || byte == 0x45)
            }
            let word = rest[..<(end ?? rest.endIndex)]
            guard !word.isEmpty else { return nil }
            rest = UnsafeRawBufferPointer(rebasing: rest[word.endIndex...])
            return String(decoding: word, as: UTF8.self)
        }

        private mutating func string() -> String? {
            guard rest.first == 0x22 else { return nil }
            advance()
            var bytes: [UInt8] = []
            while let end = rest.firstIndex(where: { $0 == 0x22 || $0 == 0x5c }) {
                bytes += rest[..<end]
                let isEnd = rest[end] == 0x22
                rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
                if isEnd { return String(decoding: bytes, as: UTF8.self) }
                guard let escape = rest.first else { return nil }
                advance()
                switch escape {
                case 0x6e: bytes.append(0x0a)
                case 0x74: bytes.append(0x09)
                case 0x72: bytes.append(0x0d)
                case 0x62: bytes.append(0x08)
                case 0x66: bytes.append(0x0c)
                case 0x75:
                    guard rest.count >= 4,
                        let code = UInt32(String(decoding: rest[..<4], as: UTF8.self), radix: 16),
                        let scalar = Unicode.Scalar(code)
                    else { return nil }
                    bytes += Array(String(Character(scalar)).utf8)
                    rest = UnsafeRawBufferPointer(rebasing: rest[4...])
                default: bytes.append(escape)
                }
            }
            return nil
        }
    }
}

extension ByteBuffer {
    /// Adds a member of a JSON object, with the comma before it where it is not the first.
    func member(_ name: String, _ text: String, isNumber: Bool = false) {
        if count > 0, bytes[count - 1] != 0x7b { append(UInt8(0x2c)) }
        quote(name)
        append(UInt8(0x3a))
        if isNumber { raw(text) } else { quote(text) }
    }

    /// Adds the bytes of a text as they are.
    func raw(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private func quote(_ text: String) {
        append(UInt8(0x22))
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5c:
                append(UInt8(0x5c))
                append(byte)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: append(byte)
            }
        }
        append(UInt8(0x22))
    }
}

/// Writes the fields of a reading as members of a JSON object.
struct JSONFieldWriter: FieldVisitor {
    let buffer: ByteBuffer
    var fills: Bool { false }

    mutating func write(_ name: String, _ text: String?) {
        guard let text else { return }
        let first = text.utf8.first ?? 0
        let mayBeNumber = (0x30...0x39).contains(first) || first == 0x2d
        buffer.member(name, text, isNumber: mayBeNumber && NumberText.finite(text) != nil)
    }

    mutating func read(_ name: String) -> String? { nil }
    mutating func refuse(_ name: String) {}
}

/// Fills the fields of a reading from a JSON object.
struct JSONFieldReader: FieldVisitor {
    let object: JSONObject
    var isRefused = false
    var fills: Bool { true }

    init(_ object: JSONObject) { self.object = object }

    mutating func write(_ name: String, _ text: String?) {}
    mutating func read(_ name: String) -> String? { object.values[name] }
    mutating func refuse(_ name: String) { isRefused = true }
}
