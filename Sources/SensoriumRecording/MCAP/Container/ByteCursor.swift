/// Reads the fields of a record one after the other; nil once there are no bytes left for one.
package struct ByteCursor {
    package private(set) var rest: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    /// The next integer, the lowest byte first.
    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let size = MemoryLayout<Value>.size
        guard rest.count >= size else { return nil }
        let value = Value(littleEndian: rest.loadUnaligned(as: Value.self))
        rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        return value
    }

    /// The next `count` bytes.
    package mutating func bytes(_ count: some BinaryInteger) -> UnsafeRawBufferPointer? {
        guard count <= rest.count, let count = Int(exactly: count), count >= 0 else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    /// The next bytes, after their length in 32 bits.
    package mutating func block() -> UnsafeRawBufferPointer? {
        guard let count = integer(UInt32.self) else { return nil }
        return bytes(count)
    }

    /// The next text; bytes that are no UTF-8 become U+FFFD.
    package mutating func text() -> String? { block().map { String(decoding: $0, as: UTF8.self) } }

    /// The next table; of rows with the same key the first.
    package mutating func table() -> [String: String]? {
        guard let block = block() else { return nil }
        var rows = ByteCursor(block)
        var table: [String: String] = [:]
        while !rows.rest.isEmpty {
            guard let key = rows.text(), let value = rows.text() else { return nil }
            if table[key] == nil { table[key] = value }
        }
        return table
    }
}
