public import Sensorium
import SensoriumPluginKit
import SensoriumRecording

/// The sensors of a recording: of an MCAP file, a GPX track, an NMEA log, a capture of gpsd's JSON, a
/// table of comma-separated values.
///
/// ## Configuration
/// - `replay.file`: the recording. Without it there are no sensors.
/// - `replay.speed`: how many seconds of the recording pass in one second; 1 by default.
/// - `replay.loop`: `1` to start again at the end.
/// - `replay.start`: seconds from the start of the recording at which to begin.
/// - `replay.lead`: seconds from the opening of the first sensor to the first event; 0.1 by default.
/// - `replay.rate`: hertz for a file whose events have no times at all.
public final class Replay: SensorPlugin {
    /// `replay`.
    public static let manifest = PluginManifest(
        id: "replay", version: "0.1.0", kinds: SensorKind.allCases)

    private let host: PluginHost
    private let link: any ReplayLink
    private let player = Guarded<RecordingPlayer?>(nil)

    /// Makes the plugin.
    public convenience init(host: PluginHost) { self.init(host: host, link: FileLink()) }

    /// Makes the plugin over another link: the seam for its spy.
    package init(host: PluginHost, link: any ReplayLink) {
        self.host = host
        self.link = link
    }

    /// The sensors of the recording; their ids are the recorded ones after `replay/`.
    ///
    /// - Throws: `SensorError.unsupported` for a value of the configuration that makes no sense;
    ///   `.unavailable`, `.denied` or `.malformed` when the file cannot be read.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let settings = try ReplaySettings(host)
        guard let path = settings.file else { return [] }
        if let known = player.withLock({ $0 }) { return known.sensors }
        let made: Result<RecordingPlayer, SensorError> = await onThread { [host, link] in
            Result { () throws(SensorError) in
                do throws(RecordingError) {
                    return try RecordingPlayer(
                        link.open(path), name: path, clock: host.clock, options: settings.options)
                } catch {
                    throw SensorError(error)
                }
            }
        }
        let player = try made.get()
        self.player.withLock { $0 = player }
        if !player.damage.isEmpty { host.log(.warning, "\(path) is damaged: \(player.damage)") }
        return player.sensors
    }

    /// Runs `work`, which reads a file, where it may block.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let thread = host.clock.executor == nil ? SessionThread() : nil
        return await withUnsafeContinuation { continuation in
            host.clock.spawn("open a recording", on: thread) {
                continuation.resume(returning: work())
            }
        }
    }

    /// How much of the recording has passed; nil before it began.
    public var position: Duration? { player.withLock { $0 }?.position }

    /// Goes on at `offset` from the start of the recording.
    public func seek(to offset: Duration) async {
        await player.withLock { $0 }?.seek(to: offset)
    }

    /// Ends the recording; open sensors end.
    public func stop() async { await player.withLock { $0.take() }?.stop() }
}

extension SensorError {
    /// The error of a recording as one of its sensors'.
    init(_ error: RecordingError) {
        let id: SensorID = "replay"
        let reason = "\(error.path): \(error.reason)"
        self =
            switch error.condition {
            case .denied: .denied(id, reason: reason, hint: error.hint)
            case .unreadable, .empty: .unavailable(id, reason: reason, hint: error.hint)
            case .unsupported: .unsupported(id, reason: reason, hint: error.hint)
            default: .malformed(id, reason: reason, hint: error.hint)
            }
    }
}
