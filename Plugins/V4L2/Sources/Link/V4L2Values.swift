import Sensorium

/// A node in /dev, and what sysfs and udev say about it without opening it.
package struct VideoNode: Hashable, Sendable {
    /// The node: `/dev/video0`.
    package var path: String
    /// The driver's name of it.
    package var name: String
    /// Its number among the nodes of its device; 0 for the first.
    package var index: Int
    /// Where its device is plugged in: the folder below /sys/devices; nil where unknown.
    package var place: String?
    /// The serial number of its USB device; nil where it has none.
    package var serial: String?
    /// What udev's rules and hardware database say.
    package var properties: [String: String]

    /// Describes a node.
    package init(
        path: String, name: String, index: Int = 0, place: String? = nil, serial: String? = nil,
        properties: [String: String] = [:]
    ) {
        self.path = path
        self.name = name
        self.index = index
        self.place = place
        self.serial = serial
        self.properties = properties
    }
}

/// What an opened node says of itself: VIDIOC_QUERYCAP.
package struct V4L2Capability: Hashable, Sendable {
    /// The driver: `uvcvideo`.
    package var driver: String
    /// The camera.
    package var card: String
    /// Where it is: `usb-0000:00:14.0-1`.
    package var bus: String
    /// What this node can do.
    package var abilities: Abilities

    /// Makes a description.
    package init(driver: String, card: String, bus: String, abilities: Abilities) {
        self.driver = driver
        self.card = card
        self.bus = bus
        self.abilities = abilities
    }

    /// What a node can do: `device_caps` of linux/videodev2.h.
    package struct Abilities: OptionSet, Hashable, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let capture = Abilities(rawValue: 0x0000_0001)
        package static let multiplanarCapture = Abilities(rawValue: 0x0000_1000)
        package static let metadata = Abilities(rawValue: 0x0080_0000)
        package static let streaming = Abilities(rawValue: 0x0400_0000)
    }

    /// Whether the node gives pictures, and not only metadata, or converts some into others.
    package var isCamera: Bool {
        abilities.contains(.streaming)
            && !abilities.isDisjoint(with: [.capture, .multiplanarCapture])
    }

    /// Whether its buffers are described plane by plane.
    package var isMultiplanar: Bool { !abilities.contains(.capture) }
}

/// A picture format as the driver has it.
package struct V4L2Format: Hashable, Sendable {
    /// Pixels in a row.
    package var width: Int
    /// Rows.
    package var height: Int
    /// How the bytes are to be read.
    package var pixels: PixelFormat
    /// From one row to the next; 0 where the driver does not say, or there are no rows.
    package var bytesPerLine: Int
    /// The most that a frame can take.
    package var imageSize: Int
    /// Separate memory planes; 1 for all cameras that this plugin can read.
    package var memoryPlanes: Int

    /// Makes a format.
    package init(
        width: Int, height: Int, pixels: PixelFormat, bytesPerLine: Int = 0, imageSize: Int = 0,
        memoryPlanes: Int = 1
    ) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.bytesPerLine = bytesPerLine
        self.imageSize = imageSize
        self.memoryPlanes = memoryPlanes
    }
}

/// A frame size that a camera offers, or a range of them.
package struct V4L2SizeRange: Hashable, Sendable {
    /// From the least width to the most.
    package var width: ClosedRange<Int>
    /// From the least height to the most.
    package var height: ClosedRange<Int>
    /// Widths between the two are this far apart.
    package var widthStep: Int
    /// Heights between the two are this far apart.
    package var heightStep: Int

    /// Makes a range; nil where the ends are in the wrong order, or no size.
    package init?(
        width: (Int, Int), height: (Int, Int), widthStep: Int = 1, heightStep: Int = 1
    ) {
        guard width.0 > 0, height.0 > 0, width.0 <= width.1, height.0 <= height.1 else {
            return nil
        }
        self.width = width.0...width.1
        self.height = height.0...height.1
        self.widthStep = max(1, widthStep)
        self.heightStep = max(1, heightStep)
    }
}

/// The time between two frames, as a fraction of a second.
package struct V4L2Interval: Hashable, Sendable {
    package var numerator: UInt32
    package var denominator: UInt32

    /// Makes an interval.
    package init(_ numerator: UInt32, _ denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The interval of a rate, to a thousandth of a hertz.
    package init(rate: Double) {
        let thousandths = (max(0.001, min(rate, 4e6)) * 1000).rounded()
        self.init(1000, UInt32(thousandths))
    }

    /// Frames a second; nil where the fraction says nothing.
    package var rate: Double? {
        numerator == 0 || denominator == 0 ? nil : Double(denominator) / Double(numerator)
    }
}

/// The intervals that a camera offers for a format and size.
package enum V4L2IntervalRange: Hashable, Sendable {
    case one(V4L2Interval)
    /// From the shortest to the longest.
    case range(V4L2Interval, V4L2Interval)
}

/// A buffer that holds a frame: VIDIOC_DQBUF.
package struct V4L2Buffer: Hashable, Sendable {
    /// Which buffer.
    package var index: Int
    /// Where the frame ends.
    package var bytesUsed: Int
    /// Where the frame begins.
    package var dataOffset: Int
    /// What the driver says about the frame.
    package var flags: V4L2BufferFlags
    /// The driver's count of frames.
    package var sequence: UInt32
    /// Nanoseconds on the clock that the flags name.
    package var stamp: Int64

    /// Describes a buffer.
    package init(
        index: Int, bytesUsed: Int, dataOffset: Int = 0, flags: V4L2BufferFlags = .monotonic,
        sequence: UInt32 = 0, stamp: Int64 = 0
    ) {
        self.index = index
        self.bytesUsed = bytesUsed
        self.dataOffset = dataOffset
        self.flags = flags
        self.sequence = sequence
        self.stamp = stamp
    }
}

/// What the driver says about a frame: `flags` of `v4l2_buffer` in linux/videodev2.h.
package struct V4L2BufferFlags: OptionSet, Hashable, Sendable {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The frame is damaged.
    package static let error = V4L2BufferFlags(rawValue: 0x40)
    /// The stamp is of CLOCK_MONOTONIC.
    package static let monotonic = V4L2BufferFlags(rawValue: 0x2000)
    /// The stamp is of whoever made the frame.
    package static let copied = V4L2BufferFlags(rawValue: 0x4000)
    /// The stamp is of the start of the exposure, not of the end of the frame.
    package static let startOfExposure = V4L2BufferFlags(rawValue: 0x1_0000)

    /// Which clock the stamp is of: one of the two above, or none.
    package var clock: V4L2BufferFlags { intersection(Self(rawValue: 0xe000)) }
    /// Which moment the stamp is of.
    package var source: V4L2BufferFlags { intersection(Self(rawValue: 0x7_0000)) }
}
