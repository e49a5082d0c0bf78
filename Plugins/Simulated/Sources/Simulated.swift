import Sensorium

/// A device that is not there: somebody walks around a park with it, the same way every time.
///
/// For demonstrations, for apps that are written before the hardware comes, and for authors: this
/// plugin is the one to copy. Every reading is flagged as simulated.
///
/// ## Configuration
/// - `simulated.seed`: a whole number; another one is another walk. 1 by default.
/// - `simulated.start`: where the walk begins and ends, as `LAT,LON` in degrees.
public final class Simulated: SensorPlugin {
    /// `simulated`, and all it can measure.
    public static let manifest = PluginManifest(
        id: "simulated", version: "0.1.0",
        kinds: [
            .location, .satellites, .acceleration, .angularVelocity, .magneticField, .pressure,
            .temperature, .humidity, .illuminance, .proximity,
        ])

    private let link: any SimulatedLink
    private let sensors: [any EndableSensor]

    /// Makes the plugin; the walk begins now.
    public convenience init(host: PluginHost) {
        let walk = Walk(configuredBy: host)
        self.init(host: host, link: UndisturbedLink(walk: walk, origin: host.clock.now))
    }

    /// Makes the plugin over another link: the seam for its spy.
    package init(host: PluginHost, link: any SimulatedLink) {
        self.link = link
        let clock = host.clock
        sensors = [
            SimulatedSensor<LocationFix>(link: link, clock: clock),
            SimulatedSensor<Satellites>(link: link, clock: clock),
            SimulatedSensor<Acceleration>(link: link, clock: clock),
            SimulatedSensor<AngularVelocity>(link: link, clock: clock),
            SimulatedSensor<MagneticField>(link: link, clock: clock),
            SimulatedSensor<Pressure>(link: link, clock: clock),
            SimulatedSensor<Temperature>(link: link, clock: clock),
            SimulatedSensor<Humidity>(link: link, clock: clock),
            SimulatedSensor<Illuminance>(link: link, clock: clock),
            SimulatedSensor<Proximity>(link: link, clock: clock),
        ]
    }

    /// The sensors that are plugged in: all of them, unless a spy unplugged some.
    public func discover() async throws(SensorError) -> [any Sensor] {
        let plugged = link.plugged
        return sensors.filter { plugged.contains($0.descriptor.kind) }
    }

    /// Tells of sensors that are plugged in and unplugged.
    public func watch(_ tell: @escaping @Sendable (SensorChange) -> Void) async {
        link.watch { [sensors] kind, isPlugged in
            guard let sensor = sensors.first(where: { $0.descriptor.kind == kind }) else { return }
            tell(isPlugged ? .arrived(sensor) : .departed(sensor.id))
        }
    }

    /// Ends watching and every open session.
    public func stop() async {
        link.watch(nil)
        for sensor in sensors { await sensor.endSessions() }
    }
}

extension Walk {
    /// The walk that the host's configuration asks for.
    ///
    /// What makes no sense is reported, and the default taken.
    init(configuredBy host: PluginHost) {
        func value<T>(_ key: String, _ fallback: T, _ form: String, parse: (String) -> T?) -> T {
            guard let text = host.configuration(key) else { return fallback }
            if let value = parse(text) { return value }
            host.log(.warning, "\(key) is \"\(text)\", which is not \(form); using \(fallback)")
            return fallback
        }
        self.init(
            seed: value("simulated.seed", 1, "a whole number from 0 on") { UInt64($0) },
            start: value("simulated.start", .default, "LAT,LON in degrees") { Place($0) })
    }
}

extension Walk.Place: CustomStringConvertible {
    /// Reads `48.15,11.59`; nil for anything else.
    init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            Double(part.filter { $0 != " " })
        }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            return nil
        }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// `48.15,11.59`.
    package var description: String { "\(latitude),\(longitude)" }
}
