import Glibc
import Sensorium

/// A reading that can be made of a moment of the walk.
///
/// This is the plugin's decoder: a pure function from what the link gave to a reading, in the units
/// and the frame of the reading type. It does no I/O and knows no clock.
package protocol SimulatedReading: SensorReading {
    /// What the sensor of these readings says of itself.
    static var profile: SimulatedProfile { get }
    /// Makes the reading of `moment`.
    init(_ moment: Walk.Moment, time: ReadingTime)
}

/// What tells the simulated sensors apart, their readings aside.
package struct SimulatedProfile: Sendable {
    /// A name for people.
    var name: String
    /// Readings a second that it can give.
    var rates: ClosedRange<Double>
    /// The rate where nobody asks for one.
    var defaultRate: Double
    /// The largest magnitude, in the unit of the kind; nil where there is none.
    var range: Double?
    /// Whether the device stamps its readings with UTC, as a satellite receiver does.
    var tellsUTC = false
}

extension LocationFix: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated receiver", rates: 0.1...10, defaultRate: 1, tellsUTC: true)
    }

    package init(_ moment: Walk.Moment, time: ReadingTime) {
        let (east, north) = (moment.velocity.x, moment.velocity.y)
        let course = atan2(east, north) * 180 / .pi
        self.init(
            time: time, latitude: moment.latitude, longitude: moment.longitude,
            altitudeMSL: moment.altitude,
            // The geoid lies about 46 m above the ellipsoid in Munich, where the walk is by default.
            altitudeEllipsoid: moment.altitude + 46,
            horizontalAccuracy: Accuracy(3, .sixtyEightPercent),
            verticalAccuracy: Accuracy(5, .sixtyEightPercent),
            speed: (east * east + north * north).squareRoot(),
            speedAccuracy: Accuracy(0.1, .sixtyEightPercent),
            course: course < 0 ? course + 360 : course,
            courseAccuracy: Accuracy(4, .sixtyEightPercent), climb: moment.velocity.z,
            fix: .threeDimensional, quality: .simulated,
            satellitesUsed: Satellites(moment, time: time).usedCount, flags: .simulated)
    }
}

extension Satellites: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated sky", rates: 0.1...10, defaultRate: 1, tellsUTC: true)
    }

    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(
            time: time, inView: Sky.satellites(seed: moment.seed, seconds: moment.seconds),
            dilution: Dilution(
                horizontal: 0.9, vertical: 1.4, position: 1.7, time: 1, geometric: 2),
            flags: .simulated)
    }
}

extension Acceleration: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated accelerometer", rates: 1...400, defaultRate: 100, range: 39.2)
    }

    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(
            time: time, x: moment.force.x, y: moment.force.y, z: moment.force.z, flags: .simulated)
    }
}

extension AngularVelocity: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated gyroscope", rates: 1...400, defaultRate: 100, range: 17.5)
    }

    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(
            time: time, x: moment.turning.x, y: moment.turning.y, z: moment.turning.z,
            flags: .simulated)
    }
}

extension MagneticField: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated magnetometer", rates: 1...400, defaultRate: 100, range: 1.3e-3)
    }

    package init(_ moment: Walk.Moment, time: ReadingTime) {
        let field = moment.magneticField
        self.init(time: time, x: field.x, y: field.y, z: field.z, flags: .simulated)
    }
}
