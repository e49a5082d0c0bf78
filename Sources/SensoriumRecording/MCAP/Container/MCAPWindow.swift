import Glibc

/// The part of a file that is being read.
final class MCAPWindow {
    let path: String
    /// The length of the file when it was opened.
    let size: UInt64
    private let file: InputFile
    private let buffer = ByteBuffer(capacity: 4096)
    private var start: UInt64 = 0
    /// How much is read at once, at least.
    private static let step = 1 << 18

    init(_ path: String) throws(RecordingError) {
        file = try InputFile(path)
        self.path = path
        size = file.size
    }

    /// The bytes from `offset`, valid until the next call; nil where the file ends before them.
    ///
    /// - Parameter ahead: how many more to read, for the calls that follow.
    @inline(__always)
    func bytes(
        at offset: UInt64, count: Int, ahead: Int = step
    ) throws(RecordingError) -> UnsafeRawPointer? {
        if offset >= start, offset - start <= UInt64(buffer.count),
            count <= buffer.count - Int(offset - start)
        {
            return UnsafeRawPointer(buffer.base + Int(offset - start))
        }
        return try load(offset, count, ahead)
    }

    @inline(never)
    private func load(
        _ offset: UInt64, _ count: Int, _ ahead: Int
    ) throws(RecordingError) -> UnsafeRawPointer? {
        guard offset <= size, UInt64(count) <= size - offset else { return nil }
        let wanted = Int(min(size - offset, UInt64(max(count, ahead))))
        buffer.truncate(to: 0)
        let place = buffer.grow(by: wanted)
        let got = try file.read(
            into: UnsafeMutableRawBufferPointer(start: place, count: wanted), at: offset)
        start = offset
        buffer.truncate(to: got)
        return got >= count ? UnsafeRawPointer(place) : nil
    }

    /// Reads without moving the window; fewer bytes come at the end of the file.
    func read(into bytes: inout [UInt8], at offset: UInt64) throws(RecordingError) -> Int {
        try file.read(into: &bytes, at: offset)
    }

    /// Opcode and length of the record at `offset`; nil where there is none, whole or not.
    @inline(__always)
    func head(
        at offset: UInt64, ahead: Int = step
    ) throws(RecordingError) -> (opcode: UInt8, length: UInt64)? {
        guard let bytes = try bytes(at: offset, count: MCAP.recordHead, ahead: ahead) else {
            return nil
        }
        return (
            bytes.load(as: UInt8.self),
            UInt64(littleEndian: (bytes + 1).loadUnaligned(as: UInt64.self))
        )
    }

    /// The body of a record whose head was read; nil where it is cut off or too long.
    @inline(__always)
    func body(
        at offset: UInt64, length: UInt64, ahead: Int = step
    ) throws(RecordingError) -> UnsafeRawBufferPointer? {
        guard length <= MCAP.largestRecord else { return nil }
        let count = Int(length)
        let head = MCAP.recordHead
        guard let bytes = try bytes(at: offset, count: head + count, ahead: ahead) else {
            return nil
        }
        return UnsafeRawBufferPointer(start: bytes + head, count: count)
    }
}
