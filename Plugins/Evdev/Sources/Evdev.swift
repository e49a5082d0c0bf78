import Sensorium
import SensoriumPluginKit

/// The input devices of Linux that are touched: touch screens, touch pads, and the media keys of
/// remote controls, headsets and keyboards.
///
/// Configuration: `evdev.rotation` and `evdev.matrix` say how a screen is mounted, `evdev.unplug`
/// what happens when a device is pulled out. `EvdevSettings` has them all.
public final class Evdev: SensorPlugin {
    /// What the plugin is.
    public static let manifest = PluginManifest(
        id: "evdev", version: "0.1.0", kinds: [.touch, .key])

    private let desk: SessionDesk
    private let lookout: DeviceLookout

    /// Makes a plugin over a link of one's own: a spy.
    package init(host: PluginHost, link: any EvdevLink) {
        let desk = SessionDesk(link: link, host: host)
        self.desk = desk
        lookout = DeviceLookout(
            of: Self.manifest.id, host: host, look: { Survey(desk).sensors },
            isAwaited: { desk.isAwaited($0) })
    }

    /// How many sessions are open.
    package var sessionCount: Int { desk.count }

    /// Finds the devices that are there now; opens none of them.
    public func discover() async throws(SensorError) -> [any Sensor] { await lookout.discover() }

    /// Tells of devices that are plugged in or out.
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
