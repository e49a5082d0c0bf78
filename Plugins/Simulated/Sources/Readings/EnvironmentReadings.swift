import Glibc
import Sensorium

extension Pressure: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated barometer", rates: 0.1...50, defaultRate: 10, range: 110_000)
    }

    /// The standard atmosphere at the walker's altitude (ISO 2533).
    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(
            time: time, value: 101_325 * pow(1 - 2.255_77e-5 * moment.altitude, 5.255_88),
            flags: .simulated)
    }
}

extension Temperature: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated thermometer", rates: 0.1...10, defaultRate: 1, range: 85)
    }

    /// 18 degrees, 2 up and down in an hour.
    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(time: time, value: 18 + 2 * moment.wave(period: 3600), flags: .simulated)
    }
}

extension Humidity: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated hygrometer", rates: 0.1...10, defaultRate: 1, range: 1)
    }

    /// Half saturated; drier as it gets warmer.
    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(time: time, value: 0.5 - 0.06 * moment.wave(period: 3600), flags: .simulated)
    }
}

extension Illuminance: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated light sensor", rates: 0.1...50, defaultRate: 10, range: 100_000)
    }

    /// Daylight, with a tree's shade every 20 s.
    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(time: time, value: 20_000 + 12_000 * moment.wave(period: 20), flags: .simulated)
    }
}

extension Proximity: SimulatedReading {
    package static var profile: SimulatedProfile {
        SimulatedProfile(
            name: "Simulated proximity sensor", rates: 0.1...50, defaultRate: 10, range: 1)
    }

    /// The walker's face before the screen, at 40 cm more or less.
    package init(_ moment: Walk.Moment, time: ReadingTime) {
        self.init(time: time, value: 0.4 + 0.05 * moment.wave(period: 7), flags: .simulated)
    }
}

extension Walk.Moment {
    /// A sine of `period` seconds.
    fileprivate func wave(period: Double) -> Double {
        sin(2 * .pi * seconds.remainder(dividingBy: period) / period)
    }
}
