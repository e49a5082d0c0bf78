import Sensorium
import V4L2Plugin

/// A camera as a test describes it: what its driver would say, well or badly.
public struct ScriptedCamera: Sendable {
    /// Its node: `/dev/video0`.
    public var node: String
    /// The driver's name of it.
    public var name: String
    /// Where it is plugged in, below /sys/devices.
    public var place: String
    /// The serial number of its USB device; nil where it has none.
    public var serial: String?
    /// Its number among the nodes of its device.
    public var index: Int
    /// What the node can do.
    public var abilities: Abilities
    /// What it offers; the first one is what it stands at.
    public var modes: [Mode]
    /// Bytes that it adds to each row.
    public var padding: Int
    /// Whether it pads the last row, too.
    public var padsLastRow: Bool
    /// The most buffers that it gives.
    public var mostBuffers: Int
    /// Which clock its stamps are of, and of which moment.
    public var stamps: Stamps
    /// Where its frames come from.
    public var feed: Feed
    /// What it says against all reason.
    public var lies: Lies

    /// What a node can do.
    public struct Abilities: OptionSet, Sendable {
        /// The bits of `device_caps`.
        public var rawValue: UInt32
        /// Makes abilities of those bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It gives pictures.
        public static let capture = Abilities(rawValue: 0x0000_0001)
        /// It gives pictures, and describes buffers plane by plane.
        public static let multiplanarCapture = Abilities(rawValue: 0x0000_1000)
        /// It converts pictures.
        public static let conversion = Abilities(rawValue: 0x0000_4000)
        /// It gives what goes with pictures, but none.
        public static let metadata = Abilities(rawValue: 0x0080_0000)
        /// It gives them in mapped buffers.
        public static let streaming = Abilities(rawValue: 0x0400_0000)
    }

    /// A format with its sizes and rates.
    public struct Mode: Sendable {
        /// The format.
        public var pixels: PixelFormat
        /// The sizes.
        public var sizes: [(width: Int, height: Int)]
        /// The rates in hertz, at all of those sizes; empty for a driver that lists none.
        public var rates: [Double]

        /// Describes a format.
        public init(_ pixels: PixelFormat, _ sizes: [(Int, Int)], rates: [Double] = [30]) {
            self.pixels = pixels
            self.sizes = sizes.map { (width: $0.0, height: $0.1) }
            self.rates = rates
        }
    }

    /// What stamps are like.
    public enum Stamps: Sendable {
        /// CLOCK_MONOTONIC, of the end of the frame.
        case monotonic
        /// CLOCK_MONOTONIC, of the start of the exposure, that much before the end of the frame.
        case exposure(Duration)
        /// UTC, and the driver does not say so.
        case unsaid
        /// Whatever somebody put in: v4l2loopback.
        case copied(Int64)
    }

    /// Where the frames of a camera come from.
    public enum Feed: Sendable {
        /// From the test, frame by frame.
        case pushed
        /// By themselves, at the rate that was set.
        case steady
        /// By themselves, this many, each as soon as there is a buffer for it.
        case burst(Int)
    }

    /// What a driver can say against all reason.
    public struct Lies: Sendable {
        /// What S_FMT settles on, whatever was asked.
        public var settled: Answer?
        /// What G_FMT says once there are buffers: somebody changed it in between.
        public var afterBuffers: Answer?
        /// How long buffers are.
        public var bufferLength: Int?
        /// How many buffers REQBUFS says there are.
        public var bufferCount: Int?

        /// Tells the truth.
        public init() {}

        /// What a driver can say of a format.
        public struct Answer: Sendable {
            /// The format.
            public var pixels: PixelFormat
            /// Pixels in a row.
            public var width: Int
            /// Rows.
            public var height: Int
            /// From one row to the next.
            public var bytesPerLine: Int
            /// The most that a frame can take.
            public var imageSize: Int
            /// Separate memory planes.
            public var memoryPlanes: Int

            /// Makes an answer.
            public init(
                _ pixels: PixelFormat, _ width: Int, _ height: Int, bytesPerLine: Int,
                imageSize: Int, memoryPlanes: Int = 1
            ) {
                self.pixels = pixels
                self.width = width
                self.height = height
                self.bytesPerLine = bytesPerLine
                self.imageSize = imageSize
                self.memoryPlanes = memoryPlanes
            }
        }
    }

    /// Describes a camera; by default a USB webcam.
    public init(
        node: String = "/dev/video0", name: String = "HD Webcam",
        place: String = "pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0", serial: String? = nil,
        index: Int = 0, abilities: Abilities = [.capture, .streaming],
        modes: [Mode] = Self.webcamModes, padding: Int = 0, feed: Feed = .pushed
    ) {
        self.node = node
        self.name = name
        self.place = place
        self.serial = serial
        self.index = index
        self.abilities = abilities
        self.modes = modes
        self.padding = padding
        self.feed = feed
        padsLastRow = true
        mostBuffers = 32
        stamps = .monotonic
        lies = Lies()
    }

    /// What a common webcam offers: raw pictures slowly, JPEG fast.
    public static let webcamModes = [
        Mode(.yuyv, [(640, 480), (320, 240)], rates: [15, 30]),
        Mode(.yuyv, [(1280, 720)], rates: [10]),
        Mode(.mjpeg, [(640, 480), (1280, 720), (1920, 1080)], rates: [15, 30]),
    ]

    /// A camera of one format and size.
    public static func fixed(
        _ pixels: PixelFormat, _ width: Int, _ height: Int, rates: [Double] = [30],
        padding: Int = 0, feed: Feed = .pushed
    ) -> ScriptedCamera {
        ScriptedCamera(
            modes: [Mode(pixels, [(width, height)], rates: rates)], padding: padding, feed: feed)
    }
}

extension ScriptedCamera {
    /// The node beside a camera's own that gives only metadata.
    public static func metadata(node: String = "/dev/video1") -> ScriptedCamera {
        ScriptedCamera(
            node: node, index: 1, abilities: [.metadata, .streaming], modes: [])
    }

    /// The formats of its modes, each once.
    var formats: [PixelFormat] {
        var seen: Set<PixelFormat> = []
        return modes.map(\.pixels).filter { seen.insert($0).inserted }
    }

    var asNode: VideoNode {
        VideoNode(path: node, name: name, index: index, place: place, serial: serial)
    }

    /// What the driver makes of a wish.
    func settled(_ wish: V4L2Format) -> V4L2Format {
        if let answer = lies.settled { return answer.asFormat }
        let own = modes.filter { $0.pixels == wish.pixels }
        let mode = own.first ?? modes.first ?? Mode(.grey, [(1, 1)])
        let sizes = (own.isEmpty ? [mode] : own).flatMap(\.sizes)
        let nearest = sizes.min { a, b in
            abs(a.width - wish.width) + abs(a.height - wish.height)
                < abs(b.width - wish.width) + abs(b.height - wish.height)
        }
        let size = nearest ?? (width: 1, height: 1)
        return Self.format(mode.pixels, size.width, size.height, padding: padding)
    }

    static func format(
        _ pixels: PixelFormat, _ width: Int, _ height: Int, padding: Int
    ) -> V4L2Format {
        let even = (width + 1) / 2 * 2
        let (row, rows): (Int, Int) =
            switch pixels {
            case .yuyv: (even * 2, height)
            case .nv12: (even, height + (height + 1) / 2)
            case .rgb24: (width * 3, height)
            case .grey: (width, height)
            default: (0, 0)
            }
        return V4L2Format(
            width: width, height: height, pixels: pixels,
            bytesPerLine: row == 0 ? 0 : row + padding,
            // Compressed frames are given room for what they may take at most.
            imageSize: row == 0 ? width * height * 2 : (row + padding) * rows)
    }

    /// The rates at a format and size.
    func rates(of pixels: PixelFormat, _ width: Int, _ height: Int) -> [Double] {
        modes.first { mode in
            mode.pixels == pixels && mode.sizes.contains { $0 == (width, height) }
        }?.rates ?? []
    }
}

extension ScriptedCamera.Lies.Answer {
    var asFormat: V4L2Format {
        V4L2Format(
            width: width, height: height, pixels: pixels, bytesPerLine: bytesPerLine,
            imageSize: imageSize, memoryPlanes: memoryPlanes)
    }
}
