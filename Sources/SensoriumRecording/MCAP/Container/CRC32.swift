/// The checksum of MCAP, zlib and PNG, taken sixteen bytes at a time.
package struct CRC32: Sendable {
    private var state: UInt32 = .max

    package init() {}

    /// The checksum of everything so far.
    package var value: UInt32 { ~state }

    /// The checksum of `bytes`.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = CRC32()
        sum.add(bytes)
        return sum.value
    }

    /// Takes more bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard var next = bytes.baseAddress else { return }
        var left = bytes.count
        var crc = state
        Self.table.withUnsafeBufferPointer { table in
            // Both words at once, so that the sixteen look-ups do not wait for each other.
            while left >= 16 {
                let low = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
                let high = UInt64(littleEndian: (next + 8).loadUnaligned(as: UInt64.self))
                var mixed: UInt32 = 0
                for place in 0..<8 {
                    let shift = UInt64(place * 8)
                    mixed ^= table[(15 - place) << 8 | Int((low >> shift) & 0xff)]
                    mixed ^= table[(7 - place) << 8 | Int((high >> shift) & 0xff)]
                }
                crc = mixed
                next += 16
                left -= 16
            }
            while left > 0 {
                crc = table[Int((crc ^ UInt32(next.load(as: UInt8.self))) & 0xff)] ^ crc >> 8
                next += 1
                left -= 1
            }
        }
        state = crc
    }

    /// For each of sixteen places and each byte: what the byte does to the checksum from there.
    private static let table: [UInt32] = {
        var table = [UInt32](repeating: 0, count: 16 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
            table[byte] = crc
        }
        for index in 256..<table.count {
            let before = table[index - 256]
            table[index] = table[Int(before & 0xff)] ^ before >> 8
        }
        return table
    }()
}
