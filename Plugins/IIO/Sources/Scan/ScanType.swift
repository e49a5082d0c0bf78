/// How one element of a scan is stored, as the kernel's `*_type` attribute describes it.
///
/// `le:s12/16X2>>4` is a little-endian signed number of 12 bits in 16, twice over, whose lowest four
/// bits are to be dropped. Bits beyond the significant ones are undefined. Specified in the kernel's
/// Documentation/ABI/testing/sysfs-bus-iio.
package struct ScanType: Hashable, Sendable {
    /// The order of the bytes of an element; each channel has its own.
    package enum ByteOrder: Sendable { case little, big }

    /// The order of the bytes in memory.
    package var byteOrder: ByteOrder
    /// Whether the highest significant bit is a sign.
    package var isSigned: Bool
    /// How many bits are significant, 1 to 64.
    package var bits: Int
    /// How many bits one number takes in memory, a multiple of eight up to 64.
    package var storageBits: Int
    /// How many numbers the element holds, one after the other.
    package var repeats: Int
    /// How far the number must be moved to the right.
    package var shift: Int

    /// Makes a type, or nil if the numbers do not fit into each other.
    package init?(
        _ byteOrder: ByteOrder, signed: Bool, bits: Int, storageBits: Int, repeats: Int = 1,
        shift: Int = 0
    ) {
        guard (8...64).contains(storageBits), storageBits % 8 == 0, (1...64).contains(bits),
            (0..<storageBits).contains(shift), bits + shift <= storageBits,
            (1...256).contains(repeats)
        else { return nil }
        self.byteOrder = byteOrder
        self.isSigned = signed
        self.bits = bits
        self.storageBits = storageBits
        self.repeats = repeats
        self.shift = shift
    }

    /// Reads the kernel's spelling, such as `be:s16/16>>0`, or libiio's, which writes `S` and `U` for
    /// fully defined numbers; nil if it is neither.
    package init?(_ text: String) {
        var rest = Substring(text)
        func take(_ prefix: String) -> Bool {
            guard rest.hasPrefix(prefix) else { return false }
            rest.removeFirst(prefix.count)
            return true
        }
        func takeNumber() -> Int? {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest.removeFirst(digits.count)
            return Int(digits)
        }
        let byteOrder: ByteOrder
        if take("le:") {
            byteOrder = .little
        } else if take("be:") {
            byteOrder = .big
        } else {
            return nil
        }
        let signed: Bool
        if take("s") || take("S") {
            signed = true
        } else if take("u") || take("U") {
            signed = false
        } else {
            return nil
        }
        guard let bits = takeNumber(), take("/"), let storageBits = takeNumber() else { return nil }
        var repeats = 1
        if take("X") {
            guard let count = takeNumber() else { return nil }
            repeats = count
        }
        guard take(">>"), let shift = takeNumber(), rest.allSatisfy(\.isWhitespace) else {
            return nil
        }
        self.init(
            byteOrder, signed: signed, bits: bits, storageBits: storageBits, repeats: repeats,
            shift: shift)
    }

    /// How many bytes one number takes.
    package var storageBytes: Int { storageBits / 8 }

    /// How many bytes the element takes; the kernel aligns the element to them.
    package var elementBytes: Int { storageBytes * repeats }

    /// The least value that the significant bits can hold, as a bit pattern.
    package var minimum: Int64 { isSigned ? Int64.min >> (64 - bits) : 0 }

    /// The greatest value that the significant bits can hold, as a bit pattern: for `u64/64` all
    /// bits are set, which read as signed is -1.
    package var maximum: Int64 {
        isSigned
            ? Int64.max >> (64 - bits)
            : Int64(bitPattern: UInt64.max >> UInt64(64 - bits))
    }
}

extension ScanType: CustomStringConvertible {
    /// The kernel's spelling.
    package var description: String {
        let order = byteOrder == .little ? "le" : "be"
        let repetition = repeats == 1 ? "" : "X\(repeats)"
        return "\(order):\(isSigned ? "s" : "u")\(bits)/\(storageBits)\(repetition)>>\(shift)"
    }
}
