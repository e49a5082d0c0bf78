import Glibc
import Sensorium

/// What faults do to readings on their way from a sensor to an app.
struct Affliction<Reading: SensorReading>: Sendable {
    var stalledUntil: SensorInstant?
    var toDrop = 0
    var toSpoil = 0
    var toDouble = 0
    var isUnplugged = false
    /// How many readings the reversal that is under way still waits for.
    private var toReverse = 0
    private var reversed: [Reading] = []
    /// The standard deviation of the noise, in the unit of the reading.
    var noise = 0.0
    private var generator = SeededGenerator(seed: 1)

    /// What is left of readings.
    struct Outcome {
        /// What still arrives, in order.
        var kept: [Reading] = []
        /// How many are lost.
        var dropped = 0
        /// How many hold what is not a number.
        var spoiled = 0
    }

    /// Whether readings arrive as they are.
    var isNone: Bool {
        stalledUntil == nil && toDrop == 0 && toSpoil == 0 && toDouble == 0 && toReverse == 0
            && noise == 0
    }

    /// Makes the next `count` readings arrive in reverse order, when all of them have come.
    mutating func reverse(_ count: Int) { toReverse += max(0, count) }

    /// What is left of `readings`, which are measured at `now`.
    mutating func suffer(_ readings: [Reading], at now: SensorInstant) -> Outcome {
        var outcome = Outcome()
        if let until = stalledUntil {
            if now < until { return outcome }
            stalledUntil = nil
        }
        for reading in readings {
            if toDrop > 0 {
                toDrop -= 1
                outcome.dropped += 1
            } else if toSpoil > 0 {
                toSpoil -= 1
                outcome.spoiled += 1
            } else {
                arrive(reading, in: &outcome)
            }
        }
        return outcome
    }

    private mutating func arrive(_ reading: Reading, in outcome: inout Outcome) {
        let reading = noise > 0 ? reading.blurred(by: noise, &generator) : reading
        if toReverse > 0 {
            toReverse -= 1
            reversed.append(reading)
            if toReverse == 0 {
                outcome.kept += reversed.reversed()
                reversed = []
            }
            return
        }
        outcome.kept.append(reading)
        if toDouble > 0 {
            toDouble -= 1
            outcome.kept.append(reading)
        }
    }
}

extension SeededGenerator {
    /// A number of the standard normal distribution (Box-Muller).
    mutating func normal() -> Double {
        let radius = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self)
        let angle = Double.random(in: 0..<1, using: &self)
        return (-2 * log(radius)).squareRoot() * cos(2 * .pi * angle)
    }
}

extension SensorReading {
    /// The reading with noise on what it measures; as it is where noise on it has no meaning.
    ///
    /// - Parameter deviation: the standard deviation, in the unit of the reading; metres for a
    ///   position, degrees for a heading, the surface's size for a touch.
    func blurred(by deviation: Double, _ generator: inout SeededGenerator) -> Self {
        func noise() -> Double { generator.normal() * deviation }
        func same(_ changed: some SensorReading) -> Self { changed as? Self ?? self }
        func motion<Motion: MotionReading>(_ reading: Motion) -> Motion {
            Motion(
                time: reading.time, x: reading.x + noise(), y: reading.y + noise(),
                z: reading.z + noise(), accuracy: reading.accuracy, flags: reading.flags)
        }
        func scalar<Scalar: ScalarReading>(_ reading: Scalar) -> Scalar {
            Scalar(
                time: reading.time, value: reading.value + noise(), accuracy: reading.accuracy,
                flags: reading.flags)
        }
        switch self {
        case let reading as LocationFix: return same(reading.blurred(noise(), noise()))
        case let reading as Acceleration: return same(motion(reading))
        case let reading as AngularVelocity: return same(motion(reading))
        case let reading as MagneticField: return same(motion(reading))
        case let reading as Pressure: return same(scalar(reading))
        case let reading as Temperature: return same(scalar(reading))
        case let reading as Humidity: return same(scalar(reading))
        case let reading as Illuminance: return same(scalar(reading))
        case let reading as Proximity: return same(scalar(reading))
        case var reading as TouchEvent:
            reading.x = min(1, max(0, reading.x + noise()))
            reading.y = min(1, max(0, reading.y + noise()))
            return same(reading)
        default: return self
        }
    }
}

extension LocationFix {
    /// The fix moved by so many metres to the north and to the east.
    fileprivate func blurred(_ north: Double, _ east: Double) -> LocationFix {
        // A degree of latitude on a sphere of the Earth's mean radius.
        let metresPerDegree = 111_195.0
        var fix = self
        fix.latitude = min(90, max(-90, latitude + north / metresPerDegree))
        let parallel = metresPerDegree * max(0.01, cos(latitude * .pi / 180))
        var longitude = longitude + east / parallel
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        fix.longitude = longitude
        return fix
    }
}
