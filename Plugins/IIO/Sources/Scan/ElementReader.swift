/// Takes one number out of the bytes of a scan.
///
/// It reads at any address, works in 64 bits throughout and never traps: bits that the type calls
/// undefined are dropped, and the sign is extended from the highest significant bit.
package struct ElementReader: Hashable, Sendable {
    /// How the element is stored.
    package let type: ScanType
    /// Where it begins in the scan.
    package let offset: Int
    private let left: UInt64
    private let right: UInt64

    /// Makes a reader of the element at `offset`; of a repeated element it reads the first number.
    package init(_ type: ScanType, at offset: Int) {
        self.type = type
        self.offset = offset
        left = UInt64(64 - type.bits - type.shift)
        right = UInt64(64 - type.bits)
    }

    /// The number as a bit pattern: an unsigned value above `Int64.max` comes out negative.
    ///
    /// The scan must have at least `offset + type.storageBytes` bytes.
    @inline(__always)
    package func pattern(in scan: UnsafeRawPointer) -> Int64 {
        let wide = stored(in: scan) &<< left
        return type.isSigned
            ? Int64(bitPattern: wide) &>> Int64(right) : Int64(bitPattern: wide &>> right)
    }

    /// The number itself.
    @inline(__always)
    package func number(in scan: UnsafeRawPointer) -> Double {
        let pattern = pattern(in: scan)
        return type.isSigned ? Double(pattern) : Double(UInt64(bitPattern: pattern))
    }

    /// Whether a number is the least or greatest that the type can hold, which is what a sensor
    /// reports that is past its range.
    @inline(__always)
    package func isSaturated(_ pattern: Int64) -> Bool {
        // An unsigned zero is an ordinary value.
        pattern == type.maximum || (type.isSigned && pattern == type.minimum)
    }

    @inline(__always)
    private func stored(in scan: UnsafeRawPointer) -> UInt64 {
        let from = scan + offset
        let isBig = type.byteOrder == .big
        switch type.storageBits {
        case 8:
            return UInt64(from.loadUnaligned(as: UInt8.self))
        case 16:
            let value = from.loadUnaligned(as: UInt16.self)
            return UInt64(isBig ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
        case 32:
            let value = from.loadUnaligned(as: UInt32.self)
            return UInt64(isBig ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
        case 64:
            let value = from.loadUnaligned(as: UInt64.self)
            return isBig ? UInt64(bigEndian: value) : UInt64(littleEndian: value)
        default:
            var value: UInt64 = 0
            let count = type.storageBytes
            for position in 0..<count {
                let byte = from.loadUnaligned(
                    fromByteOffset: isBig ? position : count - 1 - position, as: UInt8.self)
                value = value << 8 | UInt64(byte)
            }
            return value
        }
    }
}
