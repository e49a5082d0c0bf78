import Sensorium

extension LocationFix: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("latitude", latitude)
        json.member("longitude", longitude)
        json.member("altitudeMSL", altitudeMSL)
        json.member("altitudeEllipsoid", altitudeEllipsoid)
        json.member("horizontalAccuracy", horizontalAccuracy?.value)
        json.member("verticalAccuracy", verticalAccuracy?.value)
        let confidence = (horizontalAccuracy ?? verticalAccuracy)?.confidence
        json.member("accuracyConfidence", confidence?.description)
        if let vertical = verticalAccuracy?.confidence, vertical != confidence {
            json.member("verticalAccuracyConfidence", vertical.description)
        }
        json.member("speed", speed)
        json.member("speedAccuracy", speedAccuracy?.value)
        json.member("course", course)
        json.member("courseAccuracy", courseAccuracy?.value)
        json.member("climb", climb)
        json.member("fix", fix.description)
        json.member("quality", quality == .unknown ? nil : quality.description)
        json.member("satellitesUsed", satellitesUsed)
    }

    var fields: [ReadingField] {
        [
            ReadingField("latitude", latitude, 7, "°"),
            ReadingField("longitude", longitude, 7, "°"),
            ReadingField("accuracy", horizontalAccuracy?.value, 1, accuracyUnit),
            altitudeMSL.map { ReadingField("altitude", $0, 1, "m") }
                ?? ReadingField("height", altitudeEllipsoid, 1, "m"),
            ReadingField("speed", speed, 2, "m/s"),
            ReadingField("course", course, 1, "°"),
        ].compactMap { $0 }
    }

    /// Metres mean little without how often the truth is within them.
    private var accuracyUnit: String {
        let confidence = horizontalAccuracy?.confidence ?? .unspecified
        return confidence == .unspecified ? "m" : "m (\(confidence))"
    }

    var notes: [String] {
        var notes = [fix.description]
        // That it is simulated is said of every reading, whatever its kind.
        if quality != .unknown, quality != .simulated { notes.append(quality.description) }
        if let satellitesUsed { notes.append("\(satellitesUsed) satellites") }
        return notes
    }
}

extension Satellites: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("used", usedCount)
        json.member("dilution", object: { dilution.write(to: &$0) })
        json.member("satellites", array: inView) { json, satellite in
            json.object { satellite.write(to: &$0) }
        }
    }

    var fields: [ReadingField] {
        let signals = inView.compactMap(\.signal)
        let best = signals.max()
        return [
            ReadingField("in view", Double(inView.count), 0),
            ReadingField("used", Double(usedCount), 0),
            ReadingField("best signal", best, 0, "dB-Hz"),
            ReadingField("HDOP", dilution.horizontal, 1),
        ].compactMap { $0 }
    }
}

extension Satellites.Dilution {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("horizontal", horizontal)
        json.member("vertical", vertical)
        json.member("position", position)
        json.member("time", time)
        json.member("geometric", geometric)
    }
}

extension Satellite {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("system", system?.name)
        json.member("number", number)
        json.member("elevation", elevation)
        json.member("azimuth", azimuth)
        json.member("signal", signal)
        json.member("used", isUsed)
        json.member("healthy", isHealthy)
    }
}

extension Satellite.System {
    fileprivate var name: String {
        switch self {
        case .gps: "GPS"
        case .sbas: "SBAS"
        case .galileo: "Galileo"
        case .beiDou: "BeiDou"
        case .imes: "IMES"
        case .qzss: "QZSS"
        case .glonass: "GLONASS"
        case .navIC: "NavIC"
        }
    }
}

extension Heading: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("trueNorth", trueNorth)
        json.member("magneticNorth", magneticNorth)
        json.member("declination", declination)
        accuracy?.write(to: &json)
    }

    var fields: [ReadingField] {
        [
            ReadingField("true", trueNorth, 1, "°"),
            ReadingField("magnetic", magneticNorth, 1, "°"),
            ReadingField("declination", declination, 1, "°"),
        ].compactMap { $0 }
    }
}

extension Attitude: PrintableReading {
    func writeValues(to json: inout JSONWriter) {
        json.member("w", w)
        json.member("x", x)
        json.member("y", y)
        json.member("z", z)
        accuracy?.write(to: &json)
    }

    var fields: [ReadingField] {
        [
            ReadingField("w", w, 4), ReadingField("x", x, 4), ReadingField("y", y, 4),
            ReadingField("z", z, 4),
        ]
    }
}

extension Accuracy {
    /// As members of the object that holds the value it belongs to.
    func write(to json: inout JSONWriter) {
        json.member("accuracy", value)
        json.member("accuracyConfidence", confidence.description)
    }
}
