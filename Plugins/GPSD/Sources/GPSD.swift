public import Sensorium
import SensoriumPluginKit

/// The sensors behind a gpsd: location, satellites, heading and attitude, over one connection.
///
/// ## Configuration
/// - `gpsd.address`: `HOST:PORT`, `[IPV6]:PORT` or `HOST`; `127.0.0.1:2947` by default.
/// - `gpsd.device`: the path of the receiver to listen to, where gpsd has several.
/// - `gpsd.stale-after`: seconds without a report after which readings count as stale; 5 by default.
public struct GPSD: SensorPlugin {
    /// `gpsd`.
    public static let manifest = PluginManifest(
        id: "gpsd", version: "0.1.0", kinds: [.location, .satellites, .heading, .attitude])

    private let connection: GPSDConnection

    /// Makes the plugin.
    ///
    /// It connects when the first of its sensors is opened.
    public init(host: PluginHost) {
        let address = host.configuration("gpsd.address")
        if let address, GPSDAddress(address) == nil {
            host.log(
                .warning,
                "gpsd.address is \"\(address)\", which is not HOST:PORT with a port from 1 to 65535"
            )
        }
        self.init(host: host, link: TCPLink(address: address, clock: host.clock))
    }

    /// Makes the plugin over another link: the seam for its spy.
    package init(host: PluginHost, link: any GPSDLink) {
        connection = GPSDConnection(host: host, link: link)
    }

    /// The four sensors.
    ///
    /// They are there whether or not gpsd is: they wait for it.
    public func discover() async throws(SensorError) -> [any Sensor] {
        [
            GPSDSensor<LocationFix>(connection, "Position from gpsd"),
            GPSDSensor<Satellites>(connection, "Satellites from gpsd"),
            GPSDSensor<Heading>(connection, "Heading from gpsd"),
            GPSDSensor<Attitude>(connection, "Attitude from gpsd"),
        ]
    }

    /// Asks gpsd, with `?POLL`, for the last reports of its receivers.
    ///
    /// What is news comes out of the sensors that are open. There is no need for it: gpsd sends every
    /// report by itself. Does nothing while no sensor is open, or gpsd is not there.
    public func poll() { connection.poll() }

    /// Ends the connection; open sensors end.
    public func stop() async { await connection.stop() }
}
