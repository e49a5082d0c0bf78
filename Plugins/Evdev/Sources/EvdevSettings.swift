import Sensorium

/// The plugin's configuration.
///
/// | key | value |
/// |---|---|
/// | `evdev.rotation` | degrees clockwise by which a screen is mounted turned: 0, 90, 180 or 270 |
/// | `evdev.matrix` | six numbers, in place of udev's `LIBINPUT_CALIBRATION_MATRIX` |
/// | `evdev.unplug` | `reconnect` or `end`, when the device is pulled out |
/// | `evdev.keys` | `media` or `all`: which keys are told |
///
/// All but the last can be given for one device alone, as in `evdev.rotation.DEVICE`; DEVICE is its
/// name in sensor ids.
package struct EvdevSettings: Sendable {
    private let host: PluginHost
    private let token: String

    /// Reads the settings for one device.
    package init(_ host: PluginHost, for token: String) {
        self.host = host
        self.token = token
    }

    private func value<Value>(
        _ key: String, _ form: String, _ read: (String) -> Value?
    ) throws(EvdevFault) -> Value? {
        let text =
            host.configuration("evdev.\(key).\(token)") ?? host.configuration("evdev.\(key)") ?? ""
        if text.isEmpty { return nil }
        guard let value = read(text) else {
            throw EvdevFault(
                .unsupported, "the setting evdev.\(key) is '\(text)'", hint: "write it as \(form)")
        }
        return value
    }

    /// From a screen's own axes to what its user sees.
    ///
    /// - Parameter remark: told of what udev has and nobody can use.
    package func matrix(
        of node: InputNode, remark: (String) -> Void
    ) throws(EvdevFault) -> TouchTransform.Matrix {
        let rotation = try value("rotation", "0, 90, 180 or 270") { text in
            Int(text).flatMap { TouchTransform.Matrix(rotation: $0) }
        }
        var matrix = try value("matrix", "six numbers, 1 0 0 0 1 0") { TouchTransform.Matrix($0) }
        let property = "LIBINPUT_CALIBRATION_MATRIX"
        if matrix == nil, let text = node.properties[property], !text.isEmpty {
            matrix = TouchTransform.Matrix(text)
            if matrix == nil {
                remark("udev's \(property) is '\(text)', which is no matrix, and is left out")
            }
        }
        return (matrix ?? .identity).then(rotation ?? .identity)
    }

    /// Whether a session ends when its device is pulled out, rather than wait for it.
    package func endsOnUnplug() throws(EvdevFault) -> Bool {
        try value("unplug", "reconnect or end") { text in
            text == "end" ? true : text == "reconnect" ? false : nil
        } ?? false
    }

    /// Which keys are told; those of a remote control alone, unless the user wants all.
    package static func keyChoice(_ host: PluginHost) -> KeyDecoder.Choice {
        host.configuration("evdev.keys") == "all" ? .all : .media
    }
}
