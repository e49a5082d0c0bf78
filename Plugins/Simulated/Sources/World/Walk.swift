import Glibc
import Sensorium

/// The simulated world: somebody walks around a park and holds the device before him, face up.
///
/// A pure function of the time since the walk began and of `seed`, so that it is the same on every
/// machine.
package struct Walk: Sendable {
    /// A place on the Earth, in degrees.
    package struct Place: Sendable, Hashable {
        /// Degrees, north positive.
        package var latitude: Double
        /// Degrees, east positive.
        package var longitude: Double

        /// Makes a place; nil where it is not on the Earth, or so near to a pole that no walk around
        /// it makes sense.
        package init?(latitude: Double, longitude: Double) {
            guard abs(latitude) <= 89, abs(longitude) <= 180 else { return nil }
            self.latitude = latitude
            self.longitude = longitude
        }

        private init(_ latitude: Double, _ longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }

        /// A park in Munich.
        package static let `default` = Place(48.15, 11.59)
    }

    /// All that a sensor of the device could measure at one moment.
    package struct Moment: Sendable {
        /// Seconds since the walk began.
        var seconds: Double
        /// Degrees.
        var latitude: Double
        /// Degrees.
        var longitude: Double
        /// Metres above mean sea level.
        var altitude: Double
        /// East, north and up, in m/s; without the shaking of the steps.
        var velocity: SIMD3<Double>
        /// Specific force in the device frame, in m/s².
        var force: SIMD3<Double>
        /// In the device frame, in rad/s.
        var turning: SIMD3<Double>
        /// In the device frame, in tesla.
        var magneticField: SIMD3<Double>
        /// Tells the satellites of one seed from those of another.
        var seed: UInt64

        /// Whether all of it are numbers.
        ///
        /// A device that is broken, or badly connected, gives what is none.
        var isPlausible: Bool {
            let sum = force + turning + magneticField + velocity
            return (seconds + latitude + longitude + altitude + sum.sum()).isFinite
        }

        /// The moment as a broken device gives it.
        package var spoiled: Moment {
            var moment = self
            (moment.seconds, moment.latitude, moment.force) = (.nan, .nan, SIMD3(repeating: .nan))
            return moment
        }
    }

    private let start: Place
    private let seed: UInt64
    private let path: WalkPath
    /// Metres for a degree of longitude and of latitude.
    private let scale: SIMD2<Double>

    /// Makes the walk that `seed` stands for, around `start`.
    package init(seed: UInt64 = 1, start: Place = .default) {
        self.seed = seed
        self.start = start
        path = WalkPath(seed: seed)
        scale = Self.metresPerDegree(at: start.latitude)
    }

    /// The world `elapsed` after the walk began.
    package func moment(after elapsed: Duration) -> Moment {
        let seconds = elapsed.inSeconds
        let point = path.point(at: seconds)
        let hand = Hand(seconds: seconds, point: point)
        let longitude = start.longitude + point.position.x / scale.x
        return Moment(
            seconds: seconds, latitude: start.latitude + point.position.y / scale.y,
            longitude: longitude.remainder(dividingBy: 360),
            altitude: Self.startAltitude + point.position.z, velocity: point.velocity,
            force: hand.force, turning: hand.turning,
            magneticField: hand.inDeviceFrame(Self.magneticField), seed: seed)
    }

    /// Metres above mean sea level at the start.
    private static let startAltitude = 510.0

    /// The Earth's field in Munich, east, north and up, in tesla.
    ///
    /// That is 48 microtesla, 64 degrees down, 4 degrees east of north.
    private static let magneticField = SIMD3(1.467e-6, 20.990e-6, -43.142e-6)

    /// Metres for a degree of longitude and of latitude on the WGS 84 ellipsoid.
    private static func metresPerDegree(at latitude: Double) -> SIMD2<Double> {
        let (semiMajor, squaredEccentricity) = (6_378_137.0, 6.694_379_990_141e-3)
        let radians = latitude * .pi / 180
        let w = (1 - squaredEccentricity * sin(radians) * sin(radians)).squareRoot()
        let meridian = semiMajor * (1 - squaredEccentricity) / (w * w * w)
        return SIMD2(semiMajor / w * cos(radians), meridian) * (.pi / 180)
    }
}

/// How the hand moves the device: y forward along the path, x to the right, z up, nodding a little
/// with each step.
private struct Hand {
    private static let gravity = 9.806_65
    /// Steps a second.
    private static let cadence = 1.9
    /// How far the device nods, in radians.
    private static let nod = 0.03

    private let right: SIMD2<Double>
    private let forward: SIMD2<Double>
    private let pitch: (sin: Double, cos: Double)
    let force: SIMD3<Double>
    let turning: SIMD3<Double>

    init(seconds: Double, point: WalkPath.Point) {
        let velocity = SIMD2(point.velocity.x, point.velocity.y)
        let acceleration = SIMD2(point.acceleration.x, point.acceleration.y)
        let speed = (velocity * velocity).sum().squareRoot()
        forward = velocity / speed
        right = SIMD2(forward.y, -forward.x)

        let rate = 2 * .pi * Self.cadence
        let step = (rate * seconds).remainder(dividingBy: 4 * .pi)
        let angle = Self.nod * sin(step)
        pitch = (sin(angle), cos(angle))
        // Each step lifts the body by 4 cm and pushes it on; every other one sways it to the right.
        let bounce = -0.02 * rate * rate * cos(step)
        let level = SIMD3(
            (acceleration * right).sum() + 0.4 * sin(step / 2),
            (acceleration * forward).sum() + 0.6 * sin(step),
            Self.gravity + point.acceleration.z + bounce)
        force = Self.tilted(level, by: pitch)
        let yaw = (velocity.x * acceleration.y - velocity.y * acceleration.x) / (speed * speed)
        turning = Self.tilted(SIMD3(Self.nod * rate * cos(step), 0, yaw), by: pitch)
    }

    /// A vector given as east, north and up, as the device sees it.
    func inDeviceFrame(_ world: SIMD3<Double>) -> SIMD3<Double> {
        let ground = SIMD2(world.x, world.y)
        return Self.tilted(
            SIMD3((ground * right).sum(), (ground * forward).sum(), world.z), by: pitch)
    }

    /// A vector given as right, forward and up, seen by a device whose y axis points up by `pitch`.
    private static func tilted(
        _ level: SIMD3<Double>, by pitch: (sin: Double, cos: Double)
    ) -> SIMD3<Double> {
        SIMD3(
            level.x, level.y * pitch.cos + level.z * pitch.sin,
            level.z * pitch.cos - level.y * pitch.sin)
    }
}
