import Sensorium

extension PrintableReading where Self: MotionReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("x", x)
        json.member("y", y)
        json.member("z", z)
        accuracy?.write(to: &json)
    }

    /// The axes, each `factor` times as large, for units that people know better.
    fileprivate func axes(_ decimals: Int, _ unit: String, times factor: Double = 1)
        -> [ReadingField]
    {
        let unit = flags.contains(.unscaled) ? "counts" : unit
        let factor = flags.contains(.unscaled) ? 1 : factor
        return [
            ReadingField("x", x * factor, decimals, unit),
            ReadingField("y", y * factor, decimals, unit),
            ReadingField("z", z * factor, decimals, unit),
        ]
    }
}

extension Acceleration: PrintableReading {
    var fields: [ReadingField] { axes(3, "m/s²") }
}

extension AngularVelocity: PrintableReading {
    var fields: [ReadingField] { axes(4, "rad/s") }
}

extension MagneticField: PrintableReading {
    var fields: [ReadingField] { axes(2, "µT", times: 1e6) }
}

extension PrintableReading where Self: ScalarReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("value", value)
        accuracy?.write(to: &json)
    }

    fileprivate func single(_ decimals: Int, _ unit: String, times factor: Double = 1)
        -> [ReadingField]
    {
        let isUnscaled = flags.contains(.unscaled)
        return [
            ReadingField(
                Self.kind.name, value * (isUnscaled ? 1 : factor), decimals,
                isUnscaled ? "counts" : unit)
        ]
    }
}

extension Pressure: PrintableReading {
    var fields: [ReadingField] { single(2, "hPa", times: 0.01) }
}

extension Temperature: PrintableReading {
    var fields: [ReadingField] { single(2, "°C") }
}

extension Humidity: PrintableReading {
    var fields: [ReadingField] { single(1, "%", times: 100) }
}

extension Illuminance: PrintableReading {
    var fields: [ReadingField] { single(1, "lx") }
}

extension Proximity: PrintableReading {
    var fields: [ReadingField] { single(3, "m") }
}
