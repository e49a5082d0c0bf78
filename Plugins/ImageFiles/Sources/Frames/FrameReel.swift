import SensoriumImages

/// The frames of a file or a folder, one after another.
///
/// Which kind a file is, its first bytes say. A stream of JPEG may have anything between its pictures: a
/// recorded web camera (multipart), or an AVI file of JPEG pictures.
final class FrameReel {
    /// What comes next.
    enum Step {
        /// A frame.
        case frame(RawFrame)
        /// One that cannot be read; others may follow.
        case damage(ImageFileFault)
    }

    private let medium: any FrameMedium

    /// How many bytes are read at once.
    static let pieceLength = 1 << 18

    /// Opens what lies at a path.
    init(_ path: String, _ link: any ImageFilesLink) throws(ImageFileFault) {
        if case .folder(let names) = try link.look(path) {
            medium = try PictureSeries(names, in: path, link)
            return
        }
        if path.isPictureName {
            medium = try PictureSeries(of: path, link)
            return
        }
        let file = try link.open(path)
        let head = try file.read(Self.pieceLength)
        switch PictureKind(head) {
        case .y4m: medium = FrameFile(Y4MDecoder(), path, file, head: head)
        case .jpeg, .containsJPEG: medium = FrameFile(MJPEGDecoder(), path, file, head: head)
        case .png: medium = try PictureSeries(of: path, link)
        case nil:
            throw head.isEmpty
                ? .empty(path)
                : ImageFileFault(
                    .unsupported, path, reason: "it is neither Y4M nor JPEG nor PNG",
                    hint: "convert it: ffmpeg -i FILE -c:v mjpeg -q:v 3 OUT.mjpeg")
        }
    }

    /// Frames a second, where the file says so; known once the first frame was read.
    var rate: Double? { medium.rate }

    /// The next frame; nil at the end.
    ///
    /// - Throws: a fault behind which nothing can be read.
    func next() throws(ImageFileFault) -> Step? { try medium.next() }
}

/// Where frames come from.
protocol FrameMedium: AnyObject {
    var rate: Double? { get }
    func next() throws(ImageFileFault) -> FrameReel.Step?
}

/// Finds frames in bytes that come piece by piece.
protocol FrameDecoder {
    var rate: Double? { get }
    mutating func append(_ bytes: [UInt8])
    mutating func nextEvent() throws(ImageError) -> FrameEvent?
    mutating func finish() -> FrameEvent?
}

extension Y4MDecoder: FrameDecoder {
    var rate: Double? { header?.rate?.hertz }

    mutating func nextEvent() throws(ImageError) -> FrameEvent? { try next() }
}

extension MJPEGDecoder: FrameDecoder {
    var rate: Double? { nil }

    mutating func nextEvent() throws(ImageError) -> FrameEvent? { next() }
}

/// A file of many frames.
private final class FrameFile<Decoder: FrameDecoder>: FrameMedium {
    private var decoder: Decoder
    private let path: String
    private let file: any OpenImageFile
    private var hasEnded = false

    init(_ decoder: Decoder, _ path: String, _ file: any OpenImageFile, head: [UInt8]) {
        self.decoder = decoder
        self.path = path
        self.file = file
        self.decoder.append(head)
    }

    var rate: Double? { decoder.rate }

    func next() throws(ImageFileFault) -> FrameReel.Step? {
        while true {
            let event: FrameEvent?
            do throws(ImageError) {
                event = try hasEnded ? decoder.finish() : decoder.nextEvent()
            } catch {
                throw ImageFileFault(error, path)
            }
            switch event {
            case .frame(let frame): return .frame(frame)
            case .damage(let error): return .damage(ImageFileFault(error, path))
            case nil where hasEnded: return nil
            case nil:
                let bytes = try file.read(FrameReel.pieceLength)
                hasEnded = bytes.isEmpty
                decoder.append(bytes)
            }
        }
    }
}
