import Sensorium
import SensoriumPluginKit
import SensoriumServices
import SimulatedPlugin

/// Runs the app on this machine's screen, receiver and media keys, through the plugins that are
/// installed; with `--simulated`, on none of them.
///
/// Ctrl-C ends it.
@main
enum Main {
    static func main() async throws {
        let options = Options(CommandLine.arguments.dropFirst())
        guard options.unknown.isEmpty else { return print(Options.usage) }
        let registry = SensorRegistry(
            host: PluginHost(configuration: { key in options.settings[key] }))
        if options.isSimulated {
            try await registry.add(Simulated.self)
        } else {
            let loader = PluginLoader(host: registry.host, crashMarkers: nil)
            let report = await loader.load(PluginSearchPath())
            for plugin in report.plugins { try await registry.add(plugin) }
        }
        do throws(SensorError) {
            try await run(options, registry)
        } catch {
            print("\n\(error)")
        }
        await registry.removeAll()
    }

    private static func run(
        _ options: Options, _ registry: SensorRegistry
    ) async throws(SensorError) {
        let canvas: any Canvas = TerminalCanvas() ?? LineCanvas()
        let presenter = registry.preferred(of: LocationFix.self).map { sensor in
            LocationPresenter(service: LocationService(sensor: sensor), view: canvas)
        }
        let app = ToggleApp(canvas: canvas, location: presenter)
        if options.hasFinger {
            let finger = SimulatedFinger(tapping: await app.buttonPoint, taps: options.taps)
            return try await app.run(touches: finger)
        }
        guard let screen = registry.preferred(of: TouchEvent.self) else {
            return print("There is no touch screen here; --finger does without.")
        }
        try await app.run(
            touches: screen, keys: registry.preferred(of: KeyEvent.self),
            accelerations: registry.preferred(of: Acceleration.self))
    }
}
