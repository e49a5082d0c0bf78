import Sensorium

/// Gives the points of a track their times, and turns them into events.
///
/// A point without a time that lies between two of one segment that have one gets a time between them,
/// and says so. Any other stays without a time.
struct GPXTimeline {
    var damage = RecordingDamage()
    /// Points that wait for a time after them.
    private var waiting: [LocationFix] = []
    private var sensor: SensorID = ""
    /// The last time in this segment.
    private var last: Int64?
    /// The last time of the whole file, of each sensor.
    private var newest: [SensorID: Int64] = [:]
    private var hasPoints: Set<SensorID> = []
    private var hasToldOfZone = false

    /// More points without a time stay without one.
    private static var waitingLimit: Int { 4096 }

    /// Remembers that a time said nothing of its zone.
    mutating func noteMissingZone() {
        if hasToldOfZone { return }
        hasToldOfZone = true
        damage.note("a time has no zone, and is taken as UTC")
    }

    /// Begins a new segment.
    mutating func breakTrack(of sensor: SensorID, into events: inout [RecordedEvent]) {
        endSegment(into: &events)
        self.sensor = sensor
        guard hasPoints.contains(sensor) else { return }
        let instant = newest[sensor].map(SensorInstant.init(nanoseconds:))
        // What comes runs again at once: the segment break alone is what the file tells.
        events.append(
            RecordedEvent(
                sensor: sensor, instant: instant,
                content: .gap(reason: "a new segment of the track begins")))
        events.append(
            RecordedEvent(
                sensor: sensor, instant: instant, content: .status(SensorStatus(.running))))
    }

    /// Ends a segment: what waits for a time gets none.
    mutating func endSegment(into events: inout [RecordedEvent]) {
        for fix in waiting { events.append(event(fix, nil)) }
        waiting.removeAll(keepingCapacity: true)
        last = nil
    }

    /// Adds a point.
    mutating func add(
        _ point: GPXPoint, of sensor: SensorID, into events: inout [RecordedEvent]
    ) {
        self.sensor = sensor
        hasPoints.insert(sensor)
        guard let utc = point.utc else {
            if last == nil { return events.append(event(point.finished(), nil)) }
            if waiting.count >= Self.waitingLimit { endSegment(into: &events) }
            return waiting.append(point.finished())
        }
        interpolate(to: utc, into: &events)
        if let before = newest[sensor], utc < before { damage.backwardSteps += 1 }
        newest[sensor] = utc
        last = utc
        var fix = point.finished()
        fix.time = ReadingTime(
            SensorInstant(nanoseconds: utc),
            original: ClockTime(nanoseconds: utc, domain: .realtime))
        events.append(event(fix, utc))
    }

    private mutating func interpolate(to utc: Int64, into events: inout [RecordedEvent]) {
        guard !waiting.isEmpty else { return }
        guard let last, utc > last else { return endSegment(into: &events) }
        let step = Double(utc - last) / Double(waiting.count + 1)
        let uncertainty = Duration.nanoseconds(utc - last)
        for (place, fix) in waiting.enumerated() {
            var fix = fix
            let between = last + Int64((step * Double(place + 1)).rounded())
            fix.time = ReadingTime(
                SensorInstant(nanoseconds: between), uncertainty: uncertainty, source: .arrival)
            fix.flags.insert(.untrustedTime)
            events.append(event(fix, between))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func event(_ fix: LocationFix, _ utc: Int64?) -> RecordedEvent {
        RecordedEvent(
            sensor: sensor, instant: utc.map(SensorInstant.init(nanoseconds:)),
            content: .reading(.location(fix)))
    }
}
