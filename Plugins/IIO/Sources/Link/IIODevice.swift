/// What a context holds, as plain values: nothing of it changes when the device does.
package struct IIOContextContent: Hashable, Sendable {
    /// Whether the devices are this kernel's own; else their clocks are another machine's.
    package var isLocal: Bool
    /// The devices, in the context's order, triggers not among them.
    package var devices: [IIODevice]
    /// The triggers.
    package var triggers: [IIODevice]

    /// Makes a content.
    package init(isLocal: Bool, devices: [IIODevice], triggers: [IIODevice] = []) {
        self.isLocal = isLocal
        self.devices = devices
        self.triggers = triggers
    }
}

/// A device of a context.
package struct IIODevice: Hashable, Sendable {
    /// The kernel's name of it, `iio:device0`, which may change with every plugging.
    package var id: String
    /// The driver's name of it; nil where the driver gives none.
    package var name: String?
    /// Where it sits, as the firmware says: `accel-display`; nil where it says nothing.
    package var label: String?
    /// The names of the attributes that belong to no channel.
    package var attributes: Set<String>
    /// The channels, in the context's order.
    package var channels: [IIOChannel]
    /// The folder of the device below /sys/devices, without its own name; nil where unknown.
    package var path: String?
    /// The properties that udev rules gave it; empty where unknown.
    package var properties: [String: String]

    /// Makes a device.
    package init(
        id: String, name: String? = nil, label: String? = nil, attributes: Set<String> = [],
        channels: [IIOChannel] = [], path: String? = nil, properties: [String: String] = [:]
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.attributes = attributes
        self.channels = channels
        self.path = path
        self.properties = properties
    }

    /// The input channel of that name.
    package func channel(_ id: String) -> IIOChannel? {
        channels.first { $0.id == id && !$0.isOutput }
    }
}

/// A channel of a device.
package struct IIOChannel: Hashable, Sendable {
    /// Its name: `accel_x`, `temp`, `timestamp`.
    package var id: String
    /// Whether it goes out of the machine.
    package var isOutput: Bool
    /// The names of its attributes, without the channel's part: `raw`, `scale`.
    package var attributes: Set<String>
    /// Its place in a scan; nil where it is in none.
    package var scan: Scan?

    /// A channel's place in a scan.
    package struct Scan: Hashable, Sendable {
        /// The scan index.
        package var index: Int
        /// How it is stored.
        package var type: ScanType

        /// Makes a place.
        package init(index: Int, type: ScanType) {
            self.index = index
            self.type = type
        }
    }

    /// Makes a channel.
    package init(
        id: String, isOutput: Bool = false, attributes: Set<String> = [], scan: Scan? = nil
    ) {
        self.id = id
        self.isOutput = isOutput
        self.attributes = attributes
        self.scan = scan
    }
}

/// An attribute, by its place.
package struct IIOAttribute: Hashable, Sendable, CustomStringConvertible {
    /// The device's id.
    package var device: String
    /// The input channel's id; nil for an attribute of the device itself.
    package var channel: String?
    /// The attribute's name.
    package var name: String

    /// Makes a place.
    package init(device: String, channel: String? = nil, name: String) {
        self.device = device
        self.channel = channel
        self.name = name
    }

    /// `iio:device0 accel_x scale`.
    package var description: String {
        [device, channel, name].compactMap(\.self).joined(separator: " ")
    }
}
