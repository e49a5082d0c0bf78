import Sensorium

/// The plugin's configuration.
///
/// | key | value |
/// |---|---|
/// | `iio.uri` | libiio's addresses of the contexts to look in, separated by commas; `local:` |
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
