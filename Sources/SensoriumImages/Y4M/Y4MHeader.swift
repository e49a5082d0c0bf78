/// The first line of a Y4M file: what its frames are.
///
/// Source: the description of YUV4MPEG2 in mjpegtools' yuv4mpeg(5), and FFmpeg's `XCOLORRANGE`.
public struct Y4MHeader: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int
    /// Frames a second; nil where the file does not know.
    public var rate: FrameRate?
    /// How many pixels share a colour.
    public var sampling: Sampling
    /// Which numbers are black and white; nil where the file does not say, which means limited.
    public var range: ColorEncoding.Range?

    /// Makes a header.
    public init(
        width: Int, height: Int, rate: FrameRate?, sampling: Sampling,
        range: ColorEncoding.Range? = nil
    ) {
        self.width = width
        self.height = height
        self.rate = rate
        self.sampling = sampling
        self.range = range
    }

    /// How many pixels share a colour.
    public enum Sampling: String, Sendable, Hashable, CaseIterable {
        /// Two by two.
        case two420 = "420"
        /// Two side by side.
        case two422 = "422"
        /// None.
        case one444 = "444"
        /// There are no colours.
        case mono
    }

    /// Frames in so many seconds.
    public struct FrameRate: Sendable, Hashable {
        /// Above zero.
        public var frames: Int
        /// Above zero.
        public var seconds: Int

        /// Makes a rate; nil for what is none.
        public init?(frames: Int, seconds: Int) {
            guard frames > 0, seconds > 0 else { return nil }
            self.frames = frames
            self.seconds = seconds
        }

        /// The fraction that says a rate in hertz, to a thousandth; nil for what is none.
        public init?(hertz: Double) {
            guard hertz.isFinite, hertz >= 0.001, hertz <= 1e6 else { return nil }
            let thousandths = Int((hertz * 1000).rounded())
            if thousandths % 1000 == 0 {
                self.init(frames: thousandths / 1000, seconds: 1)
            } else {
                self.init(frames: thousandths, seconds: 1000)
            }
        }

        /// In hertz.
        public var hertz: Double { Double(frames) / Double(seconds) }
    }

    /// The longest line that is believed.
    static let lengthLimit = 1024

    /// What the first line of a file begins with.
    static let magic = Array("YUV4MPEG2".utf8)

    /// Reads the line, without its end.
    ///
    /// - Throws: `.malformed`, `.unsupported` for another sampling or more than eight bits, `.tooLarge`.
    init(line: String) throws(ImageError) {
        let words = line.split(separator: " ")
        guard words.first == "YUV4MPEG2" else {
            throw ImageError(.malformed, "it does not begin with YUV4MPEG2")
        }
        var (width, height) = (0, 0)
        rate = nil
        sampling = .two420
        range = nil
        for word in words.dropFirst() {
            let value = word.dropFirst()
            switch word.first {
            case "W": width = Int(value) ?? 0
            case "H": height = Int(value) ?? 0
            case "F":
                let parts = value.split(separator: ":").map { Int($0) }
                if parts.count == 2, let frames = parts[0], let seconds = parts[1] {
                    rate = FrameRate(frames: frames, seconds: seconds)
                }
            case "C": sampling = try Self.sampling(String(value))
            case "X":
                if value == "COLORRANGE=FULL" { range = .full }
                if value == "COLORRANGE=LIMITED" { range = .limited }
            default: break  // interlacing and the shape of pixels change no byte
            }
        }
        guard Picture.isPossible(width, height) else { throw .size(width, height) }
        (self.width, self.height) = (width, height)
    }

    private static func sampling(_ name: String) throws(ImageError) -> Sampling {
        switch name {
        case "420", "420jpeg", "420mpeg2", "420paldv": return .two420
        case "422": return .two422
        case "444": return .one444
        case "mono": return .mono
        default:
            throw ImageError(
                .unsupported, "its colour space is \(name.prefix(32))",
                hint: "convert it: ffmpeg -i FILE -pix_fmt yuv420p OUT.y4m")
        }
    }

    /// The line, with its end.
    public var line: [UInt8] {
        var text = "YUV4MPEG2 W\(width) H\(height)"
        text += " F\(rate?.frames ?? 0):\(rate?.seconds ?? 0) Ip A1:1"
        text += " C\(sampling == .two420 ? "420mpeg2" : sampling.rawValue)"
        if let range { text += " XCOLORRANGE=\(range == .full ? "FULL" : "LIMITED")" }
        return Array(text.utf8) + [0x0a]
    }

    /// The size of the planes of a colour.
    var colorSize: (width: Int, height: Int) {
        switch sampling {
        case .two420: ((width + 1) / 2, (height + 1) / 2)
        case .two422: ((width + 1) / 2, height)
        case .one444: (width, height)
        case .mono: (0, 0)
        }
    }

    /// The bytes of a frame, without its line.
    var frameLength: Int { width * height + 2 * colorSize.width * colorSize.height }
}
