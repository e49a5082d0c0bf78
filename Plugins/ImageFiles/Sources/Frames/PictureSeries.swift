import SensoriumImages

/// Pictures in files of their own, in the order of their names.
final class PictureSeries: FrameMedium {
    private let paths: [String]
    private let link: any ImageFilesLink
    private var place = 0

    /// The largest file that is read, in bytes.
    private static let largestFile = 1 << 28

    /// The pictures of a folder, by their names.
    init(
        _ names: [String], in folder: String, _ link: any ImageFilesLink
    ) throws(ImageFileFault) {
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        paths = names.filter(\.isPictureName).sorted { $0.comesBefore($1) }.map { base + $0 }
        self.link = link
        if paths.isEmpty {
            throw ImageFileFault(
                .malformed, folder, reason: "the folder holds no JPEG or PNG picture",
                hint: "their names end in .jpg, .jpeg or .png")
        }
    }

    /// One picture.
    init(of path: String, _ link: any ImageFilesLink) throws(ImageFileFault) {
        paths = [path]
        self.link = link
        // What cannot be opened is no damage, but the end.
        _ = try link.open(path)
    }

    var rate: Double? { nil }

    func next() throws(ImageFileFault) -> FrameReel.Step? {
        guard place < paths.count else { return nil }
        let path = paths[place]
        place += 1
        do throws(ImageFileFault) {
            return .frame(try Self.picture(try bytes(of: path), path))
        } catch {
            return .damage(error)
        }
    }

    private func bytes(of path: String) throws(ImageFileFault) -> [UInt8] {
        let file = try link.open(path)
        var bytes: [UInt8] = []
        while true {
            let piece = try file.read(FrameReel.pieceLength)
            if piece.isEmpty { return bytes }
            bytes += piece
            if bytes.count > Self.largestFile {
                throw ImageFileFault(
                    .unsupported, path, reason: "it is larger than 256 MiB", hint: "make it smaller"
                )
            }
        }
    }

    private static func picture(_ bytes: [UInt8], _ path: String) throws(ImageFileFault) -> RawFrame
    {
        do throws(ImageError) {
            switch PictureKind(bytes) {
            case .jpeg: return try RawFrame(jpeg: bytes)
            case .png: return RawFrame(try PNG.decode(bytes))
            default:
                throw ImageError(
                    .malformed, bytes.isEmpty ? "it is empty" : "it is neither JPEG nor PNG")
            }
        } catch {
            throw ImageFileFault(error, path)
        }
    }
}
