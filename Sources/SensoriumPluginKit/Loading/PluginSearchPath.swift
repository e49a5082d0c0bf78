/// The folders in which plugins are looked for, in order.
public struct PluginSearchPath: Sendable, Hashable {
    /// One folder.
    public struct Folder: Sendable, Hashable {
        /// The folder, as it was given.
        public var path: String
        /// Who named it.
        public var origin: Origin
        /// Why it is not looked at; nil where it is.
        public var ignored: LoadRefusal?

        /// Makes a folder.
        public init(_ path: String, origin: Origin = .option, ignored: LoadRefusal? = nil) {
            self.path = path
            self.origin = origin
            self.ignored = ignored
        }
    }

    /// Who named a folder.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The app, or an option of the command: `--plugin-dir`.
        case option
        /// The variable `SENSORIUM_PLUGIN_PATH`, folders with colons between them.
        case environment
        /// The program's own folder. Of this one, only files named `libSensorium*.so` are looked at:
        /// it may be /usr/bin.
        case besideProgram
        /// `lib/sensorium/plugins` beside the program's `bin`.
        case prefix
        /// `$XDG_DATA_HOME/sensorium/plugins`.
        case user
        /// `/usr/local/lib/sensorium/plugins` and `/usr/lib/<triplet>/sensorium/plugins`.
        case system
    }

    /// The folders, those that are ignored included.
    public var folders: [Folder]
    /// Whether the process has other rights than its user, so that folders must be root's.
    var isPrivileged = false

    /// Makes a search path of just these folders, which an app knows to be right.
    public init(_ folders: [String]) {
        self.folders = folders.map { Folder($0) }
        isPrivileged = ProcessSurroundings.current.isPrivileged
    }

    /// Makes the usual search path.
    ///
    /// - Parameters:
    ///   - first: folders to look at before all others.
    ///   - surroundings: this process's, but in a test.
    public init(first: [String] = [], in surroundings: ProcessSurroundings = .current) {
        isPrivileged = surroundings.isPrivileged
        folders = first.map { Folder($0) }
        if let list = surroundings.environment["SENSORIUM_PLUGIN_PATH"] {
            folders += list.split(separator: ":").map { Folder(String($0), origin: .environment) }
        }
        if let program = surroundings.program, let slash = program.lastIndex(of: "/") {
            let own = String(program[..<slash])
            folders.append(Folder(own.isEmpty ? "/" : own, origin: .besideProgram))
            if own.hasSuffix("/bin") {
                let prefix = own.dropLast("/bin".count)
                folders.append(Folder("\(prefix)/lib/sensorium/plugins", origin: .prefix))
            }
        }
        if let data = surroundings.folder("XDG_DATA_HOME", orInHome: ".local/share") {
            folders.append(Folder("\(data)/sensorium/plugins", origin: .user))
        }
        for library in ["/usr/local/lib", "/usr/lib/\(Self.triplet)"] {
            folders.append(Folder("\(library)/sensorium/plugins", origin: .system))
        }
        if isPrivileged { ignoreWhatTheUserSays() }
    }

    private mutating func ignoreWhatTheUserSays() {
        for index in folders.indices {
            switch folders[index].origin {
            case .option, .environment, .user:
                folders[index].ignored = LoadRefusal(
                    "is ignored: this program has other rights than the user who started it",
                    hint: "install the plugin in /usr/local/lib/sensorium/plugins")
            case .besideProgram, .prefix, .system:
                break
            }
        }
    }

    /// Debian's name for this machine, as in /usr/lib/x86_64-linux-gnu.
    private static var triplet: String {
        #if arch(x86_64)
        "x86_64-linux-gnu"
        #elseif arch(arm64)
        "aarch64-linux-gnu"
        #elseif arch(riscv64)
        "riscv64-linux-gnu"
        #else
        "powerpc64le-linux-gnu"
        #endif
    }
}

extension PluginSearchPath.Folder {
    /// Whether a file of that name may be a plugin: shared libraries, hidden ones left out.
    func mayHold(_ name: String) -> Bool {
        guard name.hasSuffix(".so"), !name.hasPrefix(".") else { return false }
        return origin != .besideProgram || name.hasPrefix("libSensorium")
    }
}
