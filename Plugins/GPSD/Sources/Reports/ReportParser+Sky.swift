import Sensorium

/// SKY: the satellites.
extension ReportParser {
    /// More satellites than this in one report are noise.
    private static var satelliteLimit: Int { 512 }
    /// The numbers that satellites have, in any way of counting.
    private static var satelliteNumbers: ClosedRange<Int> { 0...9999 }

    mutating func sky(
        _ scanner: inout JSONScanner, _ first: Bool
    ) throws(JSONFault) -> SkyReport {
        var report = SkyReport()
        var isFirst = first
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("device"): report.device = try device(&scanner)
            case JSONText.name("time"): report.time = try time(&scanner)
            case JSONText.name("satellites"): report.satellites = try satellites(&scanner)
            case JSONText.name("uSat"): report.usedCount = try scanner.integer()
            case JSONText.name("hdop"): report.dilution.horizontal = try scanner.number()
            case JSONText.name("vdop"): report.dilution.vertical = try scanner.number()
            case JSONText.name("pdop"): report.dilution.position = try scanner.number()
            case JSONText.name("tdop"): report.dilution.time = try scanner.number()
            case JSONText.name("gdop"): report.dilution.geometric = try scanner.number()
            default: try scanner.skip()
            }
        }
        return report
    }

    private func satellites(_ scanner: inout JSONScanner) throws(JSONFault) -> [Satellite] {
        var list: [Satellite] = []
        list.reserveCapacity(32)
        var hasSignals = false
        try scanner.enterArray()
        var isFirst = true
        while try scanner.nextElement(isFirst: isFirst) {
            isFirst = false
            let (one, signal) = try satellite(&scanner)
            guard let one, list.count < Self.satelliteLimit else { continue }
            if signal > 0 { hasSignals = true }
            list.append(one)
        }
        return hasSignals ? Self.joiningSignals(list) : list
    }

    /// One satellite, and which of its signals the entry is of.
    @inline(__always)
    private func satellite(
        _ scanner: inout JSONScanner
    ) throws(JSONFault) -> (Satellite?, signal: Int) {
        var signal = 0
        var (prn, system, within): (Int?, Int?, Int?) = (nil, nil, nil)
        var one = Satellite(number: 0, isUsed: false)
        try scanner.enterObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            switch key {
            case JSONText.name("PRN"): prn = try scanner.integer()
            case JSONText.name("gnssid"): system = try scanner.integer()
            case JSONText.name("svid"): within = try scanner.integer()
            case JSONText.name("el"): one.elevation = try scanner.number()
            case JSONText.name("az"): one.azimuth = try scanner.number()
            case JSONText.name("ss"): one.signal = try scanner.number()
            case JSONText.name("used"): one.isUsed = try scanner.boolean() ?? false
            case JSONText.name("sigid"): signal = try scanner.integer() ?? 0
            case JSONText.name("health"):
                // 0 unknown, 1 healthy, 2 unhealthy.
                let health = try scanner.integer()
                one.isHealthy = health == 1 ? true : health == 2 ? false : nil
            default: try scanner.skip()
            }
        }
        one.system = system.flatMap { UInt8(exactly: $0) }.flatMap(Satellite.System.init)
        guard let number = one.system == nil ? prn ?? within : within ?? prn,
            Self.satelliteNumbers.contains(number)
        else { return (nil, signal) }
        one.number = number
        // Out of range stands for "unknown" in several drivers (-1, 511).
        one.elevation = one.elevation.flatMap { abs($0) <= 90 ? $0 : nil }
        one.azimuth = one.azimuth.flatMap { (0...360).contains($0) ? $0 : nil }
        one.signal = one.signal.flatMap { $0 > 0 && $0 < 200 ? $0 : nil }
        return (one, signal)
    }

    /// Makes one entry of the signals of one satellite, which newer receivers list one by one; the
    /// strongest signal counts.
    private static func joiningSignals(_ list: [Satellite]) -> [Satellite] {
        var joined: [Satellite] = []
        for one in list {
            let place = joined.firstIndex { $0.number == one.number && $0.system == one.system }
            guard let place else {
                joined.append(one)
                continue
            }
            joined[place].isUsed = joined[place].isUsed || one.isUsed
            joined[place].elevation = joined[place].elevation ?? one.elevation
            joined[place].azimuth = joined[place].azimuth ?? one.azimuth
            joined[place].isHealthy = joined[place].isHealthy ?? one.isHealthy
            if let signal = one.signal, signal > joined[place].signal ?? 0 {
                joined[place].signal = signal
            }
        }
        return joined
    }
}
