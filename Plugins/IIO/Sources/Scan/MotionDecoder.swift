import Sensorium

/// Turns scans into readings of three axes: scale, offset, mount matrix, saturation, time.
///
/// Everything that does not change from scan to scan is worked out beforehand: unit, scale and matrix
/// are one matrix. The layouts that nearly all sensors have (three like elements of 16 or 32 bits,
/// signed) have a loop of their own; any other layout goes through `ElementReader`.
package struct MotionDecoder: Sendable {
    private let x: ElementReader
    private let y: ElementReader
    private let z: ElementReader
    private let transform: Transform
    private let flags: ReadingFlags
    private let shape: Shape

    /// What is done to the raw numbers: out = matrix × (raw + offset).
    private struct Transform: Sendable {
        var offset: (Double, Double, Double)
        var x: (Double, Double, Double)
        var y: (Double, Double, Double)
        var z: (Double, Double, Double)

        @inline(__always)
        func apply(_ a: Double, _ b: Double, _ c: Double) -> (x: Double, y: Double, z: Double) {
            let (a, b, c) = (a + offset.0, b + offset.1, c + offset.2)
            return (
                x.0 * a + x.1 * b + x.2 * c, y.0 * a + y.1 * b + y.2 * c,
                z.0 * a + z.1 * b + z.2 * c
            )
        }
    }

    private enum Shape: Sendable {
        case half(big: Bool)
        case word(big: Bool)
        case any
    }

    /// What turns the raw number of one axis into the kernel's unit.
    package struct Axis: Hashable, Sendable {
        /// Where the number is.
        package var element: ElementReader
        /// The unit of one count.
        package var scale: Double
        /// Added before scaling.
        package var offset: Double

        /// Makes an axis.
        package init(_ element: ElementReader, scale: Double = 1, offset: Double = 0) {
            self.element = element
            self.scale = scale
            self.offset = offset
        }
    }

    /// Makes a decoder of three axes.
    ///
    /// - Parameters:
    ///   - axes: x, y and z of the chip.
    ///   - unitFactor: what the kernel's unit is in the reading's.
    ///   - matrix: takes the chip's frame to the device's.
    ///   - flags: what every reading must say.
    package init(
        x: Axis, y: Axis, z: Axis, unitFactor: Double = 1, matrix: MountMatrix = .identity,
        flags: ReadingFlags = []
    ) {
        self.x = x.element
        self.y = y.element
        self.z = z.element
        self.flags = flags
        let m = matrix.rows
        let (a, b, c) = (x.scale * unitFactor, y.scale * unitFactor, z.scale * unitFactor)
        transform = Transform(
            offset: (x.offset, y.offset, z.offset), x: (m[0] * a, m[1] * b, m[2] * c),
            y: (m[3] * a, m[4] * b, m[5] * c), z: (m[6] * a, m[7] * b, m[8] * c))
        let type = x.element.type
        let alike = type == y.element.type && type == z.element.type && type.isSigned
        switch type.storageBits {
        case 16 where alike: shape = .half(big: type.byteOrder == .big)
        case 32 where alike: shape = .word(big: type.byteOrder == .big)
        default: shape = .any
        }
    }

    /// Decodes every scan of `bytes`, which lie `step` apart, into `readings`.
    ///
    /// - Parameters:
    ///   - bytes: whole scans, at any address.
    ///   - step: how far apart they are; at least the size of the layout.
    ///   - stamps: as many times as there are scans.
    ///   - readings: uninitialized memory for as many readings as there are scans.
    @specialized(where Reading == Acceleration)
    @specialized(where Reading == AngularVelocity)
    @specialized(where Reading == MagneticField)
    package func decode<Reading: MotionReading>(
        _ bytes: UnsafeRawBufferPointer, step: Int, stamps: ScanStamps,
        into readings: UnsafeMutablePointer<Reading>
    ) {
        guard let base = bytes.baseAddress else { return }
        switch shape {
        case .half(big: false):
            run(Int16.self, base, step, stamps, readings) { Int16(littleEndian: $0) }
        case .half(big: true):
            run(Int16.self, base, step, stamps, readings) { Int16(bigEndian: $0) }
        case .word(big: false):
            run(Int32.self, base, step, stamps, readings) { Int32(littleEndian: $0) }
        case .word(big: true):
            run(Int32.self, base, step, stamps, readings) { Int32(bigEndian: $0) }
        case .any:
            runAny(base, step, stamps, readings)
        }
    }

    @inline(__always)
    private func run<
        Reading: MotionReading, Stored: FixedWidthInteger & SignedInteger & BitwiseCopyable
    >(
        _: Stored.Type, _ base: UnsafeRawPointer, _ step: Int, _ stamps: ScanStamps,
        _ readings: UnsafeMutablePointer<Reading>, order: (Stored) -> Stored
    ) {
        let left = Stored(truncatingIfNeeded: Stored.bitWidth - x.type.bits - x.type.shift)
        let right = Stored(truncatingIfNeeded: Stored.bitWidth - x.type.bits)
        let least = Stored(truncatingIfNeeded: x.type.minimum)
        let most = Stored(truncatingIfNeeded: x.type.maximum)
        let (first, second, third) = (x.offset, y.offset, z.offset)
        let transform = transform
        let plain = flags
        let saturated = flags.union(.saturated)
        var scan = base
        for position in 0..<stamps.stamps.count {
            let a =
                (order(scan.loadUnaligned(fromByteOffset: first, as: Stored.self)) &<< left)
                &>> right
            let b =
                (order(scan.loadUnaligned(fromByteOffset: second, as: Stored.self)) &<< left)
                &>> right
            let c =
                (order(scan.loadUnaligned(fromByteOffset: third, as: Stored.self)) &<< left)
                &>> right
            let isCut =
                a == least || a == most || b == least || b == most || c == least || c == most
            let out = transform.apply(Double(a), Double(b), Double(c))
            (readings + position).initialize(
                to: Reading(
                    time: stamps.time(at: position), x: out.x, y: out.y, z: out.z, accuracy: nil,
                    flags: isCut ? saturated : plain))
            scan += step
        }
    }

    private func runAny<Reading: MotionReading>(
        _ base: UnsafeRawPointer, _ step: Int, _ stamps: ScanStamps,
        _ readings: UnsafeMutablePointer<Reading>
    ) {
        var scan = base
        for position in 0..<stamps.stamps.count {
            let isCut =
                x.isSaturated(x.pattern(in: scan)) || y.isSaturated(y.pattern(in: scan))
                || z.isSaturated(z.pattern(in: scan))
            let out = transform.apply(
                x.number(in: scan), y.number(in: scan), z.number(in: scan))
            (readings + position).initialize(
                to: Reading(
                    time: stamps.time(at: position), x: out.x, y: out.y, z: out.z, accuracy: nil,
                    flags: isCut ? flags.union(.saturated) : flags))
            scan += step
        }
    }
}
