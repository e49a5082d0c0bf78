import Sensorium

/// Puts what a receiver's decoder gives on UTC, in the order of the log.
///
/// A reading without a time of its own gets one between the times around it, and says so; where there
/// is none before or after it, it has its place in the order and no time.
struct ReceiverLog {
    var damage = RecordingDamage()
    /// The first time that the receiver itself vouches for.
    private(set) var firstTrusted: Int64?
    /// Readings that had no time of their own.
    private(set) var untimedCount = 0

    private let prefix: String
    private var kinds: Set<SensorKind> = []
    private var waiting: [RecordedReading] = []
    private var last: Int64?
    private var newest: [SensorKind: Int64] = [:]
    private var isSearching = false

    /// More readings without a time stay without one.
    private static var waitingLimit: Int { 4096 }

    /// - Parameter prefix: what ids begin with, such as `nmea`.
    init(_ prefix: String) { self.prefix = prefix }

    /// A sensor for each kind of reading that came.
    var sensors: [RecordedSensor] {
        kinds.sorted { $0.rawValue < $1.rawValue }.map { kind in
            RecordedSensor(
                SensorDescriptor(
                    id: id(kind), kind: kind, name: "\(kind.name) from \(prefix)"))
        }
    }

    private func id(_ kind: SensorKind) -> SensorID { SensorID("\(prefix)/\(kind.name)") }

    /// Adds a reading; its `utcNanoseconds` is its time, if it has one.
    mutating func add(_ reading: RecordedReading, into events: inout [RecordedEvent]) {
        kinds.insert(reading.kind)
        guard let utc = reading.time.utcNanoseconds else {
            untimedCount += 1
            if waiting.count >= Self.waitingLimit { finish(into: &events) }
            return waiting.append(reading)
        }
        if !reading.flags.contains(.untrustedTime) { firstTrusted = firstTrusted ?? utc }
        settle(at: utc, into: &events)
        if let before = newest[reading.kind], utc < before { damage.backwardSteps += 1 }
        newest[reading.kind] = utc
        last = utc
        if isSearching, reading.kind == .location {
            isSearching = false
            report(SensorStatus(.running), into: &events)
        }
        var reading = reading
        reading.time = ReadingTime(
            SensorInstant(nanoseconds: utc),
            original: ClockTime(nanoseconds: utc, domain: .realtime))
        events.append(event(.reading(reading), of: reading.kind, at: utc))
    }

    /// Adds that the receiver works and has no position.
    mutating func addNoFix(into events: inout [RecordedEvent]) {
        kinds.insert(.location)
        if isSearching { return }
        isSearching = true
        report(SensorStatus(.searching, reason: "the receiver has no fix"), into: &events)
    }

    private func report(_ status: SensorStatus, into events: inout [RecordedEvent]) {
        events.append(event(.status(status), of: .location, at: last))
    }

    private func event(
        _ content: RecordedEvent.Content, of kind: SensorKind, at utc: Int64?
    ) -> RecordedEvent {
        RecordedEvent(
            sensor: id(kind), instant: utc.map(SensorInstant.init(nanoseconds:)), content: content)
    }

    /// Gives what waits its times: those between the last time and `utc`.
    private mutating func settle(at utc: Int64, into events: inout [RecordedEvent]) {
        guard !waiting.isEmpty else { return }
        guard let last, utc >= last else { return finish(into: &events) }
        let step = Double(utc - last) / Double(waiting.count)
        for (place, reading) in waiting.enumerated() {
            var reading = reading
            let between = last + Int64((step * Double(place + 1)).rounded(.down))
            reading.time = ReadingTime(
                SensorInstant(nanoseconds: between), uncertainty: .nanoseconds(utc - last),
                source: .arrival)
            reading.flags.insert(.untrustedTime)
            events.append(event(.reading(reading), of: reading.kind, at: between))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Ends the log: what waits for a time gets none.
    mutating func finish(into events: inout [RecordedEvent]) {
        for reading in waiting {
            var reading = reading
            reading.time = .unknown
            events.append(event(.reading(reading), of: reading.kind, at: nil))
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
