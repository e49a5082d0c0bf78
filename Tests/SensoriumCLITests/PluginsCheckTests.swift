import Glibc
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

/// Runs the built command through the shell, and builds plugins for it.
struct Shell {
    let folder: String

    init() throws {
        var template = Array("/tmp/sensorium-cli-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template).map { String(cString: $0) })
        folder = made
    }

    func remove() { _ = Self.run("rm -rf '\(folder)'") }

    /// Runs a line; what it prints, and its exit status as a shell counts it.
    func run(_ line: String) async -> (text: String, status: Int32) {
        await onThread { Self.run(line) }
    }

    private static func run(_ line: String) -> (text: String, status: Int32) {
        guard let pipe = popen("{ \(line); } 2>&1; echo \"=$?\"", "r") else { return ("", -1) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
            bytes += buffer[..<count]
        }
        pclose(pipe)
        let text = String(decoding: bytes, as: UTF8.self)
        let place = text.lastIndex(of: "=") ?? text.endIndex
        let status = text[place...].dropFirst().prefix { $0.isNumber }
        return (String(text[..<place]), Int32(status) ?? -1)
    }

    /// Runs the command, with a state folder of its own.
    func sensorium(_ arguments: String) async -> (text: String, status: Int32) {
        // A sanitizer would make an exit status of its own out of the crash that is looked for.
        await run(
            "TSAN_OPTIONS=\"$TSAN_OPTIONS handle_segv=0\" ASAN_OPTIONS=\"$ASAN_OPTIONS:handle_segv=0\" "
                + "XDG_STATE_HOME='\(folder)/state' '\(BuiltPlugins.folder)/sensorium' \(arguments)"
        )
    }

    /// Builds a plugin that breaks a rule; nil where there is no C compiler.
    ///
    /// The numbers are those of the plugin kit's fixture.
    func faultyPlugin(_ fault: Int) async -> String? {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "\(folder)/faulty.so"
        let built = await run(
            "cc -shared -fPIC -DFAULT=\(fault) -I'\(root)/Sources/CSensorium/include' -o '\(path)' "
                + "'\(root)/Tests/SensoriumPluginKitTests/Fixtures/faulty.c'")
        return built.status == 0 ? path : nil
    }
}

@Suite(
    "plugins check, plugins allow and verify", .timeLimit(.minutes(1)),
    .enabled(
        if: access("\(BuiltPlugins.folder)/sensorium", X_OK) == 0, "the command was not built"))
struct PluginsCheckTests {
    static let crashes = 15
    static let hangs = 19

    @Test("a plugin that crashes takes only its own process with it, and is named")
    func crashing() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let file = try #require(
            await shell.faultyPlugin(Self.crashes), "there is no C compiler (cc)")
        let good = BuiltPlugins.file(of: "Simulated")
        let (text, status) = await shell.sensorium("plugins check '\(file)' '\(good)'")
        #expect(text.contains("crashed  \(file)") && text.contains("SIGSEGV"))
        #expect(text.contains("good     \(good)") && text.contains("simulated 0.1.0: 10 sensors"))
        #expect(status == 70)
        #expect(await shell.sensorium("verify '\(file)'").status == 70)
    }

    @Test("a plugin that hangs is ended when its time is up")
    func hanging() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let file = try #require(await shell.faultyPlugin(Self.hangs), "there is no C compiler (cc)")
        let (text, status) = await shell.sensorium("plugins check --for 0.3 '\(file)'")
        #expect(text.contains("hung     \(file)") && text.contains("within"))
        #expect(status == 70)
    }

    @Test("a plugin that crashed is refused at the next start, until it is allowed again")
    func quarantine() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let file = try #require(
            await shell.faultyPlugin(Self.crashes), "there is no C compiler (cc)")
        let list = "plugins --plugin-dir '\(shell.folder)'"
        #expect(await shell.sensorium(list).status == 128 + SIGSEGV)
        let (text, status) = await shell.sensorium(list)
        #expect(status == 0)
        #expect(text.contains("refused  \(file)") && text.contains("plugins allow"))
        let allowed = await shell.sensorium("plugins allow '\(file)'")
        #expect(allowed.text == "\(file) may be loaded again\n" && allowed.status == 0)
        #expect(
            await shell.sensorium("plugins allow '\(file)'").text == "\(file) was not refused\n")
        #expect(await shell.sensorium(list).status == 128 + SIGSEGV)
    }

    @Test("what is no plugin, or not there, is told with the reason")
    func nothing() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let check = await shell.sensorium("plugins check /etc/passwd /nowhere.so")
        #expect(check.text.contains("bad      /etc/passwd") && check.status == 70)
        #expect(await shell.sensorium("plugins allow /nowhere.so").status == 66)
        #expect(await shell.sensorium("verify nobody").status == 69)
        #expect(await shell.sensorium("verify").status == 64)
    }

    @Test("verify examines a loaded plugin and prints the report")
    func verifying() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let (text, status) = await shell.sensorium("verify '\(BuiltPlugins.file(of: "Simulated"))'")
        #expect(text.hasPrefix("simulated conforms: ") && status == 0)
    }
}
