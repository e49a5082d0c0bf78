/// One sentence, cut into fields, within the bytes that it came in.
///
/// `$` and `!`, which begin a sentence, are not part of it, nor are `*` and the checksum. Field 0 is the
/// address. Source: NMEA 0183, sentence structure.
struct Sentence {
    /// How the bytes of a sentence end.
    enum End: Equatable {
        /// With a checksum that is right.
        case checked
        /// Without a checksum.
        case unchecked
        /// With a checksum that is not that of the bytes, or is none at all.
        case wrong
        /// With the start of another sentence.
        case interrupted
    }

    /// Fields beyond these are looked at by nobody.
    private static var fieldLimit: Int { 64 }

    private var base: UnsafePointer<UInt8>
    private var length = 0
    /// Where the fields begin.
    ///
    /// On the heap: an inline array would be copied for every field that is looked at.
    private var starts = [UInt16](repeating: 0, count: Self.fieldLimit)
    /// How many fields there are, the address among them.
    private(set) var count = 0

    init() { base = UnsafePointer(bitPattern: 1).unsafelyUnwrapped }

    /// Cuts the sentence that begins at `at`, behind its `$`; moves to what follows it.
    ///
    /// - Returns: how it ends.
    mutating func scan(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> End {
        base = at
        return starts.withUnsafeMutableBufferPointer { starts in
            Self.scan(&at, end, starts, &length, &count)
        }
    }

    @inline(__always)
    private static func scan(
        _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ starts: UnsafeMutableBufferPointer<UInt16>, _ length: inout Int, _ count: inout Int
    ) -> End {
        let start = at
        var place = at
        var sum: UInt8 = 0
        var fields = 1
        starts[0] = 0
        defer {
            at = place
            count = fields
        }
        while place < end {
            let byte = place.pointee
            // Digits, letters and points are all above the comma.
            if byte > 0x2c {
                sum ^= byte
                place += 1
                continue
            }
            switch byte {
            case 0x2c:
                sum ^= byte
                place += 1
                if fields < fieldLimit {
                    starts[fields] = UInt16(truncatingIfNeeded: place - start)
                    fields += 1
                }
            case 0x2a:
                length = place - start
                place += 1
                return check(sum, &place, end)
            case 0x24, 0x21:
                length = place - start
                return .interrupted
            case 0x0d, 0x0a:
                length = place - start
                return .unchecked
            default:
                sum ^= byte
                place += 1
            }
        }
        length = place - start
        return .unchecked
    }

    /// Reads the checksum at `at`, in either case, and what follows it up to the end of the sentence.
    private static func check(
        _ sum: UInt8, _ at: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> End {
        var said = 0
        var digits = 0
        while at < end, let digit = hexDigit(at.pointee) {
            said = (said << 4 | digit) & 0xfff
            digits += 1
            at += 1
        }
        let isWhole = digits == 2
        var isClean = true
        while at < end, !isBorder(at.pointee) {
            if at.pointee != 0x20, at.pointee != 0x09 { isClean = false }
            at += 1
        }
        return isWhole && isClean && said == Int(sum) ? .checked : .wrong
    }

    private static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }

    /// Whether a byte ends a sentence, or begins another.
    static func isBorder(_ byte: UInt8) -> Bool {
        byte == 0x0d || byte == 0x0a || byte == 0x24 || byte == 0x21
    }

    // MARK: Fields

    /// The bytes of a field; none where the sentence has no such field.
    @inline(__always)
    func field(_ number: Int) -> UnsafeBufferPointer<UInt8> {
        guard number < count else { return UnsafeBufferPointer(start: base, count: 0) }
        let (start, end) = starts.withUnsafeBufferPointer { starts in
            (Int(starts[number]), number + 1 < count ? Int(starts[number + 1]) - 1 : length)
        }
        return UnsafeBufferPointer(start: base + start, count: max(0, end - start))
    }

    /// Whether a field says nothing.
    @inline(__always)
    func isEmpty(_ number: Int) -> Bool { field(number).isEmpty }

    /// The letter of a field; 0 where it is empty.
    ///
    /// - Throws: `.malformed` where it has more than that.
    @inline(__always)
    func letter(_ number: Int) throws(FieldFault) -> UInt8 {
        let bytes = field(number)
        if bytes.isEmpty { return 0 }
        guard bytes.count == 1 else { throw .malformed }
        return bytes[0]
    }

    /// The text of a field.
    func text(_ number: Int) -> String { String(decoding: field(number), as: UTF8.self) }
}

/// What is wrong with a sentence whose checksum is right.
enum FieldFault: Error {
    /// A field is not what the sentence has at that place.
    case malformed
    /// Fields are missing at the end.
    case incomplete
    /// A position that is not on the Earth.
    case implausible
}
