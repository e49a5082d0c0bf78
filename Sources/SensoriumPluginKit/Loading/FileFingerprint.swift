import Glibc

/// Which file something is, whatever its path, and whether it is still the same.
struct FileFingerprint: Sendable, Hashable {
    /// One file on one file system: the same behind every link to it.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var inode: UInt64
    }

    var identity: Identity
    /// In bytes.
    var size: Int64
    /// CLOCK_REALTIME, in nanoseconds.
    var modified: Int64

    init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        let (seconds, _) = Int64(status.st_mtim.tv_sec)
            .multipliedReportingOverflow(by: 1_000_000_000)
        modified = seconds &+ Int64(status.st_mtim.tv_nsec)
    }

    /// The file behind a path, links followed, or `nil` when there is none.
    init?(path: String) {
        guard let status = FileStatus.following(path) else { return nil }
        self.init(status)
    }
}

/// The two ways to ask the kernel about a path.
enum FileStatus {
    static func following(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    static func ofLink(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}

extension stat {
    /// The kind of file, for `S_IFREG` and its like.
    var format: mode_t { st_mode & S_IFMT }

    /// Whether everybody on the machine may write to it.
    var isWorldWritable: Bool { st_mode & S_IWOTH != 0 }

    /// The permission bits as `chmod` takes them: `0755`.
    var permissions: String {
        let digits = String(st_mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
