import Sensorium

/// The tables of an MCAP file that say what its times are.
///
/// `sensorium.clock` names the clock (`boottime`, `realtime`), with `utc_offset_ns`, nanoseconds to add to a
/// time to get UTC since 1970, and `utc_uncertainty_ns`; `sensorium.properties` is what the recording says
/// of itself.
extension RecordingMetadata {
    private static let clockTable = "sensorium.clock"
    private static let propertyTable = "sensorium.properties"

    /// Itself as tables.
    var tables: [MCAPMetadata] {
        var values = ["clock": "\(clock.domain)"]
        values["utc_offset_ns"] = clock.utcOffset.map { "\($0)" }
        values["utc_uncertainty_ns"] = clock.utcUncertainty.map { "\($0.wholeNanoseconds)" }
        var tables = [MCAPMetadata(name: Self.clockTable, values: values)]
        if !properties.isEmpty {
            tables.append(MCAPMetadata(name: Self.propertyTable, values: properties))
        }
        return tables
    }

    /// The metadata of a file.
    ///
    /// Files of other programs do not name their clock. Their times are nearly always UTC; those before
    /// 2001 are taken as time since boot.
    init(_ file: MCAPFileReader) throws(RecordingError) {
        var clock = RecordingClock(domain: .boottime)
        if let table = file.metadata.first(where: { $0.name == Self.clockTable })?.values {
            clock.domain =
                ClockDomain.allCases.first { "\($0)" == table["clock"] } ?? .foreign
            clock.utcOffset = table["utc_offset_ns"].flatMap { Int64($0) }
            clock.utcUncertainty =
                table["utc_uncertainty_ns"].flatMap { Int64($0) }.map { .nanoseconds($0) }
        } else if try file.firstTime ?? 0 >= 978_307_200_000_000_000 {
            clock = .utc
        }
        let properties = file.metadata.first { $0.name == Self.propertyTable }?.values ?? [:]
        self.init(clock: clock, writer: file.library, properties: properties)
    }
}
