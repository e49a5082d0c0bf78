import Glibc
import Sensorium

/// Finds events in the readings of an accelerometer.
///
/// A recognizer is a value without clock, task or sensor: it knows time only from the readings, so
/// that a recording gives the same events as the device did. `RecognizedEvents` runs one over a sensor.
public protocol MotionRecognizer: Sendable {
    /// What it finds.
    associatedtype Event: Sendable

    /// Takes the next reading, and gives the event that it completes.
    ///
    /// A reading that cannot be used (not finite, not in m/s², without a time, not later than the one
    /// before) changes nothing.
    mutating func take(_ reading: Acceleration) -> Event?

    /// Learns that readings stop coming for now, or for good; gives the event that this ends.
    mutating func interrupt() -> Event?
}

extension MotionRecognizer {
    /// Takes what a sensor tells, and gives the event that it completes or ends.
    ///
    /// `.stale` and `.reconnecting` say that no readings come for now. Losses are gaps between readings.
    public mutating func take(_ update: ReadingUpdate<Acceleration>) -> Event? {
        switch update {
        case .reading(let reading): return take(reading)
        case .lost: return nil
        case .status(let status):
            switch status.state {
            case .stale, .reconnecting: return interrupt()
            case .waiting, .running, .searching: return nil
            }
        }
    }
}

/// Readings that can be used, with the time that passed between them.
struct MotionTimeline: Sendable {
    /// How much a time may go back before it counts as another time axis: a replay that began again.
    private static var longestDisorder: Duration { .seconds(1) }

    private var last: SensorInstant?
    /// How many readings could not be used.
    private(set) var ignoredCount = 0

    /// What a reading is to the one before it.
    enum Step {
        /// The first, or the first of a new time axis.
        case first
        /// So many seconds later.
        case after(Double)
        /// It cannot be used.
        case unusable
    }

    /// Takes the next reading.
    mutating func step(to reading: Acceleration) -> Step {
        let instant = reading.instant
        guard reading.time.isKnown, !reading.flags.contains(.unscaled),
            reading.x.isFinite, reading.y.isFinite, reading.z.isFinite
        else { return ignore() }
        guard let before = last else {
            last = instant
            return .first
        }
        let passed = before.duration(to: instant)
        if passed > .zero {
            last = instant
            return .after(passed.inSeconds)
        }
        if passed < .zero - Self.longestDisorder {
            last = instant
            return .first
        }
        return ignore()
    }

    private mutating func ignore() -> Step {
        ignoredCount += 1
        return .unusable
    }
}

/// An average over the last moments, the same at every sampling rate.
struct SmoothedVector: Sendable {
    private(set) var value = SIMD3<Double>.zero
    private let timeConstant: Double
    private var age = 0.0
    private var isEmpty = true

    /// Makes an average.
    ///
    /// - Parameter timeConstant: seconds after which 63 % of a change has been followed.
    init(over timeConstant: Double) { self.timeConstant = timeConstant }

    /// Forgets everything.
    mutating func reset(to vector: SIMD3<Double>) {
        value = vector
        age = 0
        isEmpty = false
    }

    /// Follows `vector`, `seconds` after the last one.
    ///
    /// Young averages weigh all they have alike, so that the first vector does not linger.
    mutating func follow(_ vector: SIMD3<Double>, after seconds: Double) {
        if isEmpty { return reset(to: vector) }
        age += seconds
        let steady = 1 - exp(-seconds / timeConstant)
        let young = age < timeConstant ? seconds / (age + seconds) : 0
        value += (vector - value) * max(steady, young)
    }
}

extension SIMD3<Double> {
    /// The reading's vector.
    init(_ reading: Acceleration) { self.init(reading.x, reading.y, reading.z) }

    /// The length.
    var length: Double { (self * self).sum().squareRoot() }

    /// The cosine of the angle to another vector; 0 where either has no direction.
    func cosine(to other: SIMD3<Double>) -> Double {
        let lengths = length * other.length
        return lengths > 0 ? (self * other).sum() / lengths : 0
    }
}
