import Sensorium

/// Makes one fix of all the reports of one epoch.
///
/// gpsd sends up to five TPVs for one measurement, the early ones without altitude. They are of one
/// epoch when device and time are the same. An epoch closes at a report of another time, when the
/// caller says that it has waited long enough, or at the link's end; it then yields one fix. What
/// comes of it later (a slow serial line) is left out.
struct FixAssembler {
    /// What is known of one receiver.
    private struct Receiver {
        /// Of the open epoch, or of the last one.
        var report = PositionReport()
        var isOpen = false
        var arrival = SensorInstant(nanoseconds: 0)
        var noise: NoiseReport?
        /// The time of the last epoch that yielded a fix.
        var fixed: Int64?
        /// How many fixes in three dimensions there were.
        var solidCount = 0
        var usedSatellites: (count: Int, at: SensorInstant)?
    }

    /// By device number.
    private var receivers: [Receiver] = []
    /// How many reports came after their epoch had closed.
    private(set) var lateCount = 0

    /// A count of satellites that is older than this says nothing of a fix.
    private static var satelliteAge: Duration { .seconds(5) }
    /// A receiver's time is trusted with this 3D fix.
    private static var trustedFix: Int { 3 }

    // MARK: Reports

    /// Whether an epoch must be closed before a TPV is added.
    @inline(__always)
    func mustClose(before report: PositionReport) -> Bool {
        isOpen(report.device)
            && (report.time == nil || receivers[report.device].report.time != report.time)
    }

    /// Takes a TPV with a position in; it is of the open epoch, or opens one.
    @inline(__always)
    mutating func add(_ report: PositionReport, at arrival: SensorInstant) {
        let device = report.device
        makeRoom(for: device)
        if receivers[device].isOpen {
            receivers[device].report.merge(report)
        } else if report.time != nil, receivers[device].fixed == report.time {
            lateCount += 1
        } else {
            receivers[device].report = report
            receivers[device].arrival = arrival
            receivers[device].isOpen = true
        }
    }

    /// Takes a GST in; it belongs to the open epoch of its time.
    mutating func add(_ noise: NoiseReport) {
        let device = noise.device
        guard isOpen(device), noise.time == nil || receivers[device].report.time == noise.time
        else { return }
        receivers[device].noise = noise
    }

    /// Remembers how many satellites a solution uses, for the next fixes of that device.
    mutating func use(satellites count: Int, of device: DeviceNumber, at instant: SensorInstant) {
        makeRoom(for: device)
        receivers[device].usedSatellites = (count, instant)
    }

    /// Takes the open epoch back: a report says that there was no fix at that time after all.
    mutating func takeBack(_ device: DeviceNumber) {
        guard isOpen(device) else { return }
        receivers[device].isOpen = false
        receivers[device].noise = nil
    }

    /// Trusts no receiver's time any more.
    mutating func resetTrust() {
        for device in receivers.indices { receivers[device].solidCount = 0 }
    }

    // MARK: Epochs

    /// Whether `device` has an epoch open.
    @inline(__always)
    func isOpen(_ device: DeviceNumber) -> Bool {
        device < receivers.count && receivers[device].isOpen
    }

    /// The devices that have an epoch open which arrived at or before `instant`.
    func due(by instant: SensorInstant) -> [DeviceNumber] {
        receivers.indices.filter { receivers[$0].isOpen && receivers[$0].arrival <= instant }
    }

    /// When the oldest open epoch arrived; nil where none is open.
    var oldestArrival: SensorInstant? {
        receivers.reduce(nil as SensorInstant?) { oldest, receiver in
            guard receiver.isOpen else { return oldest }
            return min(oldest ?? receiver.arrival, receiver.arrival)
        }
    }

    /// UTC and arrival of the last epoch of `device`; nil where it had none.
    @inline(__always)
    func stamp(_ device: DeviceNumber) -> (utc: Int64?, arrival: SensorInstant)? {
        guard device < receivers.count else { return nil }
        return (receivers[device].report.time, receivers[device].arrival)
    }

    /// Closes the open epoch of `device`, and gives its fix, measured at `time`.
    @inline(__always)
    mutating func close(_ device: DeviceNumber, at time: ReadingTime) -> LocationFix {
        receivers[device].isOpen = false
        receivers[device].fixed = receivers[device].report.time
        if receivers[device].report.mode >= 3 { receivers[device].solidCount += 1 }
        let used = receivers[device].usedSatellites.flatMap {
            $0.at.duration(to: receivers[device].arrival) < Self.satelliteAge ? $0.count : nil
        }
        let noise = receivers[device].noise
        receivers[device].noise = nil
        let isTrusted = receivers[device].solidCount >= Self.trustedFix
        return receivers[device].report.location(
            at: time, flags: isTrusted ? [] : .untrustedTime, noise: noise, used: used)
    }

    @inline(__always)
    private mutating func makeRoom(for device: DeviceNumber) {
        while device >= receivers.count { receivers.append(Receiver()) }
    }
}
