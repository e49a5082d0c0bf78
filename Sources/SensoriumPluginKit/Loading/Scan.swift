import Glibc

/// A file that may be a plugin, and what was found when it was looked at.
struct Candidate {
    let path: String
    let result: Result<PluginFile, LoadRefusal>

    init(path: String, mustBeRoots: Bool = false) {
        self.path = path
        result = Result { () throws(LoadRefusal) in
            try PluginFile(path: path, mustBeRoots: mustBeRoots)
        }
    }

    /// The plugin, where it is one.
    var file: PluginFile? { try? result.get() }

    /// The report on it, as long as nothing better is known.
    var report: LoadReport.File {
        switch result {
        case .success(let file):
            LoadReport.File(
                path: path, note: file.note, outcome: .refused(LoadRefusal("was not loaded")))
        case .failure(let refusal):
            LoadReport.File(path: path, outcome: .refused(refusal))
        }
    }
}

extension PluginSearchPath {
    /// The files of the folders that may be plugins, in the order in which they would be loaded.
    ///
    /// Nothing is loaded, and unsafe folders are left out, as for loading.
    public var files: [String] { Scan(self).run().candidates.map(\.path) }
}

/// One look through the folders of a search path.
///
/// Opens files, but runs none.
struct Scan {
    private let path: PluginSearchPath

    init(_ path: PluginSearchPath) { self.path = path }

    /// What became of each folder, and every file that may be a plugin, in order.
    func run() -> (folders: [LoadReport.Folder], candidates: [Candidate]) {
        var folders: [LoadReport.Folder] = []
        var candidates: [Candidate] = []
        var seen: [FileFingerprint.Identity: String] = [:]
        for folder in path.folders {
            let start = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
            let outcome = look(in: folder, &seen) { name in
                candidates.append(Candidate(path: start + name, mustBeRoots: path.isPrivileged))
            }
            folders.append(
                LoadReport.Folder(path: folder.path, origin: folder.origin, outcome: outcome))
        }
        return (folders, candidates)
    }

    private func look(
        in folder: PluginSearchPath.Folder, _ seen: inout [FileFingerprint.Identity: String],
        found: (String) -> Void
    ) -> LoadReport.Folder.Outcome {
        if let refusal = folder.ignored { return .skipped(refusal) }
        guard let status = FileStatus.following(folder.path) else {
            let code = errno
            if code == ENOENT { return .absent }
            return .skipped(LoadRefusal("cannot be looked at: \(SystemCall.message(code))"))
        }
        if let fault = FolderSafety.fault(
            in: folder.path, mustBeRoots: path.isPrivileged)
        {
            return .skipped(fault)
        }
        let identity = FileFingerprint(status).identity
        if let other = seen[identity] {
            return .skipped(LoadRefusal("is the same folder as \(other)"))
        }
        seen[identity] = folder.path
        guard let names = FolderListing.names(in: folder.path, where: folder.mayHold) else {
            return .skipped(
                LoadRefusal(
                    "may not be read by this user (\(geteuid())): \(SystemCall.message(errno))"))
        }
        for name in names { found(name) }
        return .searched(files: names.count)
    }
}
