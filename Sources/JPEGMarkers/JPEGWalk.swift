import Glibc

/// Walks from marker to marker of one JPEG picture, as far as its bytes have come.
///
/// It can be stopped where bytes are missing and goes on there when more are there, so that each byte
/// is looked at once. A picture that begins where no other may be, in a table or in coded data, shows
/// that this one was cut; in the segments of applications there may be small pictures.
package struct JPEGWalk: Sendable {
    /// How far a walk has come.
    package enum Outcome: Hashable, Sendable {
        /// The picture ends before this place.
        case ended(Int)
        /// More bytes are needed.
        case unfinished
        /// This is no whole picture; another may begin from here on.
        case broken(from: Int)
    }

    /// What is between one marker and the next.
    private enum Part {
        /// Nothing: the next marker is due.
        case marker
        /// A segment of the picture itself, until that place, and whether it is of quantization tables.
        case segment(end: Int, isQuantization: Bool)
        /// Coded data.
        case scan
    }

    /// What is looked at next.
    private var place: Int
    private var part = Part.marker
    /// From where on another picture may begin if no more bytes come.
    package private(set) var nextBeginning: Int
    private var hasFrame = false
    private var hasScan = false
    /// Whether coded data follows the segment.
    private var beginsScan = false

    /// Begins after the SOI marker at `start`.
    package init(from start: Int) {
        place = start + 2
        nextBeginning = start + 2
    }

    /// Goes on in `bytes`, which begin as they did at the call before.
    package mutating func advance(in bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let outcome: Outcome?
            switch part {
            case .marker: outcome = readMarker(in: bytes)
            case .segment(let end, let isQuantization):
                outcome = skipSegment(in: bytes, to: end, isQuantization: isQuantization)
            case .scan: outcome = skipScan(in: bytes)
            }
            if let outcome { return outcome }
        }
    }

    /// Reads a marker and the length behind it; nil to go on.
    private mutating func readMarker(in bytes: UnsafeRawBufferPointer) -> Outcome? {
        guard place + 1 < bytes.count else { return .unfinished }
        guard bytes[place] == 0xff else { return .broken(from: nextBeginning) }
        let code = bytes[place + 1]
        switch code {
        case 0xff:  // fill
            place += 1
            return nil
        case 0xd9:
            return hasScan ? .ended(place + 2) : .broken(from: place + 2)
        case 0x01, 0xd0...0xd7:
            place += 2
            nextBeginning = place
            return nil
        case 0xd8:
            return .broken(from: place)
        case 0x00:
            return .broken(from: nextBeginning)
        default:
            break
        }
        guard place + 3 < bytes.count else { return .unfinished }
        let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
        guard length >= 2 else { return .broken(from: nextBeginning) }
        let isFrame = (0xc0...0xcf).contains(code) && ![0xc4, 0xc8, 0xcc].contains(code)
        // A picture has one frame: this is another picture's.
        if isFrame, hasFrame { return .broken(from: nextBeginning) }
        hasFrame = hasFrame || isFrame
        beginsScan = code == 0xda
        hasScan = hasScan || beginsScan
        nextBeginning = place + 2
        let end = place + 2 + length
        if (0xe0...0xef).contains(code) || code == 0xfe {
            place = end
        } else {
            place += 2
            part = .segment(end: end, isQuantization: code == 0xdb)
        }
        return nil
    }

    /// Goes through a segment that can hold no picture; nil to go on.
    private mutating func skipSegment(
        in bytes: UnsafeRawBufferPointer, to end: Int, isQuantization: Bool
    ) -> Outcome? {
        while place < end {
            guard let found = bytes.firstMark(from: place), found < end else {
                place = min(end, max(place, bytes.count))
                break
            }
            place = found
            guard found + 1 < bytes.count else { return .unfinished }
            if bytes[found + 1] == 0xd8 {
                guard found + 3 < bytes.count else { return .unfinished }
                let (mark, code) = (bytes[found + 2], bytes[found + 3])
                // FF D8 as a table's last two numbers is nothing strange.
                let isPossible = !isQuantization || found + 2 < end
                if isPossible, mark == 0xff, (0xc0...0xfe).contains(code) {
                    return .broken(from: found)
                }
            }
            place = found + 1
        }
        if place < end { return .unfinished }
        part = beginsScan ? .scan : .marker
        return nil
    }

    /// Goes to the marker after the coded data; nil to go on.
    private mutating func skipScan(in bytes: UnsafeRawBufferPointer) -> Outcome? {
        while let found = bytes.firstMark(from: place) {
            place = found
            nextBeginning = found
            guard found + 1 < bytes.count else { return .unfinished }
            switch bytes[found + 1] {
            case 0x00, 0xd0...0xd7: place = found + 2
            case 0xff: place = found + 1
            default:
                part = .marker
                return nil
            }
        }
        place = max(place, bytes.count)
        nextBeginning = place
        return .unfinished
    }
}

extension UnsafeRawBufferPointer {
    /// Where the next byte `FF` is.
    package func firstMark(from start: Int) -> Int? {
        guard start < count, let base = baseAddress,
            let found = memchr(base + start, 0xff, count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Where `FF D8 FF`, a picture's beginning, is next.
    package func firstPicture(from start: Int) -> Int? {
        var place = start
        while let found = firstMark(from: place), found + 2 < count {
            if self[found + 1] == 0xd8, self[found + 2] == 0xff { return found }
            place = found + 1
        }
        return nil
    }
}
