import Glibc

/// One process, told apart from a later one that has the same number.
struct ProcessIdentity {
    var pid: Int32
    /// When it was started, in clock ticks since boot, as /proc says it.
    ///
    /// Source: proc(5).
    var started: String
    /// The boot that it lives in.
    var boot: String

    init(pid: Int32, started: String, boot: String) {
        self.pid = pid
        self.started = started
        self.boot = boot
    }

    /// This process; nil where /proc is not mounted.
    static var current: ProcessIdentity? {
        guard let started = startTime(of: getpid()), let boot = currentBoot else { return nil }
        return ProcessIdentity(pid: getpid(), started: started, boot: boot)
    }

    /// Whether it is still there.
    var isAlive: Bool {
        pid > 0 && boot == Self.currentBoot && Self.startTime(of: pid) == started
    }

    private static var currentBoot: String? {
        SmallFile.text(of: "/proc/sys/kernel/random/boot_id")?
            .split(separator: "\n").first.map(String.init)
    }

    private static func startTime(of pid: Int32) -> String? {
        // The second field, the program's name, may hold spaces and brackets; the last ")" ends it.
        guard let text = SmallFile.text(of: "/proc/\(pid)/stat"),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ")
        // Field 22 of all; the bracket is in field 2.
        return fields.count > 20 ? String(fields[20]) : nil
    }
}

/// Files that are read whole.
enum SmallFile {
    /// The first 4096 bytes of a regular file or one of /proc; nil where it cannot be read.
    static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

/// The names in folders.
enum FolderListing {
    /// The names for which `isWanted` is true, in the order of their bytes, so that the order of the
    /// file system does not matter; nil where the folder cannot be read.
    static func names(in folder: String, where isWanted: (String) -> Bool) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if isWanted(name) { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
