import Sensorium

/// A track of whatever kind, by what the player does with it.
///
/// The closures are made where the kind is known, so that the compiler specialises what runs once a
/// reading.
final class AnyTrack: Sendable {
    let id: SensorID
    let play:
        @Sendable (RecordedEvent.Content, PlaybackTimes, _ due: SensorInstant, _ isMissed: Bool) ->
            Void
    let endRound: @Sendable (SensorInstant) -> Void
    let finish: @Sendable (SensorError?, SensorInstant) -> Void
    let makeSensor: @Sendable (RecordingPlayer) -> any Sensor

    /// The track of a recorded sensor.
    convenience init(_ sensor: RecordedSensor) {
        switch sensor.kind {
        case .location: self.init(track: Track<LocationFix>(sensor))
        case .satellites: self.init(track: Track<Satellites>(sensor))
        case .heading: self.init(track: Track<Heading>(sensor))
        case .attitude: self.init(track: Track<Attitude>(sensor))
        case .acceleration: self.init(track: Track<Acceleration>(sensor))
        case .angularVelocity: self.init(track: Track<AngularVelocity>(sensor))
        case .magneticField: self.init(track: Track<MagneticField>(sensor))
        case .pressure: self.init(track: Track<Pressure>(sensor))
        case .temperature: self.init(track: Track<Temperature>(sensor))
        case .humidity: self.init(track: Track<Humidity>(sensor))
        case .illuminance: self.init(track: Track<Illuminance>(sensor))
        case .proximity: self.init(track: Track<Proximity>(sensor))
        case .camera: self.init(track: Track<CameraFrame>(sensor))
        case .touch: self.init(track: Track<TouchEvent>(sensor))
        case .key: self.init(track: Track<KeyEvent>(sensor))
        }
    }

    @inline(__always)
    private init<Reading: RecordableReading>(track: Track<Reading>) {
        id = track.sensor.id
        play = { content, times, due, isMissed in
            track.play(content, times, due: due, isMissed: isMissed)
        }
        endRound = { track.endRound(at: $0) }
        finish = { track.finish($0, at: $1) }
        makeSensor = { PlaybackSensor(track, of: $0) }
    }
}
