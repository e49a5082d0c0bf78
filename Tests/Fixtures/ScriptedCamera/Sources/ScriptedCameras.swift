import Sensorium
import SensoriumPluginKit
import V4L2Plugin
import V4L2Spy

/// The V4L2 plugin over a scripted camera, for a host that loads it.
///
/// | key | value |
/// |---|---|
/// | `scripted.burst` | how many frames the camera gives, as fast as it gets buffers; by default it goes on for ever |
/// | `scripted.rate` | frames a second, 30 |
public final class ScriptedCameras: SensorPlugin {
    /// That of the plugin itself.
    public static let manifest = V4L2.manifest

    private let plugin: V4L2

    /// Makes the plugin.
    public init(host: PluginHost) {
        let burst = host.configuration("scripted.burst").flatMap { Int($0) }
        let rate = host.configuration("scripted.rate").flatMap { Double($0) } ?? 30
        let spy = V4L2LinkSpy(
            clock: host.clock,
            cameras: [
                .fixed(
                    .yuyv, 1280, 720, rates: [rate], feed: burst.map { .burst($0) } ?? .steady)
            ])
        spy.keepNoCommands()
        plugin = spy.plugin(for: host)
    }

    /// The one camera.
    public func discover() async throws(SensorError) -> [any Sensor] { try await plugin.discover() }

    /// Nothing comes or goes.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        await plugin.watch(tell)
    }

    /// Ends all sessions.
    public func stop() async { await plugin.stop() }
}

/// The plugin as a host sees it; `Entry/entry.c` names this function.
@c(sensorium_scripted_camera_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(ScriptedCameras.self) }
