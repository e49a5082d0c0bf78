/// Keeps the part of a stream that is no whole line yet, wherever the stream was cut into pieces.
///
/// A line ends with LF or CR. What is longer than the limit and holds no start of a sentence is left
/// out, and counted; the next start of a sentence is found again.
struct SentenceFramer {
    private var partial: [UInt8] = []
    private var isSkipping = false
    /// How many sentences were too long.
    private(set) var overlongCount = 0

    /// Of a sentence, in bytes.
    ///
    /// The standard says 82, and nobody keeps to it.
    static var limit: Int { 1024 }

    /// Calls `line` for each line that `bytes` completes, and for what is complete of a long one.
    ///
    /// Its bytes are valid during the call.
    mutating func add(
        _ bytes: UnsafeBufferPointer<UInt8>, _ line: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        guard var start = bytes.baseAddress else { return }
        let end = start + bytes.count
        while start < end {
            if isSkipping {
                while start < end, !Sentence.isBorder(start.pointee) { start += 1 }
                if start == end { return }
                isSkipping = false
            }
            // What is left of the last piece is completed by one line, the rest is used in place.
            let border =
                partial.isEmpty ? Self.lastLineEnd(start, end) : Self.firstLineEnd(start, end)
            guard let border else { break }
            complete(UnsafeBufferPointer(start: start, count: border - start), line)
            start = border
        }
        if start < end {
            partial += UnsafeBufferPointer(start: start, count: end - start)
            if partial.count > Self.limit { shorten(line) }
        }
    }

    /// Behind the first line end; nil where there is none.
    private static func firstLineEnd(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        var place = start
        while place < end {
            if place.pointee == 0x0a || place.pointee == 0x0d { return place + 1 }
            place += 1
        }
        return nil
    }

    /// Behind the last line end; nil where there is none.
    ///
    /// Lines that came together are given together: the scanner tells them apart.
    private static func lastLineEnd(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        var place = end
        while place > start {
            let before = place - 1
            if before.pointee == 0x0a || before.pointee == 0x0d { return place }
            place = before
        }
        return nil
    }

    private mutating func complete(
        _ piece: UnsafeBufferPointer<UInt8>, _ line: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        if partial.isEmpty { return line(piece) }
        partial += piece
        partial.withUnsafeBufferPointer(line)
        partial.removeAll(keepingCapacity: true)
    }

    /// Keeps no more of a long line than its last sentence, and nothing of one that is too long.
    private mutating func shorten(_ line: (UnsafeBufferPointer<UInt8>) -> Void) {
        let last = partial.lastIndex { $0 == 0x24 || $0 == 0x21 } ?? partial.startIndex
        if last > 0 {
            partial.withUnsafeBufferPointer {
                line(UnsafeBufferPointer(rebasing: $0[..<last]))
            }
            partial.removeSubrange(..<last)
        }
        guard partial.count > Self.limit else { return }
        partial.removeAll(keepingCapacity: true)
        isSkipping = true
        overlongCount += 1
    }

    /// Gives what is left without a line end, for a file that ends so.
    mutating func finish(_ line: (UnsafeBufferPointer<UInt8>) -> Void) {
        if !partial.isEmpty { partial.withUnsafeBufferPointer(line) }
        reset()
    }

    /// Forgets a half line: the connection that it came on is gone.
    mutating func reset() {
        partial.removeAll()
        isSkipping = false
    }
}
