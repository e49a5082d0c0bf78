import SensoriumImages

/// A file that frames of a camera are saved to; what it is, the end of its name says.
struct PictureFile: Hashable, Sendable {
    /// As the user wrote it.
    let path: String
    let format: Format

    /// What can be written.
    enum Format: String, CaseIterable, Sendable {
        case png
        case jpeg
        case y4m

        /// Whether it holds one frame only.
        var isPicture: Bool { self != .y4m }

        /// What the end of a file's name asks for; nil where it does not say.
        init?(of path: String) {
            guard let dot = path.lastIndex(of: ".") else { return nil }
            let ending = path[path.index(after: dot)...].lowercased()
            self.init(rawValue: ending == "jpg" ? "jpeg" : ending)
        }
    }

    /// A value of `--save`.
    static let form = ValueForm(
        expectation: "a file whose name ends in .png, .jpg or .y4m", completion: .file
    ) { text -> PictureFile? in
        Format(of: text).map { PictureFile(path: text, format: $0) }
    }

    /// Looks whether this build can write it, before anybody waits for frames.
    func check() throws(CommandFailure) {
        guard format == .png, let dot = Picture(width: 1, height: 1) else { return }
        do throws(ImageError) { _ = try PNG.encode(dot) } catch {
            throw CommandFailure(error, path)
        }
    }
}

extension CommandFailure {
    /// The failure of a command that cannot write a picture.
    init(_ error: ImageError, _ path: String) {
        self.init(
            error.condition == .malformed ? .badData : .unavailable,
            "\(path.printable) cannot be written: \(error.reason)", hint: error.hint)
    }
}
