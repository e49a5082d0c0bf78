import Sensorium

/// Tells a shake from everything else that happens to a device.
///
/// A shake is a movement to and fro: `swings` strong accelerations, gravity taken off, each against the
/// one before and soon after it. So a knock, a fall or a single spike is none, however strong, and
/// neither is a turn or a walk. All is judged by the readings' times, never by their number: the same
/// movement is the same shake at every sampling rate from 25 Hz up. It is a pure value; see
/// `MotionRecognizer`.
///
/// ## Units
/// m/s² and seconds. Source of the limits: people shake a hand-held device at 3 to 6 Hz with 15 to
/// 40 m/s²; walking stays below 8 m/s², and running falls freely, so at most 9.8 m/s², on its way down.
///
/// ## Bad input
/// Readings that are not finite, not in m/s², or not later than the one before are passed over and
/// counted. After a gap of a second or more, everything is learned anew, gravity included.
public struct ShakeRecognizer: MotionRecognizer {
    /// What makes a shake.
    public struct Limits: Sendable, Hashable {
        /// The acceleration that counts as strong, in m/s² without gravity.
        public var threshold = 12.0
        /// How many strong accelerations to and fro make a shake; 4 are twice to and fro.
        public var swings = 4
        /// The time from one to the next: quicker is an engine or a ringing knock, slower a walk.
        public var rhythm: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(300))
        /// How long there must be no strong acceleration for the shake to be over.
        public var rest = Duration.milliseconds(500)

        /// The usual limits.
        public init() {}
    }

    /// What makes a shake.
    public let limits: Limits
    /// How many readings could not be used.
    public var ignoredCount: Int { timeline.ignoredCount }

    private var timeline = MotionTimeline()
    private var gravity = SmoothedVector(over: gravityTime)
    private var force = SmoothedVector(over: smoothing)
    private var train: Train?
    private var shake: (last: SensorInstant, strength: Double)?

    /// Seconds over which gravity is averaged: several swings.
    private static var gravityTime: Double { 0.8 }
    /// Seconds over which single readings are smoothed, so that a spike is weaker the shorter it is.
    private static var smoothing: Double { 0.02 }
    /// Seconds without a reading after which nothing that was learned holds any more.
    private static var longestGap: Double { 1 }
    /// The longest step in seconds that the averages follow at once.
    private static var longestStep: Double { 0.1 }

    /// Strong accelerations to and fro.
    private struct Train {
        var direction: SIMD3<Double>
        var start: SensorInstant
        var count: Int
        var strength: Double
    }

    /// Makes a recognizer.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes the next reading, and gives the event that it completes.
    public mutating func take(_ reading: Acceleration) -> ShakeEvent? {
        let vector = SIMD3(reading)
        switch timeline.step(to: reading) {
        case .unusable: return nil
        case .first:
            learnAnew(from: vector)
            return end(.cancelled)
        case .after(let seconds) where seconds >= Self.longestGap:
            learnAnew(from: vector)
            return end(.ended)
        case .after(let seconds):
            let step = min(seconds, Self.longestStep)
            gravity.follow(vector, after: step)
            force.follow(vector - gravity.value, after: step)
            return judge(force.value, at: reading.instant)
        }
    }

    /// Learns that readings stop coming: a shake under way is cancelled.
    public mutating func interrupt() -> ShakeEvent? {
        train = nil
        return end(.cancelled)
    }

    private mutating func learnAnew(from vector: SIMD3<Double>) {
        gravity.reset(to: vector)
        force.reset(to: .zero)
        train = nil
    }

    private mutating func judge(
        _ force: SIMD3<Double>, at instant: SensorInstant
    ) -> ShakeEvent? {
        let strength = force.length
        guard strength >= limits.threshold else {
            if let shake, shake.last.duration(to: instant) >= limits.rest { return end(.ended) }
            return nil
        }
        swing(force, strength, at: instant)
        if let known = shake {
            shake = (instant, max(known.strength, strength))
            return nil
        }
        guard let train, train.count >= limits.swings else { return nil }
        shake = (instant, train.strength)
        return ShakeEvent(.began, at: instant, strength: train.strength)
    }

    /// Counts a strong acceleration, if it is against the one before and keeps the rhythm.
    private mutating func swing(
        _ force: SIMD3<Double>, _ strength: Double, at instant: SensorInstant
    ) {
        guard var current = train,
            current.start.duration(to: instant) <= limits.rhythm.upperBound
        else {
            train = Train(direction: force, start: instant, count: 1, strength: strength)
            return
        }
        current.strength = max(current.strength, strength)
        let isBack = force.cosine(to: current.direction) < -0.5
        if isBack {
            // A vibration must not pass for a shake of which every other swing is missed.
            let isVibration = current.start.duration(to: instant) < limits.rhythm.lowerBound
            current.count = isVibration ? 1 : current.count + 1
            current.start = instant
            current.direction = force
        } else if strength > current.direction.length {
            // The swing's own peak says best where it goes.
            current.direction = force
        }
        train = current
    }

    private mutating func end(_ phase: ShakeEvent.Phase) -> ShakeEvent? {
        guard let ended = shake else { return nil }
        shake = nil
        train = nil
        return ShakeEvent(phase, at: ended.last, strength: ended.strength)
    }
}
