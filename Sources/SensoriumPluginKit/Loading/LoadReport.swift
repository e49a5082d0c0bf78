import Sensorium

/// What became of a search for plugins: every folder and every file, each with a reason that a
/// person can act on.
public struct LoadReport: Sendable {
    /// The folders of the search path, in order.
    public var folders: [Folder] = []
    /// The files that were looked at, in order.
    public var files: [File] = []

    /// The plugins that this search has loaded, in order.
    public var plugins: [LoadedPlugin] {
        files.compactMap {
            if case .loaded(let plugin) = $0.outcome { plugin } else { nil }
        }
    }

    /// One folder.
    public struct Folder: Sendable {
        /// Where it is.
        public var path: String
        /// Who named it.
        public var origin: PluginSearchPath.Origin
        /// What became of it.
        public var outcome: Outcome

        /// What became of a folder.
        public enum Outcome: Sendable, Hashable {
            /// It was looked through, and that many files may have been plugins.
            case searched(files: Int)
            /// There is no such folder.
            case absent
            /// It was not looked at.
            case skipped(LoadRefusal)
        }
    }

    /// One file.
    public struct File: Sendable {
        /// Where it is.
        public var path: String
        /// What it says of itself; nil where it is no plugin.
        public var note: PluginNote?
        /// What became of it.
        public var outcome: Outcome

        /// What became of a file.
        public enum Outcome: Sendable {
            /// It was loaded and started.
            case loaded(LoadedPlugin)
            /// Nothing is wrong with it, but another one stands for it.
            case skipped(LoadRefusal)
            /// Something is wrong with it.
            case refused(LoadRefusal)
        }
    }
}

extension LoadReport.File: CustomStringConvertible {
    /// A sentence fit for a terminal.
    public var description: String {
        switch outcome {
        case .loaded(let plugin):
            "\(path): loaded \(plugin.manifest.id) \(plugin.manifest.version)"
        case .skipped(let why), .refused(let why):
            "\(path) \(why)"
        }
    }
}

extension LoadReport.Folder: CustomStringConvertible {
    /// A sentence fit for a terminal.
    public var description: String {
        switch outcome {
        case .searched(let files): "\(path): \(files == 1 ? "1 file" : "\(files) files")"
        case .absent: "\(path): no such folder"
        case .skipped(let why): "\(path) \(why)"
        }
    }
}

extension LoadReport: CustomStringConvertible {
    /// A line for each folder, then one for each file.
    public var description: String {
        (folders.map(\.description) + files.map(\.description)).joined(separator: "\n")
    }
}
