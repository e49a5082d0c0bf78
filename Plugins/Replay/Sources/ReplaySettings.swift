import Sensorium
import SensoriumRecording

/// The plugin's configuration.
struct ReplaySettings: Sendable, Hashable {
    /// The recording; nil where none is named.
    var file: String?
    /// How it is played.
    var options: PlaybackOptions

    /// Reads the configuration.
    ///
    /// - Throws: `SensorError.unsupported` for a value that makes no sense.
    init(_ host: PluginHost) throws(SensorError) {
        file = host.configuration("replay.file").flatMap { $0.isEmpty ? nil : $0 }
        options = PlaybackOptions(
            speed: try Self.number("speed", host, above: 0) ?? 1,
            loops: try Self.flag("loop", host),
            start: .seconds(try Self.number("start", host, from: 0) ?? 0),
            lead: .seconds(try Self.number("lead", host, from: 0) ?? 0.1),
            rate: try Self.number("rate", host, above: 0), idPrefix: "replay/")
    }

    private static func number(
        _ key: String, _ host: PluginHost, above limit: Double = -1, from least: Double = 0
    ) throws(SensorError) -> Double? {
        guard let text = host.configuration("replay.\(key)"), !text.isEmpty else { return nil }
        guard let value = Double(text), value > limit, value >= least, value < 1e9 else {
            let bound = limit >= 0 ? "above 0" : "of 0 or more"
            throw .unsupported(
                "replay", reason: "replay.\(key) is '\(text)'", hint: "give a number \(bound)")
        }
        return value
    }

    private static func flag(_ key: String, _ host: PluginHost) throws(SensorError) -> Bool {
        switch host.configuration("replay.\(key)") {
        case nil, "", "0", "no", "false": return false
        case "1", "yes", "true": return true
        case .some(let text):
            throw .unsupported("replay", reason: "replay.\(key) is '\(text)'", hint: "give 1 or 0")
        }
    }
}
