import Sensorium

/// The devices of a context with names that stay the same when they are plugged in again.
package struct DeviceInventory: Sendable {
    /// A device and what to call it.
    package struct Entry: Hashable, Sendable {
        /// Its name in sensor ids: `accel-display`, `lis2dh12_accel@0-0019`.
        package var token: String
        /// The device as the context has it.
        package var device: IIODevice
        /// Where in the machine it sits.
        package var placement: SensorPlacement
    }

    /// The devices in the context's order.
    package private(set) var entries: [Entry] = []

    /// Lists the devices of `context`.
    ///
    /// - Parameter host: what stands in for a place in names where the devices are another machine's.
    package init(of context: any IIOContext, at host: String?) async throws(IIOFault) {
        var taken: [String: Int] = [:]
        // In the order of their places, so that of two like devices the same one comes first.
        let ordered = context.content.devices.sorted {
            ($0.path ?? "", $0.id.utf8.count, $0.id) < ($1.path ?? "", $1.id.utf8.count, $1.id)
        }
        var named: [String: Entry] = [:]
        for device in ordered {
            let location = try await Self.location(of: device, in: context)
            let name = Self.token(for: device, location: location, host: host)
            taken[name, default: 0] += 1
            let count = taken[name] ?? 1
            named[device.id] = Entry(
                token: count == 1 ? name : "\(name)~\(count)", device: device,
                placement: Self.placement(of: device, location: location))
        }
        entries = context.content.devices.compactMap { named[$0.id] }
    }

    /// The device of that name.
    package subscript(token: String) -> Entry? { entries.first { $0.token == token } }

    /// What kernels before 6.0 say instead of a label.
    private static func location(
        of device: IIODevice, in context: any IIOContext
    ) async throws(IIOFault) -> String? {
        guard device.attributes.contains("location") else { return nil }
        do throws(IIOFault) {
            let text = try await context.read(IIOAttribute(device: device.id, name: "location"))
            return String(AttributeText.trimmed(text))
        } catch {
            if error.isOfConnection { throw error }
            return nil
        }
    }

    private static func token(for device: IIODevice, location: String?, host: String?) -> String {
        let name = device.name ?? "device"
        let token =
            if let label = device.label {
                label == name ? "\(name)-label" : label
            } else if let location, !location.isEmpty {
                "\(name)-\(location)"
            } else if let place = host ?? device.path.map(lastPlace) {
                "\(name)@\(place)"
            } else {
                name == "device" ? device.id : "\(name)@\(device.id)"
            }
        // A slash separates the parts of a sensor's id.
        return String(token.map { $0 == "/" || $0.isWhitespace ? "-" : $0 })
    }

    /// `0-0019` of `i2c-0/0-0019`; `HID-SENSOR-200073` of `…/HID-SENSOR-200073.2.auto`, whose number
    /// grows with every plugging.
    private static func lastPlace(_ path: String) -> String {
        var place = path.split(separator: "/").last.map(String.init) ?? path
        if place.hasSuffix(".auto") {
            place.removeLast(5)
            if let dot = place.lastIndex(of: "."), place[dot...].dropFirst().allSatisfy(\.isNumber)
            {
                place.removeSubrange(dot...)
            }
        }
        return place
    }

    private static func placement(of device: IIODevice, location: String?) -> SensorPlacement {
        // systemd's hardware database knows better than the firmware, where it says something.
        let said = [device.properties["ACCEL_LOCATION"], device.label, location]
        for text in said.compactMap(\.self) {
            if text.contains("display") || text.contains("lid") { return .display }
            if text.contains("base") { return .base }
        }
        return .unknown
    }
}
