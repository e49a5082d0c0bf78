import Sensorium

/// The fields of a protobuf message, one after the other.
struct ProtobufFields {
    /// What a field holds, by its type on the wire.
    enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(UnsafeRawBufferPointer)
        case fixed32(UInt32)

        /// A `double`.
        var double: Double? {
            if case .fixed64(let bits) = self { Double(bitPattern: bits) } else { nil }
        }

        /// The bytes of a text, a message or a packed list.
        var bytes: UnsafeRawBufferPointer? {
            if case .bytes(let bytes) = self { bytes } else { nil }
        }

        /// A text.
        var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

        /// A `fixed32`.
        var fixed32: UInt32? { if case .fixed32(let value) = self { value } else { nil } }

        /// A `google.protobuf.Timestamp` in nanoseconds; nil where it does not fit.
        var timestamp: Int64? {
            guard let bytes else { return nil }
            var fields = ProtobufFields(bytes)
            var (seconds, rest): (Int64, Int64) = (0, 0)
            while let (number, value) = fields.next() {
                guard case .varint(let bits) = value else { continue }
                if number == 1 { seconds = Int64(bitPattern: bits) }
                if number == 2 { rest = Int64(bitPattern: bits) }
            }
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let (sum, overflows) = whole.addingReportingOverflow(rest)
            guard !fields.isMalformed, !overflow, !overflows, (0..<1_000_000_000).contains(rest)
            else { return nil }
            return sum
        }
    }

    private var cursor: ByteCursor
    /// Whether the bytes ended within a field, or were none of protobuf.
    private(set) var isMalformed = false

    init(_ bytes: UnsafeRawBufferPointer) { cursor = ByteCursor(bytes) }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = cursor.integer(UInt8.self) else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }

    /// The next field; nil at the end, and where the bytes make no sense.
    mutating func next() -> (number: UInt64, value: Value)? {
        if cursor.rest.isEmpty || isMalformed { return nil }
        guard let key = varint(), let value = value(key & 7) else {
            isMalformed = true
            return nil
        }
        return (key >> 3, value)
    }

    /// The bytes of the next field of that number; nil where there is none.
    mutating func bytes(_ wanted: UInt64) -> UnsafeRawBufferPointer? {
        while let (number, value) = next() {
            if number == wanted, let bytes = value.bytes { return bytes }
        }
        return nil
    }

    private mutating func value(_ type: UInt64) -> Value? {
        switch type {
        case 0: varint().map { .varint($0) }
        case 1: cursor.integer(UInt64.self).map { .fixed64($0) }
        case 2: varint().flatMap { cursor.bytes($0) }.map { .bytes($0) }
        case 5: cursor.integer(UInt32.self).map { .fixed32($0) }
        default: nil
        }
    }
}
