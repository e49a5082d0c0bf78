import Glibc

/// Finds the whole JPEG picture in what a camera put into a buffer.
///
/// Cameras cut pictures off, put fill bytes after them, and sometimes a whole picture after one that
/// was cut. Only the markers are looked at; nothing is decoded. Source: ITU-T T.81, annex B.
package enum JPEGExtent {
    /// After so many beginnings without an end, the buffer is given up.
    private static let attempts = 8

    /// Where the first whole picture lies, from its SOI to its EOI marker; nil where there is none.
    package static func find(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var start = 0
        for _ in 0..<attempts {
            guard let begin = nextStart(in: bytes, from: start) else { return nil }
            // The first picture begins where the buffer does.
            if start == 0, begin != 0 { return nil }
            if let end = end(of: begin, in: bytes) { return begin..<end }
            start = begin + 2
        }
        return nil
    }

    /// Where `FF D8 FF`, a picture's beginning, is next.
    private static func nextStart(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while let found = nextMark(in: bytes, from: place), found + 2 < bytes.count {
            if bytes[found + 1] == 0xd8, bytes[found + 2] == 0xff { return found }
            place = found + 1
        }
        return nil
    }

    /// Where the next byte `FF` is.
    private static func nextMark(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0xff, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Where the picture that begins at `start` ends; nil where it does not, or another begins first.
    private static func end(of start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        var place = start + 2
        var hasScan = false
        while place + 1 < bytes.count {
            guard bytes[place] == 0xff else { return nil }
            let code = bytes[place + 1]
            switch code {
            case 0xff:  // fill
                place += 1
            case 0xd9:
                return hasScan ? place + 2 : nil
            case 0x01, 0xd0...0xd7:
                place += 2
            case 0x00, 0xd8:
                return nil
            default:
                guard place + 3 < bytes.count else { return nil }
                let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
                guard length >= 2 else { return nil }
                place += 2 + length
                if code == 0xda {
                    hasScan = true
                    guard let next = endOfScan(in: bytes, from: place) else { return nil }
                    place = next
                }
            }
        }
        return nil
    }

    /// Where the marker after the coded data is.
    private static func endOfScan(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while let found = nextMark(in: bytes, from: place), found + 1 < bytes.count {
            switch bytes[found + 1] {
            case 0x00, 0xd0...0xd7: place = found + 2
            case 0xff: place = found + 1
            default: return found
            }
        }
        return nil
    }
}
