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
            guard let base = table.baseAddress else { return }
            @inline(__always)
            func look(_ place: Int, _ word: UInt64, _ shift: UInt64) -> UInt32 {
                base[place << 8 | Int((word >> shift) & 0xff)]
            }
            while left >= 16 {
                let low = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self))
                let high = UInt64(littleEndian: (next + 8).loadUnaligned(as: UInt64.self))
                // Twelve look-ups do not need the sum so far, and may run ahead of it.
                let free1 = look(11, low, 32) ^ look(10, low, 40)
                let free2 = look(9, low, 48) ^ look(8, low, 56)
                let free3 = look(7, high, 0) ^ look(6, high, 8)
                let free4 = look(5, high, 16) ^ look(4, high, 24)
                let free5 = look(3, high, 32) ^ look(2, high, 40)
                let free6 = look(1, high, 48) ^ look(0, high, 56)
                let free = (free1 ^ free2) ^ (free3 ^ free4) ^ (free5 ^ free6)
                let bound = low ^ UInt64(crc)
                let bound1 = look(15, bound, 0) ^ look(14, bound, 8)
                let bound2 = look(13, bound, 16) ^ look(12, bound, 24)
                crc = bound1 ^ (bound2 ^ free)
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

    /// Takes more bytes, of which the checksum is known already.
    package mutating func add(_ sum: UInt32, count: UInt64) {
        // Bytes behind others multiply their checksum by x for each bit.
        state = ~(Self.product(Self.power(of: count), value) ^ sum)
    }

    /// x to the power of eight times `count`, modulo the polynomial.
    private static func power(of count: UInt64) -> UInt32 {
        var (rest, square, power): (UInt64, UInt32, UInt32) = (count, 1 << 23, 1 << 31)
        while rest != 0 {
            if rest & 1 == 1 { power = product(square, power) }
            square = product(square, square)
            rest >>= 1
        }
        return power
    }

    /// The product of two polynomials, modulo that of the checksum; the highest bit is x to the power
    /// of zero.
    private static func product(_ a: UInt32, _ b: UInt32) -> UInt32 {
        var (a, b, sum) = (a, b, UInt32(0))
        while a != 0 {
            if a >> 31 == 1 { sum ^= b }
            a <<= 1
            b = b & 1 == 1 ? 0xedb8_8320 ^ b >> 1 : b >> 1
        }
        return sum
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
