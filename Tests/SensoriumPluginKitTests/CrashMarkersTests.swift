import Glibc
import Sensorium
import Testing

@testable import SensoriumPluginKit

@Suite(
    "crash markers", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason))
struct CrashMarkersTests {
    private let folder: TemporaryFolder
    private let markers: CrashMarkers

    init() throws {
        folder = try TemporaryFolder()
        markers = CrashMarkers(folder: folder / "state/sensorium")
    }

    private var plugin: String { folder / "plugins/faulty.so" }

    private func build(_ fault: PluginFoundry.Fault) async throws {
        mkdir(folder / "plugins", 0o755)
        try await PluginFoundry.build(fault, to: plugin)
    }

    private func probe() async throws -> ChildProcess.Result {
        try await ChildProcess.probe(
            "--markers", markers.folder, "--discover", folder / "plugins")
    }

    private var markerFiles: [String] {
        FolderListing.names(in: markers.folder, where: { $0.hasPrefix("plugin-") }) ?? []
    }

    @Test(
        "refuse a plugin that crashed its host, until it is allowed again",
        arguments: [
            (PluginFoundry.Fault.crashesInConstructor, -SIGSEGV, "crashed (SIGSEGV)"),
            (.crashesInStart, -SIGSEGV, "crashed (SIGSEGV)"),
            (.crashesInDiscover, -SIGSEGV, "crashed (SIGSEGV)"),
            (.overflowsInDiscover, -SIGSEGV, "crashed (SIGSEGV)"),
            (.abortsInDiscover, -SIGABRT, "crashed (SIGABRT)"),
            (.exitsInDiscover, 0, "called exit()"),
        ])
    func crashes(fault: PluginFoundry.Fault, status: Int32, how: String) async throws {
        try await build(fault)
        #expect(try await probe().status == status)

        let second = try await probe()
        #expect(second.status == 0)
        #expect(second.output.contains("ended the program that loaded it before: it \(how)"))
        #expect(second.output.contains("sensorium plugins allow \(plugin)"))

        #expect(try markers.allow(plugin))
        #expect(try !markers.allow(plugin))
        #expect(try await probe().status == status)
    }

    @Test("forget a file that was replaced")
    func replaced() async throws {
        try await build(.crashesInDiscover)
        #expect(try await probe().status == -SIGSEGV)
        // In place, so that device and inode are the same.
        let other = folder / "other.so"
        try await PluginFoundry.build(.lies, to: other)
        try Files.write(Files.read(other), to: plugin)
        let second = try await probe()
        #expect(second.output.contains("loaded faulty 1.0.0"))
        #expect(markerFiles.isEmpty)
    }

    @Test(
        "do not hold it against a plugin that its host was ended",
        arguments: [SIGINT, SIGTERM, SIGKILL])
    func ended(signal: Int32) async throws {
        try await build(.hangsInDiscover)
        for _ in 0..<2 {
            let child = try ChildProcess(
                [
                    Files.products + "/LoaderProbe", "--markers", markers.folder, "--discover",
                    folder / "plugins",
                ])
            #expect(await child.waitForLine("discovering faulty"))
            child.send(signal)
            #expect(await child.wait().status == -signal)
        }
        let file = try #require(FileFingerprint(path: plugin))
        #expect(markers.refusal(of: file, path: plugin) == nil)
        #expect(markerFiles.isEmpty)
    }

    @Test("leave a process alone that is loading the same file now")
    func living() throws {
        try Files.write([], to: plugin.replacing("plugins/", with: ""))
        let file = try #require(FileFingerprint(path: folder / "faulty.so"))
        let marker = try #require(markers.begin(file, path: plugin))
        let other = try #require(markers.begin(file, path: plugin))
        #expect(markerFiles.count == 2)
        #expect(markers.refusal(of: file, path: plugin) == nil)
        #expect(markerFiles.count == 2)
        marker.end()
        other.end()
        #expect(markerFiles.isEmpty)
    }

    @Test("are gone once a plugin has looked for sensors, and take no signal afterwards")
    func removed() async throws {
        try await build(.lies)
        let loader = PluginLoader(host: PluginHost(), crashMarkers: markers)
        let file = await loader.load(file: plugin)
        guard case .loaded(let loaded) = file.outcome else {
            Issue.record("\(file)")
            return
        }
        #expect(markerFiles.isEmpty)
        _ = try await loaded.discover()
        #expect(markerFiles.isEmpty)
        await loaded.stop()
    }

    @Test("do without a place to lie")
    func unwritable() async throws {
        try await build(.lies)
        try Files.write([], to: folder / "no-folder")
        let loader = PluginLoader(
            host: PluginHost(), crashMarkers: CrashMarkers(folder: folder / "no-folder/state"))
        guard case .loaded = await loader.load(file: plugin).outcome else {
            Issue.record("the plugin was not loaded")
            return
        }
    }

    @Test("lie in the user's state folder")
    func place() {
        let given = ProcessSurroundings(environment: ["XDG_STATE_HOME": "/state"])
        let home = ProcessSurroundings(environment: ["HOME": "/home/me"])
        #expect(CrashMarkers(given)?.folder == "/state/sensorium")
        #expect(CrashMarkers(home)?.folder == "/home/me/.local/state/sensorium")
        #expect(CrashMarkers(ProcessSurroundings()) == nil)
    }
}
