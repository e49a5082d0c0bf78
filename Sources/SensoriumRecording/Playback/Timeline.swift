import Sensorium

/// Where the times of a recording lie on the clock that it is played on.
struct Timeline: Sendable, Hashable {
    /// A moment of the recording, in nanoseconds on its clock.
    var recorded: Int64
    /// When that moment is played.
    var played: SensorInstant
    /// How many seconds of the recording pass in one second.
    var speed: Double

    /// When `instant` of the recording is played; saturates.
    func moment(of instant: SensorInstant) -> SensorInstant {
        let (offset, overflow) = instant.nanoseconds.subtractingReportingOverflow(recorded)
        if overflow { return SensorInstant(nanoseconds: instant.nanoseconds < 0 ? .min : .max) }
        if speed == 1 { return played.advanced(byNanoseconds: offset) }
        let scaled = (Double(offset) / speed).rounded()
        guard let nanoseconds = Int64(exactly: scaled) else {
            return SensorInstant(nanoseconds: scaled < 0 ? .min : .max)
        }
        return played.advanced(byNanoseconds: nanoseconds)
    }

    /// What moment of the recording is played at `moment`; saturates.
    func instant(at moment: SensorInstant) -> SensorInstant {
        let passed = played.duration(to: moment).wholeNanoseconds
        let scaled = (Double(passed) * speed).rounded()
        let offset = Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max)
        return SensorInstant(nanoseconds: recorded).advanced(by: .nanoseconds(offset))
    }
}

/// The times of what is played.
struct PlaybackTimes: Sendable {
    var timeline: Timeline
    /// The clock of the recording.
    var clock: RecordingClock

    /// The time of a reading that was recorded with `time`, and is delivered at `due`.
    ///
    /// `instant` is on the clock that it is played on. The time that the source gave stays what it was;
    /// where it gave none, the recorded instant takes its place: as UTC, if the recording knows that.
    func time(of time: ReadingTime, deliveredAt due: SensorInstant) -> ReadingTime {
        guard time.isKnown else {
            return ReadingTime(due, original: time.original, source: .arrival)
        }
        let original = time.original ?? self.original(of: time.instant)
        return ReadingTime(
            instant: timeline.moment(of: time.instant), originalNanoseconds: original.nanoseconds,
            originalDomain: original.domain, knownOriginal: true,
            uncertaintySeconds: time.rawUncertainty / Float(timeline.speed), source: time.source)
    }

    private func original(of instant: SensorInstant) -> ClockTime {
        if let utc = clock.utcNanoseconds(at: instant) {
            return ClockTime(nanoseconds: utc, domain: .realtime)
        }
        // Boot time of another boot.
        return ClockTime(nanoseconds: instant.nanoseconds, domain: .foreign)
    }
}
