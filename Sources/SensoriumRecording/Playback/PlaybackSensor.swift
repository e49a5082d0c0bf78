import Sensorium

/// A sensor of a recording that is played.
///
/// It gives every recorded reading at its moment, whatever rate is asked for; `SharedSensor` thins them
/// out. Its statuses, losses and end are the recorded ones.
public final class PlaybackSensor<Reading: RecordableReading>: Sensor {
    /// What was known of it when it was recorded; its id is the recorded one with the player's prefix.
    public let descriptor: SensorDescriptor
    private let track: Track<Reading>
    private let player: RecordingPlayer

    init(_ track: Track<Reading>, of player: RecordingPlayer) {
        var descriptor = track.sensor.descriptor
        descriptor.id = SensorID(player.options.idPrefix + descriptor.id.rawValue)
        descriptor.needs = player.name
        self.descriptor = descriptor
        self.track = track
        self.player = player
    }

    /// The clock that the recording is played on.
    public var clock: any SensorClock { player.clock }

    /// Opens it; the recording begins with the first sensor that is opened.
    ///
    /// - Throws: `SensorError.unavailable` when the player was stopped.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        let member = track.add(sink)
        guard await player.start() else {
            track.remove(member)
            throw .unavailable(
                id, reason: "\(player.name) is not played any more", hint: "open it again")
        }
        return Session(track, member, player)
    }

    private final class Session: SensorSession {
        private let track: Track<Reading>
        private let member: Int
        private let player: RecordingPlayer
        private let isClosed = Guarded(false)

        init(_ track: Track<Reading>, _ member: Int, _ player: RecordingPlayer) {
            self.track = track
            self.member = member
            self.player = player
        }

        var grantedRate: Double? { track.rate.map { $0 * player.options.speed } }

        func close() async {
            track.remove(member)
            let isFirst = isClosed.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { await player.leave() }
        }
    }
}
