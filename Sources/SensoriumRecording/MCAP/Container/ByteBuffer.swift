import Glibc

/// Bytes that grow at their end, for code that is called a million times a second.
package final class ByteBuffer {
    package private(set) var base: UnsafeMutableRawPointer
    package private(set) var count = 0
    private var capacity: Int

    package init(capacity: Int = 4096) {
        self.capacity = max(64, capacity)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Forgets the bytes from `count` on.
    @inline(__always)
    package func truncate(to count: Int) { self.count = min(self.count, count) }

    /// Makes room for `length` bytes more, and gives their place; they are not set.
    @inline(__always)
    package func grow(by length: Int) -> UnsafeMutableRawPointer {
        let place = count
        if length > capacity - place { reserve(length) }
        count = place + length
        return base + place
    }

    /// Makes room for `length` bytes after `count`, which stays as it is.
    @inline(never)
    package func reserve(_ length: Int) {
        guard length > capacity - count else { return }
        let wanted = max(count + length, capacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        memcpy(larger, base, count)
        base.deallocate()
        base = larger
        capacity = wanted
    }

    /// Adds an integer, the lowest byte first.
    @inline(__always)
    package func append<Value: FixedWidthInteger>(_ value: Value) {
        grow(by: MemoryLayout<Value>.size).storeBytes(of: value.littleEndian, as: Value.self)
    }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        memcpy(grow(by: bytes.count), start, bytes.count)
    }

    package func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Adds the length of a text, and the text.
    package func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            append(UInt32(truncatingIfNeeded: bytes.count))
            append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Adds the length of a table in bytes, and its rows in the order of their keys.
    package func append(_ table: [String: String]) {
        let place = count
        append(UInt32(0))
        for (key, value) in table.sorted(by: { $0.key < $1.key }) {
            append(key)
            append(value)
        }
        patch(UInt32(truncatingIfNeeded: count - place - 4), at: place)
    }

    /// Overwrites an integer.
    package func patch<Value: FixedWidthInteger>(_ value: Value, at place: Int) {
        precondition(place >= 0 && place + MemoryLayout<Value>.size <= count)
        (base + place).storeBytes(of: value.littleEndian, as: Value.self)
    }

    /// Adds a record: its opcode, its length, and what `body` adds.
    package func record(_ opcode: MCAPOpcode, _ body: () -> Void) {
        append(opcode.rawValue)
        let place = count
        append(UInt64(0))
        body()
        patch(UInt64(count - place - 8), at: place)
    }
}
