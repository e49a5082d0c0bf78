/// Why a line is no JSON, or not what was expected there.
enum JSONFault: Error, Equatable {
    /// It ends too early.
    case truncated
    /// It is not JSON.
    case syntax
    /// A value is of another type than its name promises.
    case unexpectedType
    /// It is an object without a class, and so no report.
    case noClass
    /// It is nested too deeply.
    case tooDeep
}

/// Reads JSON from bytes, forward only, and allocates nothing.
///
/// It reads one object member by member: the caller asks for the next key, and then takes the value in
/// the type that it wants, or skips it. Source: RFC 8259.
struct JSONScanner {
    private var at: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    /// How deep values may be nested.
    private static var depthLimit: Int { 32 }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address; any will do, since nothing is read.
        at = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
        end = at + bytes.count
    }

    // MARK: Objects and arrays

    /// Steps into an object.
    @inline(__always)
    mutating func enterObject() throws(JSONFault) { try expectValue(0x7b) }

    /// Steps into an array.
    @inline(__always)
    mutating func enterArray() throws(JSONFault) { try expectValue(0x5b) }

    /// The next key of the object, packed; nil at the object's end.
    ///
    /// Compare it with `JSONText.name("lat")`. `isFirst` is true for the first call.
    @inline(__always)
    mutating func nextKey(isFirst: Bool) throws(JSONFault) -> UInt64? {
        skipSpace()
        guard at < end else { throw .truncated }
        if isFirst, at.pointee == 0x7d {
            at += 1
            return nil
        }
        if !isFirst {
            if at.pointee == 0x7d {
                at += 1
                return nil
            }
            guard at.pointee == 0x2c else { throw .syntax }
            at += 1
        }
        let key: UInt64
        if let short = shortKey() {
            key = short
        } else {
            guard at < end, at.pointee == 0x22 else { throw at < end ? .syntax : .truncated }
            key = try string().packed
        }
        try expect(0x3a)
        return key
    }

    /// Steps over the name of `member`, if it stands here.
    ///
    /// - Returns: whether it does.
    @inline(__always)
    mutating func step(over member: MemberOrder.Member) -> Bool {
        guard end - at >= 16, member.begins(at) else { return false }
        at += member.length
        return true
    }

    /// Where it stands, for `text(since:)`.
    var place: UnsafePointer<UInt8> { at }

    /// What was read since it stood at `start`; nil so near to the end that `step` reads nothing there.
    func text(since start: UnsafePointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        end - start >= 16 ? UnsafeBufferPointer(start: start, count: at - start) : nil
    }

    /// A key of up to seven plain bytes, taken in one piece; nil for any other.
    @inline(__always)
    private mutating func shortKey() -> UInt64? {
        skipSpace()
        guard end - at >= 9, at.pointee == 0x22 else { return nil }
        let word = UInt64(littleEndian: UnsafeRawPointer(at + 1).loadUnaligned(as: UInt64.self))
        let quotes = Self.bytes(equalTo: 0x22, in: word)
        guard quotes != 0 else { return nil }
        let bits = quotes.trailingZeroBitCount & ~7
        let mask: UInt64 = (1 << UInt64(bits)) &- 1
        // Escapes and control characters are for the long way.
        let odd = Self.bytes(equalTo: 0x5c, in: word) | ((word &- 0x2020_2020_2020_2020) & ~word)
        guard odd & mask & 0x8080_8080_8080_8080 == 0 else { return nil }
        at += 2 + bits / 8
        return word & mask
    }

    /// The top bit of each byte of `word` that is `byte`, right up to the first such byte.
    @inline(__always)
    private static func bytes(equalTo byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
    }

    /// Whether the array has another element.
    ///
    /// `isFirst` is true for the first call.
    @inline(__always)
    mutating func nextElement(isFirst: Bool) throws(JSONFault) -> Bool {
        skipSpace()
        guard at < end else { throw .truncated }
        if at.pointee == 0x5d {
            at += 1
            return false
        }
        if isFirst { return true }
        guard at.pointee == 0x2c else { throw .syntax }
        at += 1
        skipSpace()
        // A comma before the end is an error, not an element.
        if at < end, at.pointee == 0x5d { throw .syntax }
        return true
    }

    /// Checks that nothing but white space follows.
    mutating func finish() throws(JSONFault) {
        skipSpace()
        if at != end { throw .syntax }
    }

    // MARK: Values

    /// A string; its bytes as they stand, escapes and all.
    @inline(__always)
    mutating func string() throws(JSONFault) -> JSONText {
        try expectValue(0x22)
        let start = at
        var hasEscapes = false
        skipPlainText()
        while at < end {
            let byte = at.pointee
            if byte == 0x22 {
                let text = JSONText(start: start, count: at - start, hasEscapes: hasEscapes)
                at += 1
                return text
            }
            if byte < 0x20 { throw .syntax }
            if byte == 0x5c {
                hasEscapes = true
                at += 1
                guard at < end else { throw .truncated }
            }
            at += 1
        }
        throw .truncated
    }

    /// Steps over text, eight bytes at a time, up to a quote, a backslash or a control character.
    @inline(__always)
    private mutating func skipPlainText() {
        while end - at >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
            let control = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
            let special =
                Self.bytes(equalTo: 0x22, in: word) | Self.bytes(equalTo: 0x5c, in: word) | control
            if special != 0 {
                at += special.trailingZeroBitCount / 8
                return
            }
            at += 8
        }
    }

    /// Whether a string comes next.
    @inline(__always)
    mutating func isAtString() -> Bool {
        if at < end, at.pointee == 0x22 { return true }
        skipSpace()
        return at < end && at.pointee == 0x22
    }

    /// A number, or nil for null.
    @inline(__always)
    mutating func number() throws(JSONFault) -> Double? {
        skipSpace()
        guard at < end else { throw .truncated }
        if at.pointee == 0x6e {
            try literal(0x6e, 0x75, 0x6c, 0x6c)
            return nil
        }
        guard at.pointee == 0x2d || (at.pointee >= 0x30 && at.pointee <= 0x39) else {
            throw mismatch()
        }
        return try DecimalNumber.scan(&at, end)
    }

    /// A whole number within `Int`, or nil for null or for a number that is none.
    mutating func integer() throws(JSONFault) -> Int? {
        skipSpace()
        // Nearly all are a digit or two.
        var value = 0
        var place = at
        while place < end, place - at < 10, place.pointee &- 0x30 <= 9 {
            value = value * 10 + Int(place.pointee &- 0x30)
            place += 1
        }
        if place > at, place < end, place.pointee == 0x2c || place.pointee == 0x7d {
            at = place
            return value
        }
        guard let value = try number() else { return nil }
        return Int(exactly: value)
    }

    /// True or false, or nil for null.
    mutating func boolean() throws(JSONFault) -> Bool? {
        skipSpace()
        guard at < end else { throw .truncated }
        switch at.pointee {
        case 0x74:
            try literal(0x74, 0x72, 0x75, 0x65)
            return true
        case 0x66:
            try literal(0x66, 0x61, 0x6c, 0x73)
            guard at < end, at.pointee == 0x65 else { throw .truncated }
            at += 1
            return false
        case 0x6e:
            try literal(0x6e, 0x75, 0x6c, 0x6c)
            return nil
        default: throw mismatch()
        }
    }

    /// A string, or nil for anything else, which is skipped.
    mutating func stringIfAny() throws(JSONFault) -> JSONText? {
        skipSpace()
        guard at < end else { throw .truncated }
        if at.pointee == 0x22 { return try string() }
        try skip()
        return nil
    }

    /// Steps over any value.
    mutating func skip(depth: Int = 0) throws(JSONFault) {
        if depth > Self.depthLimit { throw .tooDeep }
        skipSpace()
        guard at < end else { throw .truncated }
        switch at.pointee {
        case 0x22: _ = try string()
        case 0x7b:
            at += 1
            var isFirst = true
            while try nextKey(isFirst: isFirst) != nil {
                isFirst = false
                try skip(depth: depth + 1)
            }
        case 0x5b:
            at += 1
            var isFirst = true
            while try nextElement(isFirst: isFirst) {
                isFirst = false
                try skip(depth: depth + 1)
            }
        case 0x74, 0x66: _ = try boolean()
        case 0x2d, 0x30...0x39: try DecimalNumber.skip(&at, end)
        default: _ = try number()
        }
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func skipSpace() {
        if at < end, at.pointee > 0x20 { return }
        while at < end,
            at.pointee == 0x20 || at.pointee == 0x09 || at.pointee == 0x0d || at.pointee == 0x0a
        {
            at += 1
        }
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws(JSONFault) {
        skipSpace()
        guard at < end else { throw .truncated }
        guard at.pointee == byte else { throw .syntax }
        at += 1
    }

    /// Steps over the first byte of a value.
    @inline(__always)
    private mutating func expectValue(_ byte: UInt8) throws(JSONFault) {
        skipSpace()
        guard at < end else { throw .truncated }
        guard at.pointee == byte else { throw mismatch() }
        at += 1
    }

    /// Why what stands here is not the value that it should be: it is one of another type, or none.
    @inline(never)
    private func mismatch() -> JSONFault {
        switch at.pointee {
        case 0x22, 0x5b, 0x7b, 0x2d, 0x30...0x39, 0x66, 0x6e, 0x74: break
        default: return .syntax
        }
        var copy = self
        do throws(JSONFault) {
            try copy.skip()
            return .unexpectedType
        } catch {
            return error
        }
    }

    private mutating func literal(
        _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8
    ) throws(JSONFault) {
        guard end - at >= 4 else { throw .truncated }
        guard at[0] == a, at[1] == b, at[2] == c, at[3] == d else { throw .syntax }
        at += 4
    }
}
