import Glibc

/// The bytes of a JSON string, within the line that it stands in.
struct JSONText {
    let start: UnsafePointer<UInt8>
    let count: Int
    let hasEscapes: Bool

    /// The first eight bytes as one number, lowest first, and the length above a string of 8: to
    /// compare with `name("lat")`.
    @inline(__always)
    var packed: UInt64 {
        if count >= 8 {
            return UnsafeRawPointer(start).loadUnaligned(as: UInt64.self) ^ UInt64(count - 8)
                &* 0x9e37_79b9_7f4a_7c15
        }
        var value: UInt64 = 0
        var place = count
        while place > 0 {
            place -= 1
            value = value << 8 | UInt64(start[place])
        }
        return value
    }

    /// What `packed` is for a key of that name.
    @inline(__always)
    static func name(_ name: StaticString) -> UInt64 {
        JSONText(start: name.utf8Start, count: name.utf8CodeUnitCount, hasEscapes: false).packed
    }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// Whether its bytes are these.
    @inline(__always)
    func equals(_ other: [UInt8]) -> Bool {
        count == other.count
            && other.withUnsafeBytes { other in
                other.baseAddress.map { memcmp(start, $0, count) == 0 } ?? true
            }
    }

    /// The text, escapes resolved.
    var string: String {
        if !hasEscapes { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var pending: [UInt8] = []
        func flush() {
            units += Array(String(decoding: pending, as: UTF8.self).utf16)
            pending = []
        }
        var place = 0
        while place < count {
            guard start[place] == 0x5c, place + 1 < count else {
                pending.append(start[place])
                place += 1
                continue
            }
            let code = start[place + 1]
            place += 2
            switch code {
            case 0x6e: pending.append(0x0a)
            case 0x74: pending.append(0x09)
            case 0x72: pending.append(0x0d)
            case 0x62: pending.append(0x08)
            case 0x66: pending.append(0x0c)
            case 0x75:
                let digits = String(decoding: bytes[place..<min(count, place + 4)], as: UTF8.self)
                flush()
                units.append(UInt16(digits, radix: 16) ?? 0xfffd)
                place = min(count, place + 4)
            default: pending.append(code)
            }
        }
        flush()
        return String(decoding: units, as: UTF16.self)
    }
}
