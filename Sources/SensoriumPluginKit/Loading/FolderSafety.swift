import Glibc

/// Whether a folder may be searched for plugins: code that lies in it runs as this user.
enum FolderSafety {
    /// What is wrong with a folder, links followed, or `nil` when it exists and is safe.
    ///
    /// A folder that everybody may write to is unsafe even with the sticky bit, which keeps others
    /// from removing files but not from adding some.
    ///
    /// - Parameter mustBeRoots: whether it must belong to root too.
    static func fault(in folder: String, mustBeRoots: Bool = false) -> LoadRefusal? {
        guard let status = FileStatus.following(folder) else {
            return LoadRefusal("cannot be looked at: \(SystemCall.message(errno))")
        }
        guard status.format == S_IFDIR else { return LoadRefusal("is not a folder") }
        guard !mustBeRoots || status.st_uid == 0 else {
            return LoadRefusal("belongs to user \(status.st_uid), not to root")
        }
        guard !status.isWorldWritable else {
            return LoadRefusal(
                "can be written to by every user of this machine "
                    + "(its mode is \(status.permissions))",
                hint: "look at what lies in it, then chmod o-w \(folder)")
        }
        return nil
    }

    /// The same of the folder that a file lies in.
    static func fault(inFolderOf file: String, mustBeRoots: Bool) -> LoadRefusal? {
        let parent = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        return fault(in: parent.isEmpty ? "/" : parent, mustBeRoots: mustBeRoots)
    }
}
