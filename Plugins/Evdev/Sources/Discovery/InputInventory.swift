import SensoriumPluginKit

/// The devices that are there, under names that stay the same when one is plugged in again.
///
/// A name is made of what the kernel says without opening the node, so that it does not depend on
/// this process's rights: the driver's name, and the serial number or the place of the device. The
/// number of the node is no part of it.
package struct InputInventory: Sendable {
    /// A device and what to call it.
    package struct Entry: Hashable, Sendable {
        /// Its name in sensor ids: `ELAN_Touchscreen@i2c-ELAN9008:00`.
        package var token: String
        /// The device.
        package var node: InputNode
    }

    /// The devices, in the order given.
    package let entries: [Entry]

    /// Names `nodes`.
    package init(_ nodes: [InputNode]) {
        // In the order of their places, so that of two like devices the same one comes first.
        let ordered = nodes.sorted {
            ($0.place ?? "", $0.port, $0.path.utf8.count, $0.path)
                < ($1.place ?? "", $1.port, $1.path.utf8.count, $1.path)
        }
        let names = DeviceName.distinct(ordered.map(Self.token))
        let tokens = Dictionary(
            zip(ordered.map(\.path), names), uniquingKeysWith: { _, last in last })
        entries = nodes.map { Entry(token: tokens[$0.path] ?? $0.path, node: $0) }
    }

    /// The device of that name.
    package subscript(token: String) -> InputNode? { entries.first { $0.token == token }?.node }

    private static func token(of node: InputNode) -> String {
        // A receiver of several devices gives each of them an input of its own.
        var port = node.port
        var number = ""
        if let slash = port.firstRange(of: "/input"), let input = Int(port[slash.upperBound...]) {
            port = String(port[..<slash.lowerBound])
            if input > 0 { number = "+\(input)" }
        }
        let place = [node.serial, port, node.place ?? ""].first { !$0.isEmpty } ?? node.path
        return DeviceName.cleaned("\(node.name)@\(place)\(number)")
    }
}
