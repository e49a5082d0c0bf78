import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumPluginKit

/// The Evdev plugin over a scripted screen and a scripted remote control, for a host that loads it.
///
/// | key | value |
/// |---|---|
/// | `scripted.burst` | how many frames the screen gives, as fast as they are read; by default it goes on for ever |
/// | `scripted.rate` | frames a second, 60 |
public final class ScriptedScreens: SensorPlugin {
    /// That of the plugin itself.
    public static let manifest = Evdev.manifest

    private let plugin: Evdev

    /// Makes the plugin.
    public init(host: PluginHost) {
        let burst = host.configuration("scripted.burst").flatMap { Int($0) }
        let rate = host.configuration("scripted.rate").flatMap { Double($0) } ?? 60
        let spy = EvdevLinkSpy(
            clock: host.clock,
            inputs: [
                .screen(feed: burst.map { .burst($0) } ?? .steady(rate)),
                .remote(feed: .steady(rate)),
            ])
        spy.keepNoCommands()
        plugin = spy.plugin(for: host)
    }

    /// The screen and the remote control.
    public func discover() async throws(SensorError) -> [any Sensor] { try await plugin.discover() }

    /// Nothing comes or goes.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        await plugin.watch(tell)
    }

    /// Ends all sessions.
    public func stop() async { await plugin.stop() }
}

/// The plugin as a host sees it; `Entry/entry.c` names this function.
@c(sensorium_scripted_screen_plugin)
public func exportedPlugin() -> UnsafeRawPointer? { exportedTable(ScriptedScreens.self) }
