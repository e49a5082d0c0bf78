import Sensorium
import SensoriumRecording

extension RecordedReading {
    /// The reading as one that can be printed.
    var printable: any PrintableReading {
        switch self {
        case .location(let reading): reading
        case .satellites(let reading): reading
        case .heading(let reading): reading
        case .attitude(let reading): reading
        case .acceleration(let reading): reading
        case .angularVelocity(let reading): reading
        case .magneticField(let reading): reading
        case .pressure(let reading): reading
        case .temperature(let reading): reading
        case .humidity(let reading): reading
        case .illuminance(let reading): reading
        case .proximity(let reading): reading
        case .camera(let reading): reading
        case .touch(let reading): reading
        case .key(let reading): reading
        }
    }

    /// The reading with UTC beside its time, where its source gave none and the recording knows it.
    func dated(by clock: RecordingClock) -> RecordedReading {
        guard time.original == nil, time.isKnown, let utc = clock.utcNanoseconds(at: time.instant)
        else { return self }
        var dated = self
        dated.time = ReadingTime(
            time.instant, original: ClockTime(nanoseconds: utc, domain: .realtime),
            uncertainty: time.uncertainty, source: time.source)
        return dated
    }
}
