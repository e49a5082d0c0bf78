import Sensorium

/// The satellites over the walk: eight of GPS and four of Galileo, moving as slowly as real ones.
enum Sky {
    /// Below this many degrees a receiver does not use a satellite.
    private static let mask = 10.0

    /// The satellites that a receiver sees.
    static func satellites(seed: UInt64, seconds: Double) -> [Satellite] {
        var random = SplitMix(seed ^ 0x5ca1_ab1e)
        return (0..<12).map { index in
            let isGPS = index < 8
            let azimuth = random.next(in: 0...360) + seconds * (random.next(in: -0.01...0.01))
            let highest = random.next(in: 15...85)
            // Twice a day up and down, GPS a little faster than Galileo.
            let period = isGPS ? 43_082.0 : 50_685.0
            let turns = seconds / period + random.next(in: 0...1)
            let turn = turns - turns.rounded(.down)
            let elevation = highest * (1 - 0.4 * abs(2 * turn - 1))
            let number = isGPS ? 2 + index * 4 : 1 + (index - 8) * 7
            return Satellite(
                system: isGPS ? .gps : .galileo, number: number,
                elevation: elevation, azimuth: azimuth - 360 * (azimuth / 360).rounded(.down),
                signal: 28 + elevation / 5, isUsed: elevation >= mask, isHealthy: true)
        }
    }
}
