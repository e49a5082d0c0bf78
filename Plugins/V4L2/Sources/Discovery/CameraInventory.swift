import SensoriumPluginKit

/// The nodes that are there, under names that stay the same when a camera is plugged in again.
///
/// A name is made of what the kernel says without opening the node, so that it does not depend on
/// this process's rights: the driver's name, and the serial number or the place of the device. The
/// number of the node is no part of it.
package struct CameraInventory: Sendable {
    /// A node and what to call it.
    package struct Entry: Hashable, Sendable {
        /// Its name in sensor ids: `HD_Webcam@A1B2C3`, `HD_Webcam@usb-0000:00:14.0-1.2`.
        package var token: String
        /// The node.
        package var node: VideoNode
    }

    /// The nodes, in the order given.
    package let entries: [Entry]

    /// Names `nodes`.
    package init(_ nodes: [VideoNode]) {
        // In the order of their places, so that of two like cameras the same one comes first.
        let ordered = nodes.sorted {
            ($0.place ?? "", $0.index, $0.path.utf8.count, $0.path)
                < ($1.place ?? "", $1.index, $1.path.utf8.count, $1.path)
        }
        let names = DeviceName.distinct(ordered.map(Self.token))
        let tokens = Dictionary(
            zip(ordered.map(\.path), names), uniquingKeysWith: { _, last in last })
        entries = nodes.map { Entry(token: tokens[$0.path] ?? $0.path, node: $0) }
    }

    /// The node of that name.
    package subscript(token: String) -> VideoNode? { entries.first { $0.token == token }?.node }

    private static func token(of node: VideoNode) -> String {
        let usb = node.place.flatMap { usbPlace($0) }
        // Only USB devices have serial numbers; elsewhere the file would be some other device's.
        let serial = node.serial.flatMap { usb == nil || $0.isEmpty ? nil : $0 }
        let place = serial ?? usb ?? node.place.map { lastPart($0) } ?? lastPart(node.path)
        let number = node.index == 0 ? "" : "+\(node.index)"
        return DeviceName.cleaned("\(node.name)@\(place)\(number)")
    }

    /// `usb-0000:00:14.0-1.2` for `pci0000:00/0000:00:14.0/usb1/1-1/1-1.2/1-1.2:1.0`, which is what
    /// the kernel calls that port in `bus_info`.
    private static func usbPlace(_ place: String) -> String? {
        let parts = place.split(separator: "/")
        guard let hub = parts.firstIndex(where: { isHub($0) }), hub > 0,
            let last = parts[(hub + 1)...].last(where: { $0.contains(":") }),
            let port = last.prefix(while: { $0 != ":" }).split(separator: "-", maxSplits: 1).last
        else { return nil }
        return "usb-\(parts[hub - 1])-\(port)"
    }

    private static func isHub(_ part: Substring) -> Bool {
        part.hasPrefix("usb") && part.count > 3 && part.dropFirst(3).allSatisfy(\.isNumber)
    }

    private static func lastPart(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
