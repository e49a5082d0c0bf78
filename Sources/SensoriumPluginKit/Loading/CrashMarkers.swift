import CSensoriumHost
import Glibc

/// Remembers which plugin files crashed a program in their first calls.
///
/// Before a plugin's first call a marker is written, a small file, and it is removed after the
/// plugin has looked for sensors. A crash in between is written into the marker, and the next start
/// refuses that file, until it is replaced or allowed again. That a process was only ended
/// meanwhile (Ctrl-C, SIGTERM, SIGKILL, a power cut) is not held against the plugin.
///
/// While markers are there, and only then, the signals of a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE,
/// SIGTRAP, SIGABRT, SIGSYS) are noticed on their way to whatever handled them before. See
/// docs/decisions/0005.
public struct CrashMarkers: Sendable {
    /// Where the markers lie.
    public let folder: String

    /// Keeps markers in `folder`, which is made when it is needed.
    public init(folder: String) { self.folder = folder }

    /// Keeps markers in `$XDG_STATE_HOME/sensorium`; nil where the user has no such place, or where
    /// the program has other rights than its user and so does not trust the environment.
    public init?(_ surroundings: ProcessSurroundings = .current) {
        guard !surroundings.isPrivileged,
            let base = surroundings.folder("XDG_STATE_HOME", orInHome: ".local/state")
        else { return nil }
        self.init(folder: "\(base)/sensorium")
    }

    /// Lets the file at `path` be loaded again.
    ///
    /// - Returns: whether it was refused for a crash.
    /// - Throws: a refusal when there is no such file.
    @discardableResult
    public func allow(_ path: String) throws(LoadRefusal) -> Bool {
        guard let file = FileFingerprint(path: path) else { throw LoadRefusal("does not exist") }
        let markers = markers(of: file).filter { $0.state.isCrash }
        for marker in markers { unlink(marker.path) }
        return !markers.isEmpty
    }

    /// Why a file is refused; nil where it is not.
    ///
    /// Removes markers that say nothing any more.
    func refusal(of file: FileFingerprint, path: String) -> LoadRefusal? {
        var refusal: LoadRefusal?
        for marker in markers(of: file) {
            if marker.modified != file.modified {
                // The file was replaced since.
                if !marker.isOfLivingProcess { unlink(marker.path) }
            } else if case .crash(let how) = marker.state {
                refusal = LoadRefusal(
                    "ended the program that loaded it before: it \(how) in one of its first calls",
                    hint: "replace it, or try it again after: sensorium plugins allow \(path)")
            } else if !marker.isOfLivingProcess {
                unlink(marker.path)
            }
        }
        return refusal
    }

    /// Writes a marker for a file; nil, and the plugin is loaded without, where that is impossible.
    func begin(_ file: FileFingerprint, path: String) -> CrashMarker? {
        guard makeFolder(), let process = ProcessIdentity.current else { return nil }
        let name = "\(folder)/\(Self.prefix(file.identity))\(file.modified)-\(process.pid)-"
        // A number, since one process may load a file more than once.
        for number in 0..<64 {
            let marker = name + String(number)
            let descriptor = open(marker, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { return nil }
            let text =
                CrashMarker.loadingLine + "pid \(process.pid)\nstarted \(process.started)\n"
                + "boot \(process.boot)\nfile \(path)\n"
            let written = text.utf8CString.withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count - 1)
            }
            guard written == text.utf8.count,
                let begun = CrashMarker(path: marker, descriptor: descriptor)
            else {
                close(descriptor)
                unlink(marker)
                return nil
            }
            return begun
        }
        return nil
    }

    private func makeFolder() -> Bool {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, errno != EEXIST { return false }
        }
        return FolderSafety.fault(in: folder) == nil
    }

    private static func prefix(_ file: FileFingerprint.Identity) -> String {
        "plugin-\(String(file.device, radix: 16))-\(file.inode)-"
    }

    private func markers(of file: FileFingerprint) -> [FoundMarker] {
        let prefix = Self.prefix(file.identity)
        return FolderListing.names(in: folder, where: { $0.hasPrefix(prefix) })?.compactMap {
            FoundMarker(path: "\(folder)/\($0)", modified: $0.dropFirst(prefix.count))
        } ?? []
    }
}

/// A marker that an earlier start, or another process, has left.
private struct FoundMarker {
    enum State {
        case loading
        case crash(String)

        var isCrash: Bool {
            if case .crash = self { true } else { false }
        }
    }

    let path: String
    let modified: Int64
    let state: State
    let isOfLivingProcess: Bool

    init?(path: String, modified: Substring) {
        guard let time = Int64(modified.prefix { $0 != "-" }),
            let text = SmallFile.text(of: path)
        else { return nil }
        self.path = path
        self.modified = time
        var lines = text.split(separator: "\n").makeIterator()
        let first = lines.next()?.split(separator: " ").joined(separator: " ") ?? ""
        if first.hasPrefix("crashed ") {
            state = .crash("crashed (\(first.dropFirst("crashed ".count)))")
        } else if first.hasPrefix("called ") {
            state = .crash(first)
        } else {
            state = .loading
        }
        var values: [Substring: String] = [:]
        while let line = lines.next(), let space = line.firstIndex(of: " ") {
            values[line[..<space]] = String(line[line.index(after: space)...])
        }
        let owner = ProcessIdentity(
            pid: values["pid"].flatMap { Int32($0) } ?? 0, started: values["started"] ?? "",
            boot: values["boot"] ?? "")
        isOfLivingProcess = owner.isAlive
    }
}
