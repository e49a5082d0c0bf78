import Sensorium

/// The device is held in another way than before.
public struct OrientationChange: Sendable, Hashable {
    /// How it is held now.
    public var orientation: DeviceOrientation
    /// How it was held; nil for the first that is known.
    public var previous: DeviceOrientation?
    /// The reading that made it certain.
    public var instant: SensorInstant

    /// Makes a change.
    public init(
        to orientation: DeviceOrientation, from previous: DeviceOrientation? = nil,
        at instant: SensorInstant
    ) {
        self.orientation = orientation
        self.previous = previous
        self.instant = instant
    }
}

extension OrientationChange: CustomStringConvertible {
    /// `portrait to landscape-left at boot+12.345678s`.
    public var description: String {
        "\(previous.map { "\($0) to " } ?? "")\(orientation) at \(instant)"
    }
}

/// Tells how a device is held, by the direction of gravity.
///
/// A way of holding wins when its side points up clearly better than the present one's, and does so
/// for `settleTime`: near a border, and while the device is moved, nothing flips to and fro. All is
/// judged by the readings' times, so that it works alike at 2 Hz and at 400 Hz. It is a pure value; see
/// `MotionRecognizer`.
///
/// ## Bad input
/// Readings that are not finite, not in m/s², or not later than the one before are passed over and
/// counted. Strong accelerations, free fall and saturated values say nothing about gravity, and are
/// passed over too. After a gap of 3 s or more, a new way of holding must settle anew.
public struct OrientationRecognizer: MotionRecognizer {
    /// When one way of holding gives way to another.
    public struct Limits: Sendable, Hashable {
        /// By how much more the new side must point up, as a difference of cosines.
        ///
        /// 0.2 means that the border between two sides is 8° wide to each side of 45°.
        public var margin = 0.2
        /// How well a side must point up at all, as a cosine.
        public var leastCosine = 0.6
        /// For how long.
        public var settleTime = Duration.milliseconds(300)

        /// The usual limits.
        public init() {}
    }

    /// When one way of holding gives way to another.
    public let limits: Limits
    /// How it is held, as far as is known.
    public private(set) var orientation: DeviceOrientation?
    /// How many readings could not be used.
    public var ignoredCount: Int { timeline.ignoredCount }

    private var timeline = MotionTimeline()
    private var gravity = SmoothedVector(over: smoothing)
    /// Seconds since the last reading that said something about gravity.
    private var unfollowed = Double.infinity
    private var candidate: (orientation: DeviceOrientation, since: SensorInstant)?

    /// Seconds over which gravity is averaged.
    private static var smoothing: Double { 0.15 }
    /// Seconds without a reading after which nothing that was about to settle holds any more.
    private static var longestGap: Double { 3 }
    /// Standard gravity in m/s².
    private static var standardGravity: Double { 9.80665 }
    /// How much more or less than gravity may be measured, as a share of it.
    private static var tolerance: Double { 0.35 }

    /// Makes a recognizer.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes the next reading, and gives the change that it completes.
    public mutating func take(_ reading: Acceleration) -> OrientationChange? {
        let vector = SIMD3(reading)
        let step = timeline.step(to: reading)
        if case .unusable = step { return nil }
        if case .after(let seconds) = step { unfollowed += seconds } else { unfollowed = .infinity }
        let share = vector.length / Self.standardGravity
        guard abs(share - 1) <= Self.tolerance, !reading.flags.contains(.saturated) else {
            return nil
        }
        if unfollowed < Self.longestGap {
            gravity.follow(vector, after: unfollowed)
        } else {
            gravity.reset(to: vector)
            candidate = nil
        }
        unfollowed = 0
        return judge(gravity.value, at: reading.instant)
    }

    /// Learns that readings stop coming; what was about to settle is forgotten.
    public mutating func interrupt() -> OrientationChange? {
        candidate = nil
        return nil
    }

    private mutating func judge(
        _ up: SIMD3<Double>, at instant: SensorInstant
    ) -> OrientationChange? {
        guard let best = best(up) else {
            candidate = nil
            return nil
        }
        guard let candidate, candidate.orientation == best else {
            candidate = (best, instant)
            // A settle time of nothing needs no second reading.
            if limits.settleTime > .zero { return nil }
            return change(to: best, at: instant)
        }
        if candidate.since.duration(to: instant) < limits.settleTime { return nil }
        return change(to: best, at: instant)
    }

    private mutating func change(
        to new: DeviceOrientation, at instant: SensorInstant
    ) -> OrientationChange {
        defer { orientation = new }
        candidate = nil
        return OrientationChange(to: new, from: orientation, at: instant)
    }

    /// The way of holding that beats the present one; nil where none does.
    private func best(_ up: SIMD3<Double>) -> DeviceOrientation? {
        var best: DeviceOrientation?
        var highest = limits.leastCosine
        if let orientation {
            highest = max(highest, up.cosine(to: SIMD3(orientation)) + limits.margin)
        }
        for one in DeviceOrientation.allCases where one != orientation {
            let cosine = up.cosine(to: SIMD3(one))
            if cosine >= highest {
                highest = cosine
                best = one
            }
        }
        return best
    }
}

extension SIMD3<Double> {
    fileprivate init(_ orientation: DeviceOrientation) {
        let up = orientation.up
        self.init(up.x, up.y, up.z)
    }
}
