/// Writes JSON (RFC 8259) into bytes.
///
/// Numbers are the shortest decimals that read back as the same double; what JSON cannot hold (NaN,
/// infinities) is left out, as is what is unknown.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Writes an object that is not the value of a member.
    mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Ends a line.
    mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: Members of an object

    mutating func member(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        append(value)
    }

    mutating func member(_ name: String, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        key(name)
        bytes += "\(value)".utf8
    }

    mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bytes += (value ? "true" : "false").utf8
    }

    mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        append(value)
    }

    /// A member that is there even where its value is unknown.
    mutating func nullableMember(_ name: String, _ value: String?) {
        key(name)
        if let value { append(value) } else { bytes += "null".utf8 }
    }

    mutating func member(_ name: String, object members: (inout JSONWriter) -> Void) {
        key(name)
        needsComma = false
        object(members)
    }

    mutating func member<Element>(
        _ name: String, array elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { write(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    // MARK: Elements of an array

    mutating func element(_ value: String) {
        separate()
        append(value)
        needsComma = true
    }

    mutating func element(_ value: Double) {
        guard value.isFinite else { return }
        separate()
        append(value)
        needsComma = true
    }

    // MARK: Inside

    private mutating func key(_ name: String) {
        separate()
        append(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = true
    }

    private mutating func separate() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private mutating func append(_ value: Double) {
        // The standard library's description is the shortest that reads back, and valid JSON. It
        // keeps ".0", so that readers of typed languages see the same type in every line.
        bytes += value.description.utf8
    }

    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
            case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
            case 0..<0x20, 0x7f:
                bytes += #"\u00"#.utf8
                bytes += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
