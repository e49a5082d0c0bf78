public import Sensorium
public import SensoriumRecording

/// A recording that stands in for the sensors that it was made of: the app under test sees what they
/// gave, each reading at its moment on the virtual clock, and the spy remembers what the app asked.
///
/// ```swift
/// let spy = try RecordingSpy("walk.mcap")
/// try await spy.clock.run {
///     let registry = SensorRegistry(host: PluginHost(clock: spy.clock))
///     spy.add(to: registry)
///     let app = App(registry)
///     spy.clock.spawn("app") { await app.run() }
///     await spy.playAll()
///     #expect(app.distance > 1000)
/// }
/// ```
///
/// Nothing waits in real time: an hour takes well under a second, and two runs give the same.
public final class RecordingSpy: Sendable {
    /// The clock that it is played on; its UTC is that of the recording, if the recording knows it.
    public let clock: VirtualClock
    /// Where it writes what it saw; shared with other spies, if the test says so.
    ///
    /// Readings are not written there, one by one: `deliveredCount` counts them.
    public let journal: SpyJournal
    /// Plays the recording.
    public let player: RecordingPlayer
    let spies: [SensorID: any RecordedSpy]

    /// Plays a file.
    ///
    /// - Parameters:
    ///   - path: a recording of any format that SensoriumRecording reads.
    ///   - clock: by default one whose UTC is that of the recording.
    /// - Throws: `RecordingError` when it cannot be read.
    public convenience init(
        _ path: String, clock: VirtualClock? = nil, journal: SpyJournal = SpyJournal(),
        options: PlaybackOptions = PlaybackOptions()
    ) throws(RecordingError) {
        try self.init(
            RecordingFormat.open(path), name: path, clock: clock, journal: journal, options: options
        )
    }

    /// Plays a recording in memory.
    ///
    /// - Throws: `RecordingError` when none of its events has a time and `options.rate` is not given.
    public convenience init(
        _ recording: MemoryRecording, clock: VirtualClock? = nil,
        journal: SpyJournal = SpyJournal(), options: PlaybackOptions = PlaybackOptions()
    ) throws(RecordingError) {
        try self.init(
            recording.reader(), name: "recording", clock: clock, journal: journal, options: options)
    }

    /// Plays what a reader reads, which nobody else may use from now on.
    ///
    /// - Throws: `RecordingError` when it cannot be read.
    public init(
        _ reader: sending any RecordingReader, name: String, clock: VirtualClock? = nil,
        journal: SpyJournal = SpyJournal(), options: PlaybackOptions = PlaybackOptions()
    ) throws(RecordingError) {
        let own = clock ?? VirtualClock()
        player = try RecordingPlayer(reader, name: name, clock: own, options: options)
        if clock == nil, let utc = player.utcStart, let sample = own.sample(.realtime) {
            own.step(.realtime, by: .nanoseconds(utc - sample.time.nanoseconds) - options.lead)
        }
        self.clock = own
        self.journal = journal
        var spies: [SensorID: any RecordedSpy] = [:]
        for sensor in player.sensors {
            let spy = Self.spy(on: sensor, own, journal)
            spies[spy.id] = spy
        }
        self.spies = spies
    }

    private static func spy(
        on sensor: any Sensor, _ clock: VirtualClock, _ journal: SpyJournal
    ) -> any RecordedSpy {
        /// The spy on a sensor of a kind that is known here.
        @inline(__always)
        func spy<Reading: RecordableReading>(_: Reading.Type) -> any RecordedSpy {
            guard let sensor = sensor as? PlaybackSensor<Reading> else {
                preconditionFailure("a player's sensor gives readings of its kind")
            }
            return RecordedSensorSpy(sensor, clock, journal)
        }
        return switch sensor.descriptor.kind {
        case .location: spy(LocationFix.self)
        case .satellites: spy(Satellites.self)
        case .heading: spy(Heading.self)
        case .attitude: spy(Attitude.self)
        case .acceleration: spy(Acceleration.self)
        case .angularVelocity: spy(AngularVelocity.self)
        case .magneticField: spy(MagneticField.self)
        case .pressure: spy(Pressure.self)
        case .temperature: spy(Temperature.self)
        case .humidity: spy(Humidity.self)
        case .illuminance: spy(Illuminance.self)
        case .proximity: spy(Proximity.self)
        case .camera: spy(CameraFrame.self)
        case .touch: spy(TouchEvent.self)
        case .key: spy(KeyEvent.self)
        }
    }

    // MARK: The app's side

    /// The sensors that the app sees, in the order of their ids.
    public var sensors: [any Sensor] { spies.values.sorted { $0.id < $1.id }.map(\.sensor) }

    /// Adds all of them to a registry.
    public func add(to registry: SensorRegistry) {
        for sensor in sensors { registry.add(sensor) }
    }

    /// The sensor of that kind, the first by its id; nil where the recording has none.
    public func sensor<Reading: SensorReading>(
        of _: Reading.Type = Reading.self, _ id: SensorID? = nil
    ) -> RecordedSensorSpy<Reading>? {
        let matching = sensors.compactMap { $0 as? RecordedSensorSpy<Reading> }
        return id.map { id in matching.first { $0.id == id } } ?? matching.first
    }

    // MARK: Moving

    /// Plays on for so long.
    public func play(for duration: Duration) async { await clock.advance(by: duration) }

    /// Plays to the end of the recording.
    ///
    /// Returns before it when the app reads none of its sensors. A recording that loops is played for
    /// one more hour.
    public func playAll() async {
        await clock.settle()
        let end = clock.now.advanced(by: .seconds(3600))
        while player.isPlaying {
            if player.options.loops && clock.now >= end { return }
            await clock.advance(by: .seconds(1))
        }
    }

    /// Goes on at `offset` from the start of the recording.
    public func seek(to offset: Duration) async {
        journal.record(.said("seek to \(offset.secondsText(3)) s"), by: player.name, at: clock.now)
        await player.seek(to: offset)
    }

    // MARK: Looking

    /// What a sensor saw, oldest first: openings, changes of the request, closings, faults.
    public func events(of sensor: SensorID) -> [SpyJournal.Event] { journal.events(of: sensor) }

    /// How many readings a sensor has delivered.
    public func deliveredCount(of sensor: SensorID) -> Int { spies[sensor]?.deliveredCount ?? 0 }
}

/// A sensor of a recording, whatever it gives.
protocol RecordedSpy: FaultTarget {
    var id: SensorID { get }
    var sensor: any Sensor { get }
    var deliveredCount: Int { get }
}
