import Sensorium

/// How one part of a device becomes readings of one type, from scans or from polled numbers.
struct PartDecoding<Reading: SensorReading>: Sendable {
    /// Decodes the scans of a refill into uninitialized memory.
    typealias ScanDecoder =
        @Sendable (
            _ bytes: UnsafeRawBufferPointer, _ step: Int, _ stamps: ScanStamps,
            _ readings: UnsafeMutablePointer<Reading>
        ) -> Void

    /// Makes the decoder for elements at known places.
    let scanDecoder: @Sendable (PartResolution, [ElementReader]) -> ScanDecoder
    /// Makes a reading of numbers in the kernel's unit.
    let reading: @Sendable (ReadingTime, [Double], PartResolution, ReadingFlags) -> Reading
}

extension PartDecoding where Reading: MotionReading {
    /// Three axes.
    static func motion(_ quantity: SensedQuantity) -> PartDecoding {
        PartDecoding { resolution, elements in
            let axes = zip(elements.indices, elements).map { index, element in
                MotionDecoder.Axis(
                    element, scale: resolution.scales[index], offset: resolution.offsets[index])
            }
            let decoder = MotionDecoder(
                x: axes[0], y: axes[1], z: axes[2],
                unitFactor: resolution.isScaled ? quantity.unitFactor : 1,
                matrix: resolution.matrix, flags: resolution.flags)
            return { decoder.decode($0, step: $1, stamps: $2, into: $3) }
        } reading: { time, numbers, resolution, flags in
            let factor = resolution.isScaled ? quantity.unitFactor : 1
            let (x, y, z) = resolution.matrix.apply(
                numbers[0] * factor, numbers[1] * factor, numbers[2] * factor)
            return Reading(time: time, x: x, y: y, z: z, accuracy: nil, flags: flags)
        }
    }
}

extension PartDecoding where Reading: ScalarReading {
    /// One number.
    static func scalar(_ quantity: SensedQuantity) -> PartDecoding {
        PartDecoding { resolution, elements in
            let axis = MotionDecoder.Axis(
                elements[0], scale: resolution.scales[0], offset: resolution.offsets[0])
            let decoder = ScalarDecoder(
                axis, unitFactor: resolution.isScaled ? quantity.unitFactor : 1,
                flags: resolution.flags)
            return { decoder.decode($0, step: $1, stamps: $2, into: $3) }
        } reading: { time, numbers, resolution, flags in
            Reading(
                time: time, value: numbers[0] * (resolution.isScaled ? quantity.unitFactor : 1),
                accuracy: nil, flags: flags)
        }
    }
}
