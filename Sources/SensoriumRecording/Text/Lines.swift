/// The lines of a piece of text, each with its end; the last may lack it.
struct Lines: Sequence, IteratorProtocol {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    mutating func next() -> UnsafeBufferPointer<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
        defer { rest = rest[end...] }
        return UnsafeBufferPointer(rebasing: rest[..<end])
    }
}
