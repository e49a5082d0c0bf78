import Sensorium

/// Makes one fix of all the reports of one epoch.
///
/// gpsd sends up to five TPVs for one measurement, the early ones without altitude. They are of one
/// epoch when device and time are the same. An epoch closes at a report of another time, when the
/// caller says that it has waited long enough, or at the link's end; it then yields one fix.
struct FixAssembler {
    /// An epoch that is still open.
    private struct Epoch {
        var report: PositionReport
        var noise: NoiseReport?
        var arrival: SensorInstant
    }

    private var epochs: [Epoch] = []
    private var usedSatellites: [(device: DeviceNumber, count: Int, at: SensorInstant)] = []

    /// A fix with what is still to be decided: its time.
    struct Fix {
        var location: LocationFix
        var device: DeviceNumber
        var utc: Int64?
        var arrival: SensorInstant
    }

    /// Takes a TPV with a position in.
    ///
    /// - Returns: the fixes of the epochs that it closes.
    mutating func add(_ report: PositionReport, at arrival: SensorInstant) -> [Fix] {
        guard let place = epochs.firstIndex(where: { $0.report.device == report.device }) else {
            epochs.append(Epoch(report: report, arrival: arrival))
            // Without a time nothing can tell two epochs apart, so each report is one.
            return report.time == nil ? close(report.device) : []
        }
        if let time = report.time, epochs[place].report.time == time {
            epochs[place].report.merge(report)
            return []
        }
        return close(report.device) + add(report, at: arrival)
    }

    /// Takes a GST in; it belongs to the open epoch of its time.
    mutating func add(_ noise: NoiseReport) {
        guard let place = epochs.firstIndex(where: { $0.report.device == noise.device }),
            noise.time == nil || epochs[place].report.time == noise.time
        else { return }
        epochs[place].noise = noise
    }

    /// Remembers how many satellites a solution uses, for the next fixes of that device.
    mutating func use(satellites count: Int, of device: DeviceNumber, at instant: SensorInstant) {
        usedSatellites.removeAll { $0.device == device }
        usedSatellites.append((device, count, instant))
    }

    /// When the oldest open epoch arrived; nil where none is open.
    var oldestArrival: SensorInstant? { epochs.map(\.arrival).min() }

    /// Closes the epochs that arrived at or before `instant`.
    mutating func close(arrivedBy instant: SensorInstant) -> [Fix] {
        epochs.filter { $0.arrival <= instant }.map(\.report.device).flatMap { close($0) }
    }

    /// Closes all epochs.
    mutating func closeAll() -> [Fix] { epochs.map(\.report.device).flatMap { close($0) } }

    /// Closes the epoch of `device`, if it has one open.
    mutating func close(_ device: DeviceNumber) -> [Fix] {
        guard let place = epochs.firstIndex(where: { $0.report.device == device }) else {
            return []
        }
        let epoch = epochs.remove(at: place)
        // A count of satellites that is older than 5 s says nothing of this fix.
        let used = usedSatellites.first {
            $0.device == device && $0.at.duration(to: epoch.arrival) < .seconds(5)
        }
        return [
            Fix(
                location: epoch.report.location(noise: epoch.noise, used: used?.count),
                device: device, utc: epoch.report.time, arrival: epoch.arrival)
        ]
    }
}

extension PositionReport {
    /// Takes over what a later report of the same epoch says.
    ///
    /// A later value wins over an earlier one, unless it comes from a report that solved for less.
    mutating func merge(_ later: PositionReport) {
        var base = later.mode >= mode ? later : self
        let extra = later.mode >= mode ? self : later
        func fill(_ path: WritableKeyPath<PositionReport, Double>) {
            if base[keyPath: path].isNaN { base[keyPath: path] = extra[keyPath: path] }
        }
        fill(\.altitudeEllipsoid)
        fill(\.altitudeMSL)
        fill(\.altitude)
        fill(\.geoidSeparation)
        fill(\.horizontalError)
        fill(\.longitudeError)
        fill(\.latitudeError)
        fill(\.verticalError)
        fill(\.speed)
        fill(\.speedError)
        fill(\.track)
        fill(\.trackError)
        fill(\.climb)
        base.status = base.status ?? extra.status
        self = base
    }

    /// The fix that this report describes.
    ///
    /// Its time is for the caller to set.
    func location(noise: NoiseReport?, used: Int?) -> LocationFix {
        func known(_ value: Double) -> Double? { value.isNaN ? nil : value }
        let is3D = mode >= 3
        var msl = known(altitudeMSL) ?? known(altitude)
        if msl == nil, let hae = known(altitudeEllipsoid), let separation = known(geoidSeparation) {
            msl = hae - separation
        }
        let quality = Self.quality(status)
        return LocationFix(
            time: ReadingTime(SensorInstant(nanoseconds: 0)), latitude: latitude,
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
            satellitesUsed: used, flags: quality == .simulated ? .simulated : [])
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
