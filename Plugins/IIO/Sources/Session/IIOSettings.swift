import Sensorium

/// The plugin's configuration.
///
/// | key | value |
/// |---|---|
/// | `iio.uri` | libiio's addresses of the contexts to look in, separated by commas; `local:` |
/// | `iio.connect-timeout` | seconds that another machine's context may take to answer, 0.1 to 5; 2 |
/// | `iio.mount-matrix.DEVICE` | the matrix to use whatever the firmware says |
/// | `iio.trigger.DEVICE` | the trigger to give the device before it is captured |
///
/// DEVICE is the device's name in sensor ids, its label, or the driver's name of it.
package struct IIOSettings: Sendable {
    private let host: PluginHost

    /// Reads the settings from a host's configuration.
    package init(_ host: PluginHost) { self.host = host }

    /// The addresses of the contexts.
    package var addresses: [String] {
        let text = host.configuration("iio.uri") ?? ""
        let addresses = text.split(separator: ",").map { String(AttributeText.trimmed($0)) }
            .filter { !$0.isEmpty }
        return addresses.isEmpty ? ["local:"] : addresses
    }

    /// How long the context of an address may take to answer; nil for this machine's, which is read
    /// from files.
    ///
    /// libiio 0.24 itself waits for 5 s, which cannot be changed.
    package func connectLimit(of address: String) -> Duration? {
        if Self.host(of: address) == nil { return nil }
        let fallback = Duration.seconds(2)
        guard let text = host.configuration("iio.connect-timeout") else { return fallback }
        guard let seconds = AttributeText.number(text), (0.1...5).contains(seconds) else {
            host.log(
                .warning,
                "iio.connect-timeout is \"\(text)\", which is not a number of seconds from 0.1 to 5; "
                    + "using 2")
            return fallback
        }
        return .seconds(seconds)
    }

    /// The mount matrix that the user wants for a device.
    package func mountMatrix(for entry: DeviceInventory.Entry) -> String? {
        value("iio.mount-matrix", for: entry)
    }

    /// The trigger that the user wants for a device.
    package func trigger(for entry: DeviceInventory.Entry) -> String? {
        value("iio.trigger", for: entry)
    }

    private func value(_ key: String, for entry: DeviceInventory.Entry) -> String? {
        for name in [entry.token, entry.device.label, entry.device.name].compactMap(\.self) {
            if let value = host.configuration("\(key).\(name)") { return value }
        }
        return nil
    }

    /// The part of an address that names another machine; nil for this one.
    package static func host(of address: String) -> String? {
        if address == "local:" || address.isEmpty { return nil }
        // ip:192.168.2.1:30431, ip:[fe80::1]:30431, usb:1.2.5, xml:/path
        let parts = address.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2 else { return address.split(separator: ":").first.map(String.init) }
        var rest = parts[1]
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            return String(rest[rest.index(after: rest.startIndex)..<end])
        }
        // One colon is before a port; more are an address of version 6.
        if rest.count(where: { $0 == ":" }) == 1, let colon = rest.firstIndex(of: ":") {
            rest = rest[..<colon]
        }
        return String(rest)
    }
}
