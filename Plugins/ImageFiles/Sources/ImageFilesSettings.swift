import Sensorium

/// The plugin's configuration.
struct ImageFilesSettings: Sendable, Hashable {
    /// The file or the folder; nil where none is named.
    var path: String?
    /// Frames a second; nil for what the file says.
    var rate: Double?
    /// Whether to start again at the end.
    var loops: Bool

    /// The rate of files that name none.
    static let usualRate = 30.0

    /// Reads the configuration.
    ///
    /// - Throws: `SensorError.unsupported` for a value that makes no sense.
    init(_ host: PluginHost) throws(SensorError) {
        path = Self.text("path", host)
        rate = nil
        if let text = Self.text("rate", host) {
            guard let value = Double(text), value >= 0.001, value <= 1000 else {
                throw Self.refusal("rate", text, "give frames a second, from 0.001 to 1000")
            }
            rate = value
        }
        switch Self.text("loop", host) {
        case nil, "0", "no", "false": loops = false
        case "1", "yes", "true": loops = true
        case .some(let text): throw Self.refusal("loop", text, "give 1 or 0")
        }
    }

    private static func text(_ key: String, _ host: PluginHost) -> String? {
        host.configuration("image-files.\(key)").flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func refusal(_ key: String, _ text: String, _ hint: String) -> SensorError {
        .unsupported(
            ImageCamera.id, reason: "the setting image-files.\(key) is '\(text)'", hint: hint)
    }
}
