import Glibc
import SensoriumPluginKit

/// What sysfs and udev say of this machine's input devices; nothing is opened for it.
enum SysfsInput {
    /// The devices, by the number of their node.
    static func nodes() -> [InputNode] {
        let folder = "/sys/class/input"
        return SysfsDevice.names(in: folder).filter { $0.hasPrefix("event") }.sorted {
            ($0.utf8.count, $0) < ($1.utf8.count, $1)
        }.map { name in
            let device = SysfsDevice("\(folder)/\(name)", subsystem: "input")
            let properties = device.properties
            func bits(_ file: String) -> Set<UInt16> {
                InputBits.numbers(device.attribute("device/\(file)") ?? "")
            }
            func text(_ file: String) -> String { device.attribute("device/\(file)") ?? "" }
            let title = text("name")
            return InputNode(
                path: "/dev/" + (properties["DEVNAME"].map(nodeName) ?? "input/\(name)"),
                name: title.isEmpty ? name : title, port: text("phys"), serial: text("uniq"),
                place: device.place.map(stable), axes: bits("capabilities/abs"),
                keys: bits("capabilities/key"), isDirect: bits("properties").contains(1),
                properties: properties)
        }
    }

    /// `input/event3` for what the kernel and what udev call the node.
    private static func nodeName(_ name: String) -> String {
        name.hasPrefix("/dev/") ? String(name.dropFirst(5)) : name
    }

    /// The place without the numbers that are counted on: `input/input17`, and the last part of
    /// `0003:1209:0002.0004`.
    static func stable(_ place: String) -> String {
        var parts = place.split(separator: "/")
        if parts.last?.hasPrefix("input") ?? false { parts.removeLast() }
        if parts.last == "input" { parts.removeLast() }
        if let last = parts.last, last.filter({ $0 == ":" }).count == 2,
            let dot = last.lastIndex(of: ".")
        {
            parts[parts.count - 1] = last[..<dot]
        }
        return parts.joined(separator: "/")
    }
}
