import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

@Suite("Program", .timeLimit(.minutes(1)))
struct ProgramTests {
    @Test("prints help and version to standard output")
    func help() async {
        for arguments in [["--help"], ["join", "--help"], ["decode", "gpsd", "-h"]] {
            let bench = CommandBench()
            #expect(await bench.run(arguments) == .success)
            #expect(bench.output.text.hasPrefix("Usage: sensorium "))
            #expect(bench.errors.text == "")
            #expect(bench.host == nil)
        }
        let bench = CommandBench()
        #expect(await bench.run("--version") == .success)
        #expect(bench.output.text == "sensorium \(Program.version)\n")
    }

    @Test(
        "prints what is wrong to standard error, with 64",
        arguments: [
            (["wacth"], "sensorium: there is no command 'wacth'; did you mean 'watch'?"),
            (["join", "a"], "sensorium join: B is missing; write sensorium join A B [OPTION]..."),
            (["decode"], "sensorium decode: say which command: gpsd, nmea"),
            (
                ["list", "--set", "x"],
                "sensorium list: --set takes key=value, as in gpsd.address=127.0.0.1:2947, not 'x'"
            ),
        ])
    func misuse(arguments: [String], sentence: String) async {
        let bench = CommandBench()
        #expect(await bench.run(arguments) == .misuse)
        #expect(bench.output.text == "")
        #expect(bench.errors.lines.first == sentence)
        #expect(bench.errors.lines.last?.hasSuffix(" --help'") == true)
        #expect(bench.host == nil)
    }

    @Test("hands settings and folders to the plugins, the command line's over the file's")
    func settings() async throws {
        let folder = try TemporaryFolder()
        try folder.write("sensorium/config", "gpsd.address=file:1\niio.uri=ip:file\n")
        let bench = CommandBench(environment: ["XDG_CONFIG_HOME": folder.path])
        let code = await bench.run(
            "list", "--plugin-dir", "/a", "--set", "gpsd.address=line:2", "--plugin-dir=/b",
            "--set=x.y=1", "--set=x.y=2")
        #expect(code == .success)
        #expect(bench.folders == ["/a", "/b"])
        #expect(bench.host?.configuration("gpsd.address") == "line:2")
        #expect(bench.host?.configuration("iio.uri") == "ip:file")
        #expect(bench.host?.configuration("x.y") == "2")
        #expect(bench.host?.configuration("x.z") == nil)
    }

    @Test("does nothing with a configuration file that holds a bad line")
    func badSettings() async throws {
        let folder = try TemporaryFolder()
        try folder.write("sensorium/config", "# good\nbad\n")
        let bench = CommandBench(environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(await bench.run("watch") == .badData)
        #expect(
            bench.errors.text.hasPrefix(
                "sensorium watch: \(folder.path)/sensorium/config:2 is not key=value: 'bad'; "))
        #expect(bench.host == nil)
    }

    @Test("warns of a setting for a plugin that is not loaded")
    func straySetting() async throws {
        let bench = CommandBench()
        try await bench.registry.add(TalkingPlugin.self)
        #expect(await bench.run("list", "--set", "takling.x=1", "--set", "talking.y=2") == .success)
        #expect(
            bench.errors.lines.first
                == "warning: --set takling.x has no effect: no plugin 'takling' is loaded; "
                + "did you mean 'talking'?")
        #expect(!bench.errors.text.contains("talking.y"))
    }

    @Test("shows what plugins say from warnings up, or all of it when asked to")
    func log() async {
        for (arguments, lines) in [
            (["list"], ["warning: w", "error: e"]),
            (["-v", "list"], ["debug: d", "info: i", "warning: w", "error: e"]),
        ] {
            let bench = CommandBench()
            _ = bench.location()
            #expect(await bench.run(arguments) == .success)
            for (level, text) in [
                (LogLevel.debug, "d"), (.info, "i"), (.warning, "w"), (.error, "e"),
            ] {
                bench.host?.log(level, text)
            }
            #expect(bench.errors.lines == lines)
        }
    }

    @Test("stops the plugins at the end, also of a command that failed")
    func stops() async throws {
        let bench = CommandBench()
        try await bench.registry.add(TalkingPlugin.self)
        #expect(await bench.run("watch", "location") == .unavailable)
        #expect(bench.registry.plugins.isEmpty)
    }
}

/// A plugin that finds nothing.
private final class TalkingPlugin: SensorPlugin {
    static let manifest = PluginManifest(id: "talking", version: "1.0.0", kinds: [.location])

    init(host: PluginHost) {}

    func discover() async throws(SensorError) -> [any Sensor] { [] }
}
