import Glibc

/// Cuts a stream of bytes into lines, wherever the stream was cut into pieces.
///
/// A line ends with LF, and a CR before that is not part of it. A line longer than the limit is left
/// out and counted; the next one is whole again.
struct LineFramer {
    private var partial: [UInt8] = []
    private var isOverlong = false
    private let limit: Int
    /// How many lines were too long.
    private(set) var overlongCount = 0

    /// Real lines of 12,832 bytes have been seen.
    init(limit: Int = 256 * 1024) { self.limit = limit }

    /// Calls `line` for each line that `bytes` completes.
    ///
    /// Its bytes are valid during the call.
    mutating func add(
        _ bytes: UnsafeBufferPointer<UInt8>, _ line: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        guard var start = bytes.baseAddress else { return }
        let end = start + bytes.count
        while start < end, let found = memchr(start, 0x0a, end - start) {
            let feed = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
            complete(UnsafeBufferPointer(start: start, count: feed - start), line)
            start = feed + 1
        }
        let rest = UnsafeBufferPointer(start: start, count: end - start)
        if rest.isEmpty || isOverlong { return }
        if partial.count + rest.count > limit {
            partial = []
            isOverlong = true
            overlongCount += 1
        } else {
            partial += rest
        }
    }

    private mutating func complete(
        _ piece: UnsafeBufferPointer<UInt8>, _ line: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        if isOverlong {
            isOverlong = false
            return
        }
        if partial.count + piece.count > limit {
            partial.removeAll()
            overlongCount += 1
            return
        }
        if partial.isEmpty { return line(Self.trimmed(piece)) }
        partial += piece
        partial.withUnsafeBufferPointer { line(Self.trimmed($0)) }
        partial.removeAll(keepingCapacity: true)
    }

    /// Gives what is left without a line end, for a file that ends so.
    mutating func finish(_ line: (UnsafeBufferPointer<UInt8>) -> Void) {
        if !partial.isEmpty { partial.withUnsafeBufferPointer { line(Self.trimmed($0)) } }
        reset()
    }

    /// Forgets a half line: the connection that it came on is gone.
    mutating func reset() {
        partial.removeAll()
        isOverlong = false
    }

    private static func trimmed(
        _ line: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        line.last == 0x0d ? UnsafeBufferPointer(rebasing: line.dropLast()) : line
    }
}
