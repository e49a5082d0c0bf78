/// Bytes of messages as other programs write them.
struct MessageBytes {
    var bytes: [UInt8] = []

    /// A ROS 2 message in plain CDR, behind its header.
    static func cdr(
        seconds: Int32, nanoseconds: UInt32, frame: String = "imu", isLittleEndian: Bool = true
    ) -> CDRBytes {
        var message = CDRBytes(isLittleEndian: isLittleEndian)
        message.add(seconds)
        message.add(nanoseconds)
        message.add(frame)
        return message
    }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func add(_ number: UInt64, varint value: UInt64) {
        varint(number << 3)
        varint(value)
    }

    mutating func add(_ number: UInt64, _ value: Double) {
        varint(number << 3 | 1)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }

    mutating func add(_ number: UInt64, fixed value: UInt32) {
        varint(number << 3 | 5)
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    mutating func add(_ number: UInt64, _ content: [UInt8]) {
        varint(number << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    /// A list of doubles in one field.
    mutating func add(_ number: UInt64, packed values: [Double]) {
        add(
            number,
            values.flatMap { value in
                (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
            })
    }

    /// A `google.protobuf.Timestamp`.
    mutating func add(_ number: UInt64, seconds: UInt64, nanoseconds: UInt64) {
        var time = MessageBytes()
        time.add(1, varint: seconds)
        time.add(2, varint: nanoseconds)
        add(number, time.bytes)
    }
}

/// A message in CDR, of either byte order.
struct CDRBytes {
    var bytes: [UInt8]
    private let isLittleEndian: Bool
    /// What stands between numbers: anything may.
    var padding: UInt8 = 0xee

    init(isLittleEndian: Bool) {
        self.isLittleEndian = isLittleEndian
        bytes = [0, isLittleEndian ? 1 : 0, 0, 0]
    }

    mutating func add<Value: FixedWidthInteger>(_ value: Value) {
        let size = Value.bitWidth / 8
        while (bytes.count - 4) % size != 0 { bytes.append(padding) }
        let parts = (0..<size).map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
        bytes += isLittleEndian ? parts : parts.reversed()
    }

    mutating func add(_ values: [Double]) {
        for value in values { add(value.bitPattern) }
    }

    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count + 1))
        bytes += Array(text.utf8) + [0]
    }

    mutating func add(block: [UInt8]) {
        add(UInt32(block.count))
        bytes += block
    }
}
