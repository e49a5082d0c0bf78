public import Sensorium

/// The sensors behind a receiver that speaks NMEA 0183: location, satellites and heading.
///
/// ## Configuration
/// - `nmea.source`: `serial:DEVICE`, `serial:DEVICE@RATE`, `tcp:HOST:PORT`, `udp:PORT` or `file:PATH`;
///   without it there are no sensors.
/// - `nmea.checksum`: `required`, or `optional` to take sentences that have none.
/// - `nmea.week-rollover`: `report`, or `correct` to add 1024 weeks to a date that lacks them.
/// - `nmea.stale-after`: seconds without a sentence after which readings count as stale; 5 by default.
public struct NMEA: SensorPlugin {
    /// `nmea`.
    public static let manifest = PluginManifest(
        id: "nmea", version: "0.1.0", kinds: [.location, .satellites, .heading])

    private let connection: NMEAConnection?

    /// Makes the plugin.
    ///
    /// It opens its source when the first of its sensors is opened.
    public init(host: PluginHost) {
        let link = host.configuration("nmea.source").map { text -> any NMEALink in
            if let source = NMEASource(text) { return SystemLink(source, clock: host.clock) }
            return UnreadableLink(text: text)
        }
        self.init(host: host, link: link)
    }

    /// Makes the plugin over another link: the seam for its spy.
    package init(host: PluginHost, link: (any NMEALink)?) {
        connection = link.map { NMEAConnection(host: host, link: $0) }
    }

    /// The three sensors; none where no source is configured.
    ///
    /// They are there whether or not the receiver is: they wait for it.
    public func discover() async throws(SensorError) -> [any Sensor] {
        guard let connection else { return [] }
        return [
            NMEASensor<LocationFix>(connection, "Position from NMEA"),
            NMEASensor<Satellites>(connection, "Satellites from NMEA"),
            NMEASensor<Heading>(connection, "Heading from NMEA"),
        ]
    }

    /// Closes the source; open sensors end.
    public func stop() async { await connection?.stop() }
}
