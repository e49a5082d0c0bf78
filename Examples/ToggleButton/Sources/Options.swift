/// What the command line says.
struct Options: Sendable {
    /// Whether neither a screen nor a receiver is needed.
    var isSimulated = false
    /// Whether a simulated finger taps, and no screen is needed.
    var hasFinger = false
    /// How often the simulated finger taps; nil for ever.
    var taps: Int?
    /// Configuration of plugins, by key.
    var settings: [String: String] = [:]
    /// What is no option.
    var unknown: [String] = []

    static let usage = """
        ToggleButton [--set KEY=VALUE]... [--finger | --simulated] [--taps N]
          --set gpsd.address=192.0.2.7:2947   configures a plugin
          --finger                            needs no screen: a simulated finger taps
          --simulated                         needs no receiver either
          --taps N                            ends after N taps of the finger
        """

    init(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--simulated": (isSimulated, hasFinger) = (true, true)
            case "--finger": hasFinger = true
            case "--taps": taps = rest.popFirst().flatMap { Int($0) }
            case "--set":
                let parts = rest.popFirst()?.split(separator: "=", maxSplits: 1).map(String.init)
                if let parts, parts.count == 2 { settings[parts[0]] = parts[1] }
            default: unknown.append(word)
            }
        }
    }
}
