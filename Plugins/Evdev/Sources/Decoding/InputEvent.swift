/// One event of an input device, as the kernel tells it.
package struct InputEvent: Hashable, Sendable {
    /// What kind of thing changed: `InputCode.absolute`, `.key`, `.sync`.
    package var type: UInt16
    /// Which of them.
    package var code: UInt16
    /// What it is now.
    package var value: Int32
    /// When, in nanoseconds on the clock that the device was told to use.
    package var stamp: Int64

    /// Makes an event.
    @inlinable
    package init(_ type: UInt16, _ code: UInt16, _ value: Int32, stamp: Int64 = 0) {
        self.type = type
        self.code = code
        self.value = value
        self.stamp = stamp
    }
}

/// Numbers of linux/input-event-codes.h.
package enum InputCode {
    // Types.
    package static let sync: UInt16 = 0x00
    package static let key: UInt16 = 0x01
    package static let absolute: UInt16 = 0x03

    // Of type `sync`.
    package static let report: UInt16 = 0
    package static let contactReport: UInt16 = 2
    package static let dropped: UInt16 = 3

    // Of type `absolute`.
    package static let x: UInt16 = 0x00
    package static let y: UInt16 = 0x01
    package static let pressure: UInt16 = 0x18
    package static let slot: UInt16 = 0x2f
    package static let contactX: UInt16 = 0x35
    package static let contactY: UInt16 = 0x36
    package static let contactTool: UInt16 = 0x37
    package static let trackingID: UInt16 = 0x39
    package static let contactPressure: UInt16 = 0x3a

    // Of type `key`.
    package static let penTool: UInt16 = 0x140
    package static let fingerTool: UInt16 = 0x145
    package static let touch: UInt16 = 0x14a

    /// Every axis that is read.
    package static let axes: [UInt16] = [
        x, y, pressure, slot, contactX, contactY, contactTool, trackingID, contactPressure,
    ]
}

/// What the kernel says is true of a device now: after opening it, and after it has lost events.
package struct InputState: Hashable, Sendable {
    /// A slot of a device that tracks its contacts: EVIOCGMTSLOTS.
    package struct Slot: Hashable, Sendable {
        /// Which contact is in it; -1 for none.
        package var trackingID: Int32
        package var x: Int32
        package var y: Int32
        package var pressure: Int32
        /// MT_TOOL_...: 0 is a finger.
        package var tool: Int32

        /// Describes a slot.
        package init(
            trackingID: Int32 = -1, x: Int32 = 0, y: Int32 = 0, pressure: Int32 = 0,
            tool: Int32 = 0
        ) {
            self.trackingID = trackingID
            self.x = x
            self.y = y
            self.pressure = pressure
            self.tool = tool
        }
    }

    /// The slots, in order; empty for a device without.
    package var slots: [Slot]
    /// The slot that events without a number of their own are about.
    package var currentSlot: Int
    /// The values of the axes that belong to no slot, by code.
    package var axes: [UInt16: Int32]
    /// The keys that are down.
    package var keys: Set<UInt16>

    /// Describes a device.
    package init(
        slots: [Slot] = [], currentSlot: Int = 0, axes: [UInt16: Int32] = [:],
        keys: Set<UInt16> = []
    ) {
        self.slots = slots
        self.currentSlot = currentSlot
        self.axes = axes
        self.keys = keys
    }
}

/// What a decoder makes of an event.
package enum DecodingStep: Sendable {
    /// Nothing yet: its frame goes on.
    case more
    /// A frame has ended, and there may be readings of it.
    case frame
    /// The kernel has lost events; the decoder must be told what is true now.
    case mustResync
}
