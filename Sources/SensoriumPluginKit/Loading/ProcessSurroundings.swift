import CSensoriumHost
import Glibc

/// What of a process's surroundings decides where it looks for plugins.
public struct ProcessSurroundings: Sendable {
    /// Environment variables by name.
    public var environment: [String: String]
    /// Whether the process has other rights than the user who started it (setuid, setgid, file
    /// capabilities): then nothing that this user says may lead to code.
    public var isPrivileged: Bool
    /// The program's file, links followed; nil where unknown.
    public var program: String?

    /// Makes surroundings, for a test.
    public init(
        environment: [String: String] = [:], isPrivileged: Bool = false, program: String? = nil
    ) {
        self.environment = environment
        self.isPrivileged = isPrivileged
        self.program = program
    }

    /// This process's own.
    ///
    /// Source for `isPrivileged`: `AT_SECURE` of getauxval(3), which the dynamic linker obeys too.
    public static var current: ProcessSurroundings {
        let names = [
            "HOME", "SENSORIUM_PLUGIN_PATH", "XDG_DATA_HOME", "XDG_STATE_HOME",
        ]
        var environment: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return ProcessSurroundings(
            environment: environment, isPrivileged: process_is_privileged() != 0,
            program: SystemCall.target(of: "/proc/self/exe"))
    }

    /// The folder that a variable of the XDG Base Directory Specification names: an absolute path,
    /// or else its default in the user's home; nil where there is no home either.
    func folder(_ variable: String, orInHome place: String) -> String? {
        if let value = environment[variable], value.hasPrefix("/") { return value }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(place)"
    }
}
