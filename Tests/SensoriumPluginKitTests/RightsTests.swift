import Glibc
import Testing

@testable import SensoriumPluginKit

/// What only another user, or a program with other rights than its user, can show.
@Suite(
    "plugin loader without root's rights", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason),
    .enabled(if: geteuid() == 0, "only root can become somebody else"))
struct RightsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("says so of files and folders that it may not read, and loads the others")
    func unreadable() async throws {
        try await PluginFoundry.build("cee", to: folder / "good.so")
        try await PluginFoundry.build("cee", to: folder / "secret.so", defining: ["ID=\"secret\""])
        chmod(folder / "secret.so", 0o600)
        mkdir(folder / "closed", 0o700)
        let result = try await ChildProcess.probe("--nobody", folder.path, folder / "closed")
        #expect(result.status == 0)
        #expect(result.output.contains("good.so: loaded cee 1.0.0"))
        #expect(
            result.output.contains(
                "secret.so may not be read by this user (65534); chmod o+r \(folder / "secret.so")")
        )
        #expect(
            result.lines.filter { $0.contains("closed") && $0.contains("may not be read") }.count
                == 1)
    }

    /// Whether a program in the temporary folder may get other rights from its mode.
    private static let canSetUser: Bool = {
        var status = statvfs()
        let noSetuid: UInt = 2  // ST_NOSUID of statvfs(3)
        guard statvfs("/tmp", &status) == 0, status.f_flag & noSetuid == 0 else { return false }
        return SmallFile.text(of: "/proc/self/status")?.contains("NoNewPrivs:\t0") == true
    }()

    @Test(
        "ignores the environment when the program has other rights than its user",
        .enabled(if: canSetUser, "programs get no other rights here (nosuid or no_new_privs)"))
    func setuid() async throws {
        let plugins = folder / "plugins"
        mkdir(plugins, 0o755)
        try await PluginFoundry.build("cee", to: plugins + "/good.so")
        let program = folder / "probe"
        // By another process: a file that this one has open for writing cannot be run.
        let copy = try await ChildProcess.run(["/bin/cp", Files.products + "/LoaderProbe", program])
        try #require(copy.status == 0)
        let environment = ["SENSORIUM_PLUGIN_PATH=\(plugins)", "HOME=\(folder.path)"]
        func look() async throws -> ChildProcess.Result {
            try await ChildProcess.run([program, "--usual", plugins], environment: environment)
        }
        #expect(try await look().output.contains("good.so: loaded cee 1.0.0"))

        chown(program, 65534, 65534)
        chmod(program, 0o4755)
        let result = try await look()
        #expect(!result.output.contains("loaded cee"))
        for origin in ["option", "environment", "user"] {
            #expect(
                result.lines.contains {
                    $0.hasPrefix("folder \(origin) ")
                        && $0.contains("has other rights than the user")
                }, Comment(rawValue: result.output))
        }
    }

    @Test("loads only root's files into a program with other rights")
    func owner() async throws {
        try await PluginFoundry.build("cee", to: folder / "good.so")
        chown(folder / "good.so", 65534, 65534)
        #expect(throws: LoadRefusal("belongs to user 65534, not to root")) {
            try PluginFile(path: folder / "good.so", mustBeRoots: true)
        }
        chown(folder.path, 65534, 65534)
        #expect(
            FolderSafety.fault(in: folder.path, mustBeRoots: true)?.reason.contains("65534") == true
        )
    }
}
