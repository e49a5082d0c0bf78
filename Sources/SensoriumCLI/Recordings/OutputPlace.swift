import Glibc
import Sensorium

/// The file that a command is to write, which never stands in place of another by accident.
struct OutputPlace {
    /// What the user called it.
    let path: String
    /// Where to write: beside the file, so that one that is replaced stays until the new one is whole.
    ///
    /// The file itself where it is a device or a pipe.
    let draft: String

    /// - Throws: `CommandFailure` when the file is there and `replaces` is false, or is one of
    ///   `inputs`.
    init(_ path: String, replaces: Bool, inputs: [String] = []) throws(CommandFailure) {
        self.path = path
        guard let there = Self.status(of: path) else {
            draft = path + ".part"
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
            draft = path
            return
        }
        guard replaces else {
            throw CommandFailure(
                .inputOutput, "\(path.printable) is there already", hint: "--force replaces it")
        }
        draft = path + ".part"
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
