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
        var report = PositionReport()
        var isOpen = false
        var arrival = SensorInstant(nanoseconds: 0)
        var noise: NoiseReport?
        /// The time of the last epoch that yielded a fix.
        var fixed: Int64?
        var usedSatellites: (count: Int, at: SensorInstant)?
    }

    /// By device number.
    private var receivers: [Receiver] = []
    /// How many reports came after their epoch had closed.
    private(set) var lateCount = 0

    /// A count of satellites that is older than this says nothing of a fix.
    private static var satelliteAge: Duration { .seconds(5) }

    /// A fix with what is still to be decided: its time.
    struct Fix {
        var location: LocationFix
        var device: DeviceNumber
        var utc: Int64?
        var arrival: SensorInstant
    }

    /// Takes a TPV with a position in.
    ///
    /// - Returns: the fix of the epoch that it closes, and its own where it is an epoch by itself.
    @inline(__always)
    mutating func add(
        _ report: PositionReport, at arrival: SensorInstant
    ) -> (closed: Fix?, own: Fix?) {
        let device = report.device
        makeRoom(for: device)
        if receivers[device].isOpen, let time = report.time,
            receivers[device].report.time == time
        {
            receivers[device].report.merge(report)
            return (nil, nil)
        }
        let closed = close(device)
        if report.time != nil, receivers[device].fixed == report.time {
            lateCount += 1
            return (closed, nil)
        }
        receivers[device].report = report
        receivers[device].arrival = arrival
        receivers[device].isOpen = true
        // Without a time nothing can tell two epochs apart, so each report is one.
        return (closed, report.time == nil ? close(device) : nil)
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

    /// When the oldest open epoch arrived; nil where none is open.
    var oldestArrival: SensorInstant? {
        receivers.reduce(nil as SensorInstant?) { oldest, receiver in
            guard receiver.isOpen else { return oldest }
            return min(oldest ?? receiver.arrival, receiver.arrival)
        }
    }

    /// Closes the epochs that arrived at or before `instant`.
    mutating func close(arrivedBy instant: SensorInstant) -> [Fix] {
        receivers.indices.filter { receivers[$0].arrival <= instant }.compactMap { close($0) }
    }

    /// Closes all epochs.
    mutating func closeAll() -> [Fix] { receivers.indices.compactMap { close($0) } }

    /// Closes the epoch of `device`, if it has one open.
    mutating func close(_ device: DeviceNumber) -> Fix? {
        guard isOpen(device) else { return nil }
        receivers[device].isOpen = false
        receivers[device].fixed = receivers[device].report.time
        let receiver = receivers[device]
        receivers[device].noise = nil
        let used = receiver.usedSatellites.flatMap {
            $0.at.duration(to: receiver.arrival) < Self.satelliteAge ? $0.count : nil
        }
        return Fix(
            location: receiver.report.location(noise: receiver.noise, used: used),
            device: device, utc: receiver.report.time, arrival: receiver.arrival)
    }

    /// Takes the open epoch back, where a report says that there was no fix at that time after all;
    /// closes it, where it is of another time.
    mutating func loseFix(_ device: DeviceNumber, at time: Int64?) -> Fix? {
        guard isOpen(device) else { return nil }
        if receivers[device].report.time != time { return close(device) }
        receivers[device].isOpen = false
        receivers[device].noise = nil
        return nil
    }

    /// The time of the last epoch of `device`; nil where it had none.
    func latest(_ device: DeviceNumber) -> Int64? {
        device < receivers.count ? receivers[device].report.time : nil
    }

    private func isOpen(_ device: DeviceNumber) -> Bool {
        device < receivers.count && receivers[device].isOpen
    }

    @inline(__always)
    private mutating func makeRoom(for device: DeviceNumber) {
        while device >= receivers.count { receivers.append(Receiver()) }
    }
}
