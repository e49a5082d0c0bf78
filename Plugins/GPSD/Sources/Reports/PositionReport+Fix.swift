import Sensorium

extension PositionReport {
    /// Takes over what a later report of the same epoch says.
    ///
    /// A later value wins over an earlier one, unless it comes from a report that solved for less.
    mutating func merge(_ later: PositionReport) {
        var base = later.mode >= mode ? later : self
        let extra = later.mode >= mode ? self : later
        for place in base.values.indices where base.values[place].isNaN {
            base.values[place] = extra.values[place]
        }
        base.status = base.status ?? extra.status
        self = base
    }

    /// The fix that this report describes.
    @inline(__always)
    func location(
        at time: ReadingTime, flags: ReadingFlags, noise: NoiseReport?, used: Int?
    ) -> LocationFix {
        @inline(__always) func known(_ value: Double) -> Double? { value.isNaN ? nil : value }
        let is3D = mode >= 3
        var msl = known(altitudeMSL) ?? known(altitude)
        if msl == nil, let hae = known(altitudeEllipsoid), let separation = known(geoidSeparation) {
            msl = hae - separation
        }
        let quality = Self.quality(status)
        return LocationFix(
            time: time, latitude: latitude,
            longitude: longitude, altitudeMSL: is3D ? msl : nil,
            altitudeEllipsoid: is3D ? known(altitudeEllipsoid) : nil,
            horizontalAccuracy: horizontalAccuracy(noise),
            verticalAccuracy: is3D ? verticalAccuracy(noise) : nil,
            speed: known(speed).flatMap { $0 >= 0 ? $0 : nil },
            speedAccuracy: known(speedError).flatMap { Accuracy($0, .unspecified) },
            course: known(track).flatMap { (0...360).contains($0) ? $0 : nil },
            courseAccuracy: known(trackError).flatMap { Accuracy($0, .unspecified) },
            climb: is3D ? known(climb) : nil,
            fix: is3D ? .threeDimensional : .twoDimensional, quality: quality,
            satellitesUsed: used,
            flags: quality == .simulated ? flags.union(.simulated) : flags)
    }

    // GST says what its numbers are: standard deviations. The estimates of gpsd itself do not.
    private func horizontalAccuracy(_ noise: NoiseReport?) -> Accuracy? {
        if let noise, noise.latitude >= 0, noise.longitude >= 0 {
            let drms = (noise.latitude * noise.latitude + noise.longitude * noise.longitude)
                .squareRoot()
            return Accuracy(drms, .drms)
        }
        if !horizontalError.isNaN { return Accuracy(horizontalError, .unspecified) }
        if longitudeError.isNaN || latitudeError.isNaN { return nil }
        return Accuracy(
            (longitudeError * longitudeError + latitudeError * latitudeError).squareRoot(),
            .unspecified)
    }

    private func verticalAccuracy(_ noise: NoiseReport?) -> Accuracy? {
        if let noise, noise.altitude >= 0 { return Accuracy(noise.altitude, .sixtyEightPercent) }
        return verticalError.isNaN ? nil : Accuracy(verticalError, .unspecified)
    }

    private static func quality(_ status: Int?) -> FixQuality {
        switch status {
        case 1: .autonomous
        case 2: .differential
        case 3: .rtkFixed
        case 4: .rtkFloat
        case 5: .deadReckoning
        case 6: .combined
        case 7: .surveyed
        case 8: .simulated
        case 9: .precise
        default: .unknown
        }
    }
}
