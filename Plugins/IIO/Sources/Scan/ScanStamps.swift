import Sensorium

/// The times of the scans of one refill, shared by all sensors that are decoded from it.
///
/// The device's own stamps are kept as they came; adding `offset` puts them on boot time. All that is
/// the same for every scan of the refill is worked out once.
package struct ScanStamps {
    /// The stamps as the device gave them, one a scan; made up where it gave none.
    package var stamps: UnsafeBufferPointer<Int64>
    /// What takes a stamp to boot time.
    package var offset: Int64
    /// The clock of the stamps.
    package var domain: ClockDomain
    /// Whether the device gave the stamps.
    package var isDevices: Bool
    /// How far the instants may be from the truth, in seconds; NaN where unknown.
    package var uncertainty: Float
    /// Where the instants come from.
    package var source: ReadingTime.Source

    /// Makes the stamps of a refill.
    package init(
        stamps: UnsafeBufferPointer<Int64>, offset: Int64, domain: ClockDomain, isDevices: Bool,
        uncertainty: Float, source: ReadingTime.Source
    ) {
        self.stamps = stamps
        self.offset = offset
        self.domain = domain
        self.isDevices = isDevices
        self.uncertainty = uncertainty
        self.source = source
    }

    /// The time of the scan at `position`.
    @inline(__always)
    func time(at position: Int) -> ReadingTime {
        let stamp = stamps[position]
        return ReadingTime(
            instant: SensorInstant(nanoseconds: stamp &+ offset),
            originalNanoseconds: isDevices ? stamp : 0, originalDomain: domain,
            knownOriginal: isDevices, uncertaintySeconds: uncertainty, source: source)
    }
}
