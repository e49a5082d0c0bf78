import Sensorium

/// The thermal zones of the Linux kernel: how warm the processor, the board, the battery are.
///
/// Many machines have none, above all virtual ones; there are no sensors then.
///
/// ## Configuration
/// - `thermal.folder`: where the zones are; `/sys/class/thermal` by default.
public final class Thermal: SensorPlugin {
    /// `thermal`, which measures temperatures.
    public static let manifest = PluginManifest(
        id: "thermal", version: "1.0.0", kinds: [.temperature])

    private let link: any ThermalLink
    private let clock: any SensorClock
    private let sensors = Guarded<[SensorID: ThermalSensor]>([:])

    /// Makes the plugin.
    public convenience init(host: PluginHost) {
        self.init(
            host: host,
            link: ThermalFolder(path: host.configuration("thermal.folder") ?? "/sys/class/thermal"))
    }

    /// Makes the plugin over another link: the seam for its spy.
    package init(host: PluginHost, link: any ThermalLink) {
        self.link = link
        clock = host.clock
    }

    /// A sensor for each zone that the kernel has now.
    public func discover() async throws(SensorError) -> [any Sensor] {
        var found: [ThermalSensor] = []
        for zone in await link.zones() {
            let id = SensorID("\(Self.manifest.id)/\(zone.name)/temperature")
            found.append(
                sensors.withLock { sensors in
                    if let known = sensors[id] { return known }
                    let sensor = ThermalSensor(id: id, zone: zone, link: link, clock: clock)
                    sensors[id] = sensor
                    return sensor
                })
        }
        return found
    }

    /// Ends every open session.
    public func stop() async {
        for sensor in sensors.withLock({ Array($0.values) }) { await sensor.endSessions() }
    }
}
