public import Sensorium
import SensoriumPluginKit

/// A plugin for the tests of the boundary: every kind of sensor, and every way to behave.
///
/// It has no sensors unless `fixture.sensors` is set, since its library lies in the build folder
/// beside the real plugins.
public struct Fixture: SensorPlugin {
    /// Every kind.
    public static let manifest = PluginManifest(
        id: "fixture", version: "1.2.3", kinds: SensorKind.allCases)

    private let host: PluginHost
    private let arrivals: Arrivals

    /// Makes the plugin.
    ///
    /// With `fixture.casts` it first does what no plugin should.
    public init(host: PluginHost) {
        self.host = host
        arrivals = Arrivals(host.clock)
        if host.configuration("fixture.casts") != nil { castFirst() }
    }

    /// Casts to the types that the host has under the same names: whoever comes first has them.
    private func castFirst() {
        let sensor: any Sensor = Ticker(host.clock)
        let isSensor = (sensor as? any Sensor<Acceleration>) != nil
        let isMotionSensor = (sensor as? any MotionSensor<Acceleration>) != nil
        host.log(.info, "casts in the plugin: \(isSensor) \(isMotionSensor)")
    }

    /// All sensors, where `fixture.sensors` is set; a failure where it says so.
    public func discover() async throws(SensorError) -> [any Sensor] {
        guard let wanted = host.configuration("fixture.sensors") else { return [] }
        if wanted == "failure" {
            throw .unavailable(
                "fixture/all", reason: "the test wants a failure", hint: "ask for something else")
        }
        let clock = host.clock
        return ScriptedSensors(clock).all + [
            Ticker(clock), Burst(host), SlowCloser(clock), Refuser(clock), Shy(clock),
            SlowOpener(host),
        ]
    }

    /// Tells of what `fixture.arrivals` makes come and go.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        if host.configuration("fixture.arrivals") != nil { arrivals.start(tell) }
    }

    /// Ends the arrivals.
    public func stop() async {
        await arrivals.stop()
        host.log(.info, "the fixture has stopped")
    }
}

/// The table, for the entry.
@c(sensorium_fixture_plugin)
public func fixturePlugin() -> UnsafeRawPointer? { exportedTable(Fixture.self) }

/// A sensor that comes a second after the start, and goes a second later.
private final class Arrivals: Sendable {
    private let clock: any SensorClock
    private let task = Guarded<Task<Void, Never>?>(nil)

    init(_ clock: any SensorClock) { self.clock = clock }

    func start(_ tell: @escaping @Sendable (SensorChange) -> Void) {
        let clock = clock
        let arriving = clock.spawn("arrivals") {
            guard await clock.pause(for: .seconds(1)) else { return }
            tell(.arrived(Ticker(clock, id: "fixture/guest")))
            guard await clock.pause(for: .seconds(1)) else { return }
            tell(.departed("fixture/guest"))
        }
        task.withLock { $0 = arriving }
    }

    func stop() async {
        let task = task.withLock { $0 }
        task?.cancel()
        await task?.value
    }
}
