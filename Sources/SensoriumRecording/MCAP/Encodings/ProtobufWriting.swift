import Sensorium

/// The wire format of protobuf, as far as it is needed here.
extension ByteBuffer {
    private func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        append(UInt8(value))
    }

    func field(_ number: Int, _ value: UInt64) {
        varint(UInt64(number << 3))
        varint(value)
    }

    func field(_ number: Int, double value: Double) {
        varint(UInt64(number << 3 | 1))
        append(value.bitPattern)
    }

    func field(_ number: Int, fixed value: UInt32) {
        varint(UInt64(number << 3 | 5))
        append(value)
    }

    func field(_ number: Int, _ bytes: UnsafeRawBufferPointer) {
        varint(UInt64(number << 3 | 2))
        varint(UInt64(bytes.count))
        append(bytes)
    }

    func field(_ number: Int, _ text: String) {
        var text = text
        text.withUTF8 { field(number, UnsafeRawBufferPointer($0)) }
    }

    /// A message within the message.
    func field(_ number: Int, _ body: (ByteBuffer) -> Void) {
        let inner = ByteBuffer(capacity: 128)
        body(inner)
        field(number, inner.bytes)
    }

    /// `google.protobuf.Timestamp`: seconds, which may be negative, and nanoseconds, which may not.
    func field(_ number: Int, time: SensorInstant) {
        var (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest < 0 {
            rest += 1_000_000_000
            seconds -= 1
        }
        field(number) { inner in
            inner.field(1, UInt64(bitPattern: seconds))
            inner.field(2, UInt64(rest))
        }
    }
}
