import Sensorium
import SensoriumPluginKit

/// The cameras that Linux drives as Video4Linux capture devices: webcams, grabbers, `vivid`.
///
/// Configuration: `v4l2.size`, `v4l2.format` and `v4l2.rate` choose what to ask the camera for;
/// `v4l2.unplug` what happens when it is pulled out. `V4L2Settings` has them all.
public final class V4L2: SensorPlugin {
    /// What the plugin is.
    public static let manifest = PluginManifest(id: "v4l2", version: "0.1.0", kinds: [.camera])

    private let desk: SessionDesk
    private let lookout: DeviceLookout

    /// Makes a plugin over a link of one's own: a spy.
    package init(host: PluginHost, link: any V4L2Link) {
        let desk = SessionDesk(link: link, host: host)
        self.desk = desk
        lookout = DeviceLookout(
            of: Self.manifest.id, host: host, look: { await Survey(desk).cameras },
            isAwaited: { desk.isAwaited($0) })
    }

    /// How many cameras are open.
    package var sessionCount: Int { desk.count }

    /// Finds the cameras that are there now.
    public func discover() async throws(SensorError) -> [any Sensor] { await lookout.discover() }

    /// Tells of cameras that are plugged in or out.
    ///
    /// One that is read and pulled out stays, as long as its session waits for it.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        desk.onEnd { [weak lookout] id in lookout?.noteEnd(of: id) }
        lookout.watch(tell) { [link = desk.link] changed in link.watch(changed) }
    }

    /// Ends watching, and all sessions.
    public func stop() async {
        lookout.stop()
        await desk.stop()
    }
}
