import Sensorium
import SensoriumRecording

/// What is in a recording, by reading it once.
struct RecordingSurvey {
    /// What was seen of one sensor.
    struct Course {
        let sensor: RecordedSensor
        var readings = 0
        /// Readings that the recording says are missing.
        var losses = 0
        /// Pauses of the recorder.
        var pauses = 0
        /// How often its state changed.
        var statusChanges = 0
        /// Why it ended, where that was an error.
        var failure: SensorError?
        var first: SensorInstant?
        var last: SensorInstant?
        var intervals = IntervalHistogram()
        /// How often its time went back.
        var backwardSteps = 0

        /// Whether it measures at a rate; what people do comes when they do it.
        var isPeriodic: Bool { sensor.kind != .touch && sensor.kind != .key }

        /// Hertz, by the median interval; nil where there is none.
        var rate: Double? { isPeriodic ? intervals.typical.map { 1e9 / $0 } : nil }

        /// Places where readings seem to be missing: intervals of more than three typical ones, and
        /// pauses of the recorder.
        var gaps: Int { isPeriodic ? max(intervals.gapCount, pauses) : pauses }
    }

    /// One for each sensor, in the order of the recording.
    private(set) var courses: [Course]
    private let places: [SensorID: Int]

    init(_ sensors: [RecordedSensor]) {
        courses = sensors.map { Course(sensor: $0) }
        var places: [SensorID: Int] = [:]
        for (place, sensor) in sensors.enumerated() { places[sensor.id] = place }
        self.places = places
    }

    /// Reads what a reader still has, up to where the task is cancelled.
    init(reading reader: any RecordingReader) throws(RecordingError) {
        self.init(reader.sensors)
        while !Task.isCancelled, let event = try reader.next() { add(event) }
    }

    mutating func add(_ event: RecordedEvent) {
        guard let place = places[event.sensor] else { return }
        switch event.content {
        case .reading(let reading):
            courses[place].readings += 1
            let time = reading.time
            if let instant = time.isKnown ? time.instant : event.instant {
                courses[place].advance(to: instant)
            }
        case .lost(let loss): courses[place].losses += loss.count
        case .gap: courses[place].pauses += 1
        case .status: courses[place].statusChanges += 1
        case .ended(let error): courses[place].failure = error ?? courses[place].failure
        case .opened: break
        }
    }

    /// The first reading of all; nil where none has a time.
    var start: SensorInstant? { courses.compactMap(\.first).min() }

    /// The last reading of all.
    var end: SensorInstant? { courses.compactMap(\.last).max() }
}

extension RecordingSurvey.Course {
    fileprivate mutating func advance(to instant: SensorInstant) {
        if let last {
            if instant < last {
                backwardSteps += 1
            } else {
                intervals.add(last.duration(to: instant))
            }
        }
        first = first.map { min($0, instant) } ?? instant
        last = last.map { max($0, instant) } ?? instant
    }
}
