import Sensorium

/// Puts the stamps of a driver's frames on boot time.
///
/// A stamp of CLOCK_MONOTONIC is mapped by reading both clocks. Stamps whose clock the driver does not
/// tell, or that a program put in, are tried as CLOCK_MONOTONIC and then as UTC, and believed when
/// they are about as old as a frame can be. What is not plausible, or goes back, is replaced by the
/// time of arrival, and kept as the original.
package struct FrameClock: Sendable {
    private let clock: any SensorClock
    private let mapping: ClockMapping
    private var last = SensorInstant(nanoseconds: .min)
    /// Why stamps were not believed; nil as long as they are.
    package private(set) var doubt: String?

    /// A frame that is older than this when it arrives has a wrong stamp.
    private static let oldest = Duration.seconds(10)

    /// Makes a mapping to `clock`.
    package init(clock: any SensorClock) {
        self.clock = clock
        mapping = ClockMapping(clock: clock)
    }

    /// The time of a frame.
    package mutating func time(
        of stamp: Int64, flags: V4L2BufferFlags, arrival: SensorInstant
    ) -> ReadingTime {
        let isMonotonic = flags.clock == .monotonic
        var found: ReadingTime?
        for domain in isMonotonic ? [.monotonic] : [ClockDomain.monotonic, .realtime] {
            switch mapping.map(ClockTime(nanoseconds: stamp, domain: domain), arrival: arrival) {
            case .mapped(let time):
                let age = time.instant.duration(to: arrival)
                if age <= Self.oldest { found = found ?? time } else { note("is too old", stamp) }
            case .arrival(_, because: let reason):
                if isMonotonic { doubt = doubt ?? reason.description }
            }
        }
        if let time = found {
            // A stamp just ahead of the arrival is a race of two clocks; one that goes back is wrong.
            if time.instant > last {
                last = time.instant
                return time
            }
            note("does not go on", stamp)
        } else if !isMonotonic {
            note("is of no clock that this host has", stamp)
        }
        last = max(arrival, last)
        return ReadingTime(
            last,
            original: ClockTime(nanoseconds: stamp, domain: isMonotonic ? .monotonic : .foreign),
            uncertainty: nil, source: .arrival)
    }

    private mutating func note(_ what: String, _ stamp: Int64) {
        doubt =
            doubt
            ?? "the driver's stamp (\(stamp) ns) \(what), so that such frames are stamped on arrival"
    }

    /// Which moment a frame's stamp is of.
    package static func reference(_ flags: V4L2BufferFlags) -> CameraFrame.TimeReference {
        flags.source == .startOfExposure ? .startOfExposure : .endOfFrame
    }
}
