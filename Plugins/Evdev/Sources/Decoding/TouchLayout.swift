/// The values that an axis can have: EVIOCGABS.
package struct AxisRange: Hashable, Sendable {
    package var minimum: Int32
    package var maximum: Int32
    /// Units per millimetre; 0 where the device does not say.
    package var resolution: Int32

    /// Describes an axis.
    package init(_ minimum: Int32, _ maximum: Int32, resolution: Int32 = 0) {
        self.minimum = minimum
        self.maximum = maximum
        self.resolution = resolution
    }

    /// From the least value to the most; negative for an axis that runs the other way.
    package var span: Double { Double(maximum) - Double(minimum) }

    /// How long it is in millimetres; nil where the device does not say.
    package var millimetres: Double? {
        resolution > 0 && span != 0 ? abs(span) / Double(resolution) : nil
    }
}

/// What an opened input device says that it can tell.
package struct InputCapabilities: Hashable, Sendable {
    /// Its axes, by code.
    package var axes: [UInt16: AxisRange]
    /// Its keys and buttons.
    package var keys: Set<UInt16>

    /// Describes a device.
    package init(axes: [UInt16: AxisRange] = [:], keys: Set<UInt16> = []) {
        self.axes = axes
        self.keys = keys
    }
}

/// How a touch screen tells of touches.
package struct TouchLayout: Hashable, Sendable {
    /// The ways in which screens tell of contacts.
    ///
    /// Source: Documentation/input/multi-touch-protocol.rst of the kernel.
    package enum Style: Hashable, Sendable {
        /// Every contact has a slot, and only what changes is told: protocol B.
        case slots(Int)
        /// Every frame lists all contacts, in no certain order: protocol A.
        case lists
        /// One contact, which a button tells of.
        case single
    }

    /// How it tells.
    package var style: Style
    /// The axis across.
    package var x: AxisRange
    /// The axis down.
    package var y: AxisRange
    /// The axis of pressure; nil where the screen does not measure it.
    package var pressure: AxisRange?

    /// More slots than any hand has fingers; numbers beyond are not believed.
    package static let mostSlots = 64

    /// Makes a layout.
    package init(_ style: Style, x: AxisRange, y: AxisRange, pressure: AxisRange? = nil) {
        self.style = style
        self.x = x
        self.y = y
        self.pressure = pressure
    }

    /// Finds out how a device tells.
    package init(_ device: InputCapabilities) throws(EvdevFault) {
        let axes = device.axes
        let hasContacts = axes[InputCode.contactX] != nil && axes[InputCode.contactY] != nil
        let x = hasContacts ? axes[InputCode.contactX] : axes[InputCode.x]
        let y = hasContacts ? axes[InputCode.contactY] : axes[InputCode.y]
        guard let x, let y else {
            throw EvdevFault(.unsupported, "it has no two axes to touch")
        }
        for (name, range) in [("x", x), ("y", y)] where range.span == 0 {
            throw EvdevFault(
                .malformed,
                "its \(name) axis runs from \(range.minimum) to \(range.maximum), so that no place "
                    + "on it can be told",
                hint: "give it the range it has: an EVDEV_ABS_ line in /etc/udev/hwdb.d, see "
                    + "'systemd-hwdb'; 'evemu-describe' shows what the driver says")
        }
        var pressure = axes[hasContacts ? InputCode.contactPressure : InputCode.pressure]
        if pressure?.span == 0 { pressure = nil }
        let style: Style
        if hasContacts, let slots = axes[InputCode.slot] {
            style = .slots(max(1, min(Int(slots.maximum) + 1, Self.mostSlots)))
        } else {
            style = hasContacts ? .lists : .single
        }
        if style == .single, !device.keys.contains(InputCode.touch) {
            throw EvdevFault(.unsupported, "it does not tell when it is touched (BTN_TOUCH)")
        }
        self.init(style, x: x, y: y, pressure: pressure)
    }
}
