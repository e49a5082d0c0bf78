import Sensorium

/// An input device, as far as the kernel and udev speak of it without its being opened.
package struct InputNode: Hashable, Sendable {
    /// Its node: `/dev/input/event3`.
    package var path: String
    /// What its driver calls it.
    package var name: String
    /// Where it is plugged in, as its driver says: `usb-0000:00:14.0-2/input0`; often empty.
    package var port: String
    /// Its serial number, or its radio address; empty where it has none.
    package var serial: String
    /// Where it is below /sys/devices, without numbers that are given anew; nil where unknown.
    package var place: String?
    /// The axes that it has.
    package var axes: Set<UInt16>
    /// Its keys and buttons.
    package var keys: Set<UInt16>
    /// Whether it is touched where the picture is: INPUT_PROP_DIRECT.
    package var isDirect: Bool
    /// What udev says of it.
    package var properties: [String: String]

    /// Describes a device.
    package init(
        path: String, name: String, port: String = "", serial: String = "", place: String? = nil,
        axes: Set<UInt16> = [], keys: Set<UInt16> = [], isDirect: Bool = false,
        properties: [String: String] = [:]
    ) {
        self.path = path
        self.name = name
        self.port = port
        self.serial = serial
        self.place = place
        self.axes = axes
        self.keys = keys
        self.isDirect = isDirect
        self.properties = properties
    }

    /// What kind of touch surface it is; nil where it is none.
    package var surface: TouchSurface? {
        // udev has looked at the device, and a rule of the machine's owner may know better.
        if properties["ID_INPUT"] != nil {
            let surfaces: [(String, TouchSurface)] = [
                ("TOUCHSCREEN", .screen), ("TOUCHPAD", .pad), ("TABLET", .tablet),
            ]
            return surfaces.first { properties["ID_INPUT_\($0.0)"] == "1" }?.1
        }
        let hasPlace =
            axes.isSuperset(of: [InputCode.contactX, InputCode.contactY])
            || (axes.isSuperset(of: [InputCode.x, InputCode.y]) && keys.contains(InputCode.touch))
        guard hasPlace else { return nil }
        // The same, as udev finds it out: src/udev/udev-builtin-input_id.c of systemd.
        let hasPen = keys.contains(InputCode.penTool)
        if hasPen { return .tablet }
        if keys.contains(InputCode.fingerTool), !isDirect { return .pad }
        return keys.contains(InputCode.touch) || isDirect ? .screen : nil
    }

    /// Whether one types text on it.
    package var isKeyboard: Bool {
        // The letters Q and A, rather than the keys of a remote control.
        keys.isSuperset(of: [16, 30])
    }
}

/// The kinds of surfaces that are touched.
package enum TouchSurface: Hashable, Sendable {
    /// It is where the picture is.
    case screen
    /// It moves a pointer.
    case pad
    /// It is drawn on.
    case tablet
}

/// The bits of a device's abilities, as sysfs writes them.
package enum InputBits {
    /// Reads words of hexadecimal digits, the one with the lowest numbers last: `b 0 1000`.
    ///
    /// What is no such word counts as one without bits.
    package static func numbers(_ text: String, wordSize: Int = UInt.bitWidth) -> Set<UInt16> {
        var numbers: Set<UInt16> = []
        for (place, word) in text.split(separator: " ").reversed().enumerated() {
            guard var bits = UInt64(word, radix: 16) else { continue }
            while bits != 0 {
                let number = place * wordSize + bits.trailingZeroBitCount
                if let number = UInt16(exactly: number) { numbers.insert(number) }
                bits &= bits - 1
            }
        }
        return numbers
    }
}
