import Sensorium

/// Reads a ROS 2 message in plain CDR, of either byte order; nil once there are no bytes left.
struct CDRCursor {
    private let bytes: UnsafeRawBufferPointer
    private let isLittleEndian: Bool
    private var place = 0

    /// Nil where the encapsulation is not plain CDR.
    init?(_ message: UnsafeRawBufferPointer) {
        guard message.count >= 4, message[0] == 0, message[1] <= 1 else { return nil }
        isLittleEndian = message[1] == 1
        // Values stand at multiples of their size, counted from behind the encapsulation.
        bytes = UnsafeRawBufferPointer(rebasing: message[4...])
    }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        let size = MemoryLayout<Value>.size
        let start = (place + size - 1) / size * size
        guard start <= bytes.count, bytes.count - start >= size else { return nil }
        place = start + size
        let value = bytes.loadUnaligned(fromByteOffset: start, as: Value.self)
        return isLittleEndian ? Value(littleEndian: value) : Value(bigEndian: value)
    }

    mutating func double() -> Double? {
        integer(UInt64.self).map { Double(bitPattern: $0) }
    }

    mutating func doubles(_ count: Int) -> [Double]? {
        var values: [Double] = []
        for _ in 0..<count {
            guard let value = double() else { return nil }
            values.append(value)
        }
        return values
    }

    /// A sequence of bytes, after its length.
    mutating func block() -> UnsafeRawBufferPointer? {
        guard let count = integer(UInt32.self), bytes.count - place >= Int(count) else {
            return nil
        }
        defer { place += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(count)])
    }

    /// A text without the zero byte that ends it.
    mutating func text() -> String? {
        block().map { String(decoding: $0.last == 0 ? $0.dropLast() : $0[...], as: UTF8.self) }
    }

    /// The stamp of a `std_msgs/Header` in nanoseconds, its frame passed over.
    mutating func header() -> Int64? {
        guard let seconds = integer(Int32.self), let rest = integer(UInt32.self), block() != nil
        else { return nil }
        return Int64(seconds) * 1_000_000_000 + Int64(rest)
    }
}
