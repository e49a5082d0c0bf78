import EvdevPlugin
import Sensorium

/// An input device for an `EvdevLinkSpy`.
public struct ScriptedInput: Sendable {
    /// What it does without being told to.
    public enum Feed: Sendable, Hashable {
        /// Nothing.
        case none
        /// A finger moves from corner to corner, or a key goes down and up: so many frames a second.
        case steady(Double)
        /// The same, so many frames, as fast as they are read.
        case burst(Int)
    }

    /// What the kernel and udev say of it.
    package var about: InputNode
    /// What it says itself, once it is opened.
    package var capabilities: InputCapabilities
    /// What it does without being told to.
    public var feed: Feed

    /// Its node: `/dev/input/event0`.
    public var node: String {
        get { about.path }
        set { about.path = newValue }
    }

    package init(_ about: InputNode, _ capabilities: InputCapabilities, feed: Feed) {
        self.about = about
        self.capabilities = capabilities
        self.feed = feed
        self.about.axes = Set(capabilities.axes.keys)
        self.about.keys = capabilities.keys
    }

    /// A touch screen that tells of each finger in a slot.
    ///
    /// - Parameters:
    ///   - node: its node.
    ///   - name: what its driver calls it.
    ///   - fingers: how many it can tell apart.
    ///   - size: how many units its axes have.
    ///   - resolution: units per millimetre; 0 where it does not say.
    ///   - calibration: udev's `LIBINPUT_CALIBRATION_MATRIX`.
    ///   - feed: what it does without being told to.
    public static func screen(
        _ node: String = "/dev/input/event0", name: String = "Scripted Screen", fingers: Int = 10,
        size: (width: Int32, height: Int32) = (4096, 4096), resolution: Int32 = 0,
        calibration: String? = nil, feed: Feed = .none
    ) -> ScriptedInput {
        let x = AxisRange(0, size.width - 1, resolution: resolution)
        let y = AxisRange(0, size.height - 1, resolution: resolution)
        var about = InputNode(
            path: node, name: name, port: "spy/\(name)", isDirect: true,
            properties: ["ID_INPUT": "1", "ID_INPUT_TOUCHSCREEN": "1"])
        about.properties["LIBINPUT_CALIBRATION_MATRIX"] = calibration
        return ScriptedInput(
            about,
            InputCapabilities(
                axes: [
                    InputCode.x: x, InputCode.y: y, InputCode.contactX: x, InputCode.contactY: y,
                    InputCode.slot: AxisRange(0, Int32(clamping: fingers - 1)),
                    InputCode.trackingID: AxisRange(0, 65535),
                    InputCode.contactTool: AxisRange(0, 2),
                ], keys: [InputCode.touch]), feed: feed)
    }

    /// A touch screen that knows one finger, and not even its name.
    public static func singleTouch(
        _ node: String = "/dev/input/event0", name: String = "Old Screen", feed: Feed = .none
    ) -> ScriptedInput {
        let axis = AxisRange(0, 1023)
        return ScriptedInput(
            InputNode(path: node, name: name, port: "spy/\(name)"),
            InputCapabilities(
                axes: [
                    InputCode.x: axis, InputCode.y: axis, InputCode.pressure: AxisRange(0, 255),
                ],
                keys: [InputCode.touch]), feed: feed)
    }

    /// A remote control, or a headset, with those keys.
    public static func remote(
        _ node: String = "/dev/input/event1", name: String = "Scripted Remote",
        keys: [RemoteKey] = RemoteKey.allCases, feed: Feed = .none
    ) -> ScriptedInput {
        ScriptedInput(
            InputNode(
                path: node, name: name, port: "spy/\(name)",
                properties: ["ID_INPUT": "1", "ID_INPUT_KEY": "1"]),
            InputCapabilities(keys: Set(keys.map(\.rawValue))), feed: feed)
    }

    /// A keyboard with media keys.
    public static func keyboard(
        _ node: String = "/dev/input/event2", name: String = "Scripted Keyboard"
    ) -> ScriptedInput {
        ScriptedInput(
            InputNode(
                path: node, name: name, port: "spy/\(name)",
                properties: ["ID_INPUT": "1", "ID_INPUT_KEY": "1", "ID_INPUT_KEYBOARD": "1"]),
            InputCapabilities(
                keys: Set(1...127).union([RemoteKey.playPause.rawValue, RemoteKey.mute.rawValue])),
            feed: .none)
    }
}
