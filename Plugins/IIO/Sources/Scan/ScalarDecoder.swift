import Sensorium

/// Turns scans into readings of one number: scale, offset, unit, saturation, time.
package struct ScalarDecoder: Sendable {
    private let element: ElementReader
    private let factor: Double
    private let offset: Double
    private let flags: ReadingFlags

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - axis: where the number is, and what turns it into the kernel's unit.
    ///   - unitFactor: what the kernel's unit is in the reading's.
    ///   - flags: what every reading must say.
    package init(_ axis: MotionDecoder.Axis, unitFactor: Double = 1, flags: ReadingFlags = []) {
        element = axis.element
        factor = axis.scale * unitFactor
        offset = axis.offset
        self.flags = flags
    }

    /// Decodes every scan of `bytes`, which lie `step` apart, into `readings`.
    ///
    /// - Parameters:
    ///   - bytes: whole scans, at any address.
    ///   - step: how far apart they are; at least the size of the layout.
    ///   - stamps: as many times as there are scans.
    ///   - readings: uninitialized memory for as many readings as there are scans.
    @specialized(where Reading == Pressure)
    @specialized(where Reading == Temperature)
    @specialized(where Reading == Humidity)
    @specialized(where Reading == Illuminance)
    @specialized(where Reading == Proximity)
    package func decode<Reading: ScalarReading>(
        _ bytes: UnsafeRawBufferPointer, step: Int, stamps: ScanStamps,
        into readings: UnsafeMutablePointer<Reading>
    ) {
        guard var scan = bytes.baseAddress else { return }
        for position in 0..<stamps.stamps.count {
            let isCut = element.isSaturated(element.pattern(in: scan))
            (readings + position).initialize(
                to: Reading(
                    time: stamps.time(at: position),
                    value: (element.number(in: scan) + offset) * factor, accuracy: nil,
                    flags: isCut ? flags.union(.saturated) : flags))
            scan += step
        }
    }
}
