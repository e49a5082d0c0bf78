import Glibc
import Sensorium

/// A ROS 2 message of one vector: `sensor_msgs/msg/Imu` or `MagneticField`, in plain CDR.
///
/// Everything but the time and the vector is the same in all messages of a sensor, so that writing
/// one is copying the first and storing five numbers.
struct CDRMessage {
    /// Which field of which message.
    enum Field {
        case acceleration, angularVelocity, magneticField
    }

    private let template: ByteBuffer
    private let vector: Int
    /// Where the first number stands.
    private let start: Int

    /// - Parameter frame: the frame that the vector is in, for other programs.
    init(_ field: Field, frame: String) {
        let template = ByteBuffer(capacity: 512)
        // Encapsulation: CDR, little endian.
        template.append([0, 1, 0, 0])
        template.append(Int32(0))
        template.append(UInt32(0))
        let frame = Array(frame.utf8.prefix(4096)) + [0]
        template.append(UInt32(frame.count))
        template.append(frame)
        // Doubles stand at multiples of eight, counted from behind the encapsulation.
        while (template.count - 4) % 8 != 0 { template.append(UInt8(0)) }
        start = template.count
        func add(_ numbers: [Double]) {
            for number in numbers { template.append(number.bitPattern) }
        }
        // The first number of a covariance is -1 where the vector itself is unknown, and the whole is
        // zero where only the covariance is.
        let unknown = [Double](repeating: 0, count: 9)
        let none = [-1.0] + [Double](repeating: 0, count: 8)
        switch field {
        case .acceleration, .angularVelocity:
            let isAcceleration = field == .acceleration
            add([0, 0, 0, 1] + none)
            let turn = template.count
            add([0, 0, 0] + (isAcceleration ? none : unknown))
            let force = template.count
            add([0, 0, 0] + (isAcceleration ? unknown : none))
            vector = isAcceleration ? force : turn
        case .magneticField:
            vector = template.count
            add([0, 0, 0] + unknown)
        }
        self.template = template
    }

    /// The message; valid until the next call.
    ///
    /// A time that ROS has no place for becomes 0.
    @inline(__always)
    func bytes(
        _ instant: SensorInstant, _ x: Double, _ y: Double, _ z: Double
    ) -> (bytes: UnsafeRawBufferPointer, isExact: Bool) {
        let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isExact = rest >= 0 && seconds >= 0 && seconds <= Int64(Int32.max)
        let (whole, part) = isExact ? (Int32(truncatingIfNeeded: seconds), UInt32(rest)) : (0, 0)
        let base = template.base
        base.storeBytes(of: whole.littleEndian, toByteOffset: 4, as: Int32.self)
        base.storeBytes(of: part.littleEndian, toByteOffset: 8, as: UInt32.self)
        base.storeBytes(of: x.bitPattern.littleEndian, toByteOffset: vector, as: UInt64.self)
        base.storeBytes(of: y.bitPattern.littleEndian, toByteOffset: vector + 8, as: UInt64.self)
        base.storeBytes(of: z.bitPattern.littleEndian, toByteOffset: vector + 16, as: UInt64.self)
        return (template.bytes, isExact)
    }

    /// What such a message says; nil where it is none of this shape.
    @inline(__always)
    func parse(_ bytes: UnsafeRawBufferPointer) -> (SensorInstant, Double, Double, Double)? {
        guard let base = bytes.baseAddress, bytes.count == template.count,
            // The same up to the time, and from there to the first number.
            memcmp(base, template.base, 4) == 0,
            memcmp(base + 12, template.base + 12, start - 12) == 0
        else { return nil }
        let seconds = Int32(littleEndian: (base + 4).loadUnaligned(as: Int32.self))
        let rest = UInt32(littleEndian: (base + 8).loadUnaligned(as: UInt32.self))
        guard rest < 1_000_000_000, seconds >= 0 else { return nil }
        func number(_ place: Int) -> Double {
            Double(bitPattern: UInt64(littleEndian: (base + place).loadUnaligned(as: UInt64.self)))
        }
        return (
            SensorInstant(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(rest)),
            number(vector), number(vector + 8), number(vector + 16)
        )
    }
}
