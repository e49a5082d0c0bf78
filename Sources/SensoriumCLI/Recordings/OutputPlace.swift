import Glibc
import Sensorium

/// The file that a command is to write, which never stands in place of another by accident.
struct OutputPlace {
    /// What the user called it.
    let path: String
    /// Where to write: beside the file, so that one that is replaced stays until the new one is whole.
    ///
    /// The file itself where it is a device or a pipe, or is to be read while it is written.
    let draft: String

    /// - Parameter isDirect: whether the file itself is written from the start, as for a recording,
    ///   of which what is there is worth something at every moment.
    /// - Throws: `CommandFailure` when the file is there and `replaces` is false, or is one of
    ///   `inputs`.
    init(
        _ path: String, replaces: Bool, inputs: [String] = [], isDirect: Bool = false
    ) throws(CommandFailure) {
        self.path = path
        let draft = isDirect ? path : path + ".part"
        guard let there = Self.status(of: path) else {
            self.draft = draft
            return
        }
        for input in inputs {
            guard let other = Self.status(of: input) else { continue }
            if other.st_dev == there.st_dev, other.st_ino == there.st_ino {
                throw .misuse(
                    "\(path.printable) is the file that is read", hint: "write to another")
            }
        }
        if there.st_mode & S_IFMT != S_IFREG {
            self.draft = path
            return
        }
        guard replaces else {
            throw CommandFailure(
                .inputOutput, "\(path.printable) is there already", hint: "--force replaces it")
        }
        self.draft = draft
    }

    /// Puts the finished draft in its place.
    func settle() throws(CommandFailure) {
        if draft == path { return }
        if rename(draft, path) != 0 {
            let reason = FileError(code: errno)
            discard()
            throw CommandFailure(
                .inputOutput, "\(path.printable) cannot be written: \(reason)",
                hint: "is there a folder of that name?")
        }
    }

    /// Takes an unfinished draft away.
    func discard() { if draft != path { unlink(draft) } }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
