/// Finds the tags and texts of an XML document, in pieces of any size.
///
/// It checks no grammar: what a track needs is read, whatever surrounds it. Entities other than the five
/// of XML and numbers are never expanded, and a document type is skipped. Source: XML 1.0, fifth edition.
struct XMLScanner {
    /// What was found.
    enum Token: Equatable {
        /// A start tag; a prefix of the name is kept.
        case start(name: String, attributes: [(name: String, value: String)])
        /// An end tag, or the end of an empty element.
        case end(name: String)
        /// Text, entities expanded; one text may come in pieces.
        case text(String)

        static func == (a: Token, b: Token) -> Bool {
            switch (a, b) {
            case (.start(let a, let of), .start(let b, let other)):
                a == b && of.elementsEqual(other, by: ==)
            case (.end(let a), .end(let b)), (.text(let a), .text(let b)): a == b
            default: false
            }
        }
    }

    private enum Place {
        case text, tag, comment, cdata, instruction, doctype
    }

    /// A longer tag is none, and of a longer text the rest is left out.
    static let limit = 1 << 16

    /// How many bytes belong to whole tokens.
    private(set) var wholeCount: UInt64 = 0
    /// How many bytes were taken.
    private(set) var count: UInt64 = 0
    /// Tags that could not be understood.
    private(set) var faults = 0
    /// Entities that are not of XML.
    private(set) var unknownEntities = 0

    private var place = Place.text
    private var held: [UInt8] = []
    private var isOverlong = false
    /// Within a tag: the quote that is open; 0 where none is.
    private var quote: UInt8 = 0
    private var depth = 0

    /// Whether the end of the input is within a tag or a comment.
    var isWithinMarkup: Bool { place != .text }

    /// Takes the next bytes, and hands each token that ends in them to `take`.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (Token) -> Void) {
        for byte in bytes {
            count += 1
            scan(byte, take)
        }
    }

    private mutating func hold(_ byte: UInt8) {
        if held.count < Self.limit { held.append(byte) } else { isOverlong = true }
    }

    private mutating func leave() {
        held.removeAll(keepingCapacity: true)
        isOverlong = false
        place = .text
        wholeCount = count
    }

    private func endsWith(_ text: StaticString) -> Bool {
        held.count >= text.utf8CodeUnitCount
            && held.suffix(text.utf8CodeUnitCount)
                .elementsEqual(
                    UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func scan(_ byte: UInt8, _ take: (Token) -> Void) {
        switch place {
        case .text:
            if byte != 0x3c { return hold(byte) }
            if !held.isEmpty { take(.text(expanded(held[...]))) }
            held.removeAll(keepingCapacity: true)
            isOverlong = false
            place = .tag
            quote = 0
        case .tag:
            scanTag(byte, take)
        case .comment:
            keepTail(byte)
            if endsWith("-->") { leave() }
        case .instruction:
            keepTail(byte)
            if endsWith("?>") { leave() }
        case .cdata:
            hold(byte)
            if endsWith("]]>") {
                take(.text(String(decoding: held.dropLast(3), as: UTF8.self)))
                leave()
            } else if isOverlong {
                // The end has to be seen, the rest of the text has not.
                held.removeFirst(held.count - 2)
                held.append(byte)
                isOverlong = false
                faults += 1
            }
        case .doctype:
            switch byte {
            case quote where quote != 0: quote = 0
            case _ where quote != 0: break
            case 0x22, 0x27: quote = byte
            case 0x5b: depth += 1
            case 0x5d: depth -= 1
            case 0x3e where depth <= 0: leave()
            default: break
            }
        }
    }

    /// Keeps as much as the end of a comment needs.
    private mutating func keepTail(_ byte: UInt8) {
        if held.count >= 64 { held.removeFirst(held.count - 2) }
        held.append(byte)
    }

    private mutating func scanTag(_ byte: UInt8, _ take: (Token) -> Void) {
        if quote != 0 {
            if byte == quote { quote = 0 }
            return hold(byte)
        }
        switch byte {
        case 0x3e:
            if isOverlong { faults += 1 } else { takeTag(take) }
            leave()
        case 0x3c:
            // A tag in a tag: the first one was cut off.
            faults += 1
            held.removeAll(keepingCapacity: true)
            isOverlong = false
        default:
            if byte == 0x22 || byte == 0x27 { quote = byte }
            hold(byte)
            let isBegun = held.first == 0x21 || held.first == 0x3f
            if isBegun { enterMarkup() }
        }
    }

    private mutating func enterMarkup() {
        let next: Place
        if held.count == 1, held[0] == 0x3f {
            next = .instruction
        } else if held.count == 3, endsWith("!--") {
            next = .comment
        } else if held.count == 8, endsWith("![CDATA[") {
            next = .cdata
        } else if held.count == 8, endsWith("!DOCTYPE") {
            next = .doctype
            depth = 0
        } else {
            return
        }
        quote = 0
        held.removeAll(keepingCapacity: true)
        place = next
    }

    // MARK: Tags

    private mutating func takeTag(_ take: (Token) -> Void) {
        guard let first = held.first, first != 0x21 else { return faults += 1 }
        if first == 0x2f {
            let name = held.dropFirst().prefix { !Self.isBlank($0) }
            return take(.end(name: String(decoding: name, as: UTF8.self)))
        }
        let isEmpty = held.last == 0x2f
        var rest = isEmpty ? held.dropLast() : held[...]
        let name = rest.prefix { !Self.isBlank($0) }
        guard !name.isEmpty, let attributes = attributes(of: rest.dropFirst(name.count)) else {
            return faults += 1
        }
        rest = []
        let text = String(decoding: name, as: UTF8.self)
        take(.start(name: text, attributes: attributes))
        if isEmpty { take(.end(name: text)) }
    }

    private mutating func attributes(
        of bytes: ArraySlice<UInt8>
    ) -> [(name: String, value: String)]? {
        var list: [(name: String, value: String)] = []
        var rest = bytes.drop(while: Self.isBlank)
        while !rest.isEmpty {
            let name = rest.prefix { $0 != 0x3d && !Self.isBlank($0) }
            rest = rest.dropFirst(name.count).drop(while: Self.isBlank)
            guard !name.isEmpty, rest.first == 0x3d else { return nil }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return nil }
            rest = rest.dropFirst()
            let value = rest.prefix { $0 != quote }
            rest = rest.dropFirst(value.count)
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            list.append((String(decoding: name, as: UTF8.self), expanded(value)))
        }
        return list
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

    // MARK: Entities

    private mutating func expanded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var rest = bytes
        while let ampersand = rest.firstIndex(of: 0x26) {
            text += String(decoding: rest[..<ampersand], as: UTF8.self)
            let after = rest[(ampersand + 1)...]
            guard let end = after.prefix(32).firstIndex(of: 0x3b) else {
                text += "&"
                unknownEntities += 1
                rest = after
                continue
            }
            if let scalar = Self.scalar(String(decoding: after[..<end], as: UTF8.self)) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\u{fffd}"
                unknownEntities += 1
            }
            rest = after[(end + 1)...]
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let value =
                digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return value.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        }
    }
}
