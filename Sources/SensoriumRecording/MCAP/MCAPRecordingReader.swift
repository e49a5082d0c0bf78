import Sensorium

/// Reads the readings, statuses and losses of an MCAP file, in the order of the file.
final class MCAPRecordingReader: RecordingReader {
    /// What turns the messages of one sensor into events.
    private final class Lane {
        let decoder: any EventDecoder
        /// Of the last event.
        var instant: SensorInstant?

        init(_ decoder: any EventDecoder) { self.decoder = decoder }
    }

    let metadata: RecordingMetadata
    let sensors: [RecordedSensor]
    let summary: RecordingSummary?
    private let file: MCAPFileReader
    private let lanes: [Lane]
    /// For each channel: its lane, and its place there.
    private var routes: [(lane: Lane, place: Int)?]
    /// The lane of the last message.
    private var lane: Lane?
    private var events: [RecordedEvent] = []
    private var position = 0
    private var unknown: [UInt16: Int] = [:]
    private var backwardSteps = 0
    private var skipBefore: SensorInstant?
    private var isAtEnd = false
    /// Faults that decoders had counted when the file was last gone back in.
    private var oldFaults = 0

    init(_ path: String) throws(RecordingError) {
        file = try MCAPFileReader(path)
        metadata = try RecordingMetadata(file)
        let channels = file.channels.sorted { $0.key < $1.key }.map {
            (id: $0.key, channel: $0.value)
        }
        routes = Array(repeating: nil, count: (channels.last.map { Int($0.id) } ?? -1) + 1)
        var lanes: [Lane] = []
        var counted: [UInt16: SensorID] = [:]
        for group in EventEncoding.decoders(for: channels) {
            let lane = Lane(group.decoder)
            lanes.append(lane)
            for (place, id) in group.channels.enumerated() {
                routes[Int(id)] = (lane, place)
                counted[id] = lane.decoder.sensorRead(channel: place)
            }
        }
        self.lanes = lanes
        sensors = lanes.flatMap(\.decoder.sensors)
        summary = file.statistics.map { RecordingSummary($0, counted) }
    }

    var damage: RecordingDamage {
        var damage = file.damage
        damage.skippedRecords += lanes.reduce(0) { $0 + $1.decoder.faults } - oldFaults
        damage.backwardSteps = backwardSteps
        for (id, count) in unknown {
            damage.unknownMessages[file.channels[id]?.topic ?? "\(id)", default: 0] += count
        }
        return damage
    }

    func next() throws(RecordingError) -> RecordedEvent? {
        while true {
            while position < events.count {
                let event = events[position]
                position += 1
                if let time = skipBefore {
                    guard let instant = event.instant, instant >= time else { continue }
                    skipBefore = nil
                }
                return event
            }
            events.removeAll(keepingCapacity: true)
            position = 0
            if isAtEnd { return nil }
            try fill()
        }
    }

    /// Decodes messages until there is an event, or no message.
    private func fill() throws(RecordingError) {
        while events.isEmpty {
            guard let message = try file.next() else {
                isAtEnd = true
                return drain()
            }
            let id = Int(message.channel)
            guard id < routes.count, let (lane, place) = routes[id] else {
                unknown[message.channel, default: 0] += 1
                continue
            }
            // What still waits for its companion has none: the writer puts them side by side.
            if lane !== self.lane { drain() }
            self.lane = lane
            let time = SensorInstant(nanoseconds: Int64(bitPattern: message.logTime))
            if let before = lane.instant, time < before { backwardSteps += 1 }
            lane.instant = time
            let decoded = lane.decoder.decode(
                channel: place, time: time, payload: message.payload)
            if !decoded.isEmpty { events += decoded }
        }
    }

    private func drain() {
        if let lane { events += lane.decoder.drain() }
    }

    func seek(to instant: SensorInstant) throws(RecordingError) {
        for lane in lanes {
            _ = lane.decoder.drain()
            lane.instant = nil
        }
        oldFaults = lanes.reduce(0) { $0 + $1.decoder.faults }
        lane = nil
        events.removeAll(keepingCapacity: true)
        position = 0
        unknown = [:]
        backwardSteps = 0
        isAtEnd = false
        skipBefore = instant.nanoseconds == .min ? nil : instant
        file.seek(to: instant.nanoseconds)
    }
}

extension RecordingSummary {
    /// - Parameter sensors: those of which each message of a channel is a reading.
    fileprivate init(_ statistics: MCAPStatistics, _ sensors: [UInt16: SensorID]) {
        self.init()
        for (id, count) in statistics.messagesOfChannel {
            guard let sensor = sensors[id] else { continue }
            let (sum, overflow) = readings[sensor, default: 0]
                .addingReportingOverflow(Int(clamping: count))
            readings[sensor] = overflow ? .max : sum
        }
        guard statistics.messages > 0 else { return }
        start = SensorInstant(nanoseconds: Int64(bitPattern: statistics.start))
        end = SensorInstant(nanoseconds: Int64(bitPattern: statistics.end))
    }
}
