/// Splits comma-separated values into rows of fields, in pieces of any size.
///
/// Source: RFC 4180; also taken are semicolons or tabs in place of commas, any line end, and a byte
/// order mark. A field in quotes may hold separators, quotes (doubled) and line ends.
struct CSVScanner {
    /// One row.
    struct Row {
        /// The bytes of all fields, one after another.
        fileprivate(set) var bytes: [UInt8] = []
        /// Where each field ends in `bytes`.
        fileprivate(set) var ends: [Int] = []
        /// What separates its fields.
        fileprivate(set) var separator: UInt8 = 0x2c
        /// Whether it was too long, and is cut.
        fileprivate(set) var isCut = false
        /// Whether a quote was never closed.
        fileprivate(set) var isOpen = false

        /// How many fields it has.
        var count: Int { ends.count }

        /// The bytes of a field; empty where the row has none at that place.
        subscript(field: Int) -> ArraySlice<UInt8> {
            guard ends.indices.contains(field) else { return [] }
            return bytes[(field == 0 ? 0 : ends[field - 1])..<ends[field]]
        }

        /// The text of a field; nil where it is empty or missing.
        func text(_ field: Int) -> String? {
            let field = self[field]
            return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
        }

        /// Whether it has nothing but one empty field.
        var isBlank: Bool { count <= 1 && bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    }

    /// More bytes than that in one row are no row.
    static let byteLimit = 1 << 16
    /// More fields than that in one row are no row.
    static let fieldLimit = 1024

    /// What separates fields; nil before the first separator.
    private var separator: UInt8?
    private var row = Row()
    private var isQuoted = false
    private var wasQuote = false
    private var wasReturn = false
    private var isStart = true
    private var marks = 0

    /// Takes the next bytes, and hands each row that ends in them to `take`.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (Row) -> Void) {
        for byte in bytes { scan(byte, take) }
    }

    /// Ends the input: a last line without a line end is a row too.
    mutating func finish(_ take: (Row) -> Void) {
        row.isOpen = isQuoted && !wasQuote
        isQuoted = false
        if !row.bytes.isEmpty || row.count > 0 { end(take) }
    }

    private mutating func scan(_ byte: UInt8, _ take: (Row) -> Void) {
        if isStart, marks < 3, byte == [0xef, 0xbb, 0xbf][marks] {
            marks += 1
            return
        }
        isStart = false
        if isQuoted {
            if wasQuote {
                wasQuote = false
                if byte == 0x22 { return add(byte) }
                isQuoted = false
                return scanPlain(byte, take)
            }
            if byte == 0x22 { wasQuote = true } else { add(byte) }
            return
        }
        scanPlain(byte, take)
    }

    private mutating func scanPlain(_ byte: UInt8, _ take: (Row) -> Void) {
        defer { wasReturn = byte == 0x0d }
        switch byte {
        case 0x0a where wasReturn: break
        case 0x0a, 0x0d: end(take)
        case 0x22 where row.bytes.count == (row.ends.last ?? 0): isQuoted = true
        case 0x2c, 0x3b, 0x09:
            // The first row says what separates: its first separator.
            if separator == nil { separator = byte }
            if byte == separator { endField() } else { add(byte) }
        default: add(byte)
        }
    }

    private mutating func add(_ byte: UInt8) {
        if row.bytes.count < Self.byteLimit { row.bytes.append(byte) } else { row.isCut = true }
    }

    private mutating func endField() {
        if row.count < Self.fieldLimit {
            row.ends.append(row.bytes.count)
        } else {
            row.isCut = true
        }
    }

    private mutating func end(_ take: (Row) -> Void) {
        endField()
        row.separator = separator ?? 0x2c
        if row.isCut || row.isOpen || !row.isBlank { take(row) }
        row.bytes.removeAll(keepingCapacity: true)
        row.ends.removeAll(keepingCapacity: true)
        row.isCut = false
        row.isOpen = false
    }
}
