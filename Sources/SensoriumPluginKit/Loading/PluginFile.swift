import Glibc

/// A file that has been found to be a plugin for this host, without running any of it.
public struct PluginFile: Sendable {
    /// Where it was found.
    public let path: String
    /// Where it really is, every link followed.
    ///
    /// The dynamic linker is given this path, so that `$ORIGIN` in the plugin means the folder that
    /// it was installed in.
    public let realPath: String
    /// What it says of itself.
    public let note: PluginNote

    let fingerprint: FileFingerprint

    /// Looks at the file at `path`.
    ///
    /// Never blocks, and never runs or maps anything of it. Opens only regular files: a FIFO is
    /// refused without waiting for a writer, a device without touching its driver.
    ///
    /// - Throws: A refusal that says why the file is no plugin or may not be trusted as one.
    public init(path: String) throws(LoadRefusal) {
        try self.init(path: path, mustBeRoots: false)
    }

    /// The same, for a program that must not run what anybody but root has installed.
    init(path: String, mustBeRoots: Bool) throws(LoadRefusal) {
        guard let status = FileStatus.following(path) else { throw Self.refusal(path: path, errno) }
        try Self.checkFormat(status)

        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.refusal(path: path, errno) }
        defer { Glibc.close(descriptor) }
        // Another file may have taken the name since; from here on only the open one counts.
        var opened = stat()
        guard fstat(descriptor, &opened) == 0 else { throw Self.refusal(path: path, errno) }
        try Self.checkFormat(opened)
        guard !opened.isWorldWritable else {
            throw LoadRefusal(
                "can be changed by every user of this machine (its mode is \(opened.permissions))",
                hint: "look at what it is, then chmod o-w \(path)")
        }

        guard let resolved = realpath(path, nil) else { throw Self.refusal(path: path, errno) }
        defer { free(resolved) }
        self.path = path
        realPath = String(cString: resolved)
        fingerprint = FileFingerprint(opened)
        if mustBeRoots, opened.st_uid != 0 {
            throw LoadRefusal("belongs to user \(opened.st_uid), not to root")
        }
        if realPath != path,
            let fault = FolderSafety.fault(inFolderOf: realPath, mustBeRoots: mustBeRoots)
        {
            throw LoadRefusal(
                "is a link to \(realPath), whose folder \(fault.reason)", hint: fault.hint)
        }

        let bytes = FileBytes(descriptor: descriptor, count: UInt64(max(0, opened.st_size)))
        note = try PluginNote(bytes, image: ELFImage(bytes))
    }

    /// Checks that the file is still the one that was looked at.
    ///
    /// Called right before the dynamic linker maps it. The gap that remains is documented in
    /// docs/decisions/0006: whoever installs a plugin writes it under another name and renames it.
    func checkUnchanged() throws(LoadRefusal) {
        guard FileFingerprint(path: realPath) == fingerprint else {
            throw LoadRefusal("has changed while it was being loaded", hint: "load it again")
        }
    }

    private static func checkFormat(_ status: stat) throws(LoadRefusal) {
        let format =
            switch status.format {
            case S_IFREG: nil as String?
            case S_IFDIR: "a folder"
            case S_IFIFO: "a FIFO"
            case S_IFSOCK: "a socket"
            case S_IFCHR, S_IFBLK: "a device"
            default: "no regular file"
            }
        guard let format else { return }
        throw LoadRefusal("is \(format), not a file", hint: "only shared libraries belong here")
    }

    private static func refusal(path: String, _ code: Int32) -> LoadRefusal {
        switch code {
        case ENOENT where FileStatus.ofLink(path)?.format == S_IFLNK:
            LoadRefusal(
                "is a link to a file that does not exist (\(SystemCall.target(of: path) ?? "?"))",
                hint: "remove it, or install the plugin that it means")
        case ENOENT where path.unicodeScalars.contains("\u{fffd}"):
            // What stands in its name for bytes that are no text does not lead back to it.
            LoadRefusal("cannot be opened: its name is not UTF-8 text", hint: "rename it")
        case ENOENT:
            LoadRefusal("does not exist")
        case EACCES, EPERM:
            LoadRefusal(
                "may not be read by this user (\(geteuid()))", hint: "chmod o+r \(path)")
        case ELOOP:
            LoadRefusal("is a link that leads back to itself", hint: "remove it")
        default:
            LoadRefusal("cannot be opened: \(SystemCall.message(code))")
        }
    }
}

/// What the C library says in words.
enum SystemCall {
    /// The text of an `errno`.
    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(code)" }
            guard strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
            return String(cString: start)
        }
    }

    /// Where a symbolic link points, or `nil` when it is none.
    static func target(of path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink(path, start, Int(PATH_MAX))
            guard length >= 0 else { return nil }
            buffer[length] = 0
            return String(cString: start)
        }
    }
}
