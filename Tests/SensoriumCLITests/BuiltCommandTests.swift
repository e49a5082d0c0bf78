import Glibc
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

/// Runs the built program, in real time: signals, pipes, terminals and loaded plugins.
@Suite(
    "Built command", .timeLimit(.minutes(1)), .serialized,
    .enabled(if: BuiltCommand.isBuilt, "sensorium is not built"))
struct BuiltCommandTests {
    @Test("gives help, and 64 for misuse")
    func misuse() async throws {
        let help = try await BuiltCommand.run("--help")
        #expect(help.ending.status == 0)
        #expect(help.output.hasPrefix("Usage: sensorium COMMAND"))
        let slip = try await BuiltCommand.run("wacth")
        #expect(slip.ending.status == 64)
        #expect(slip.output == "")
        #expect(slip.ending.errors.hasPrefix("sensorium: there is no command 'wacth'; did you"))
    }

    @Test("keeps the place of a standard descriptor that was closed")
    func closedDescriptors() async throws {
        let mute = try BuiltCommand(["--version"], without: STDOUT_FILENO)
        let ending = await mute.ending()
        #expect(ending.status == 74)
        #expect(ending.errors.contains("could not be written: Bad file descriptor"))
        let blind = await (try BuiltCommand(["decode", "gpsd"], without: STDIN_FILENO)).ending()
        #expect(blind.status == 74)
        #expect(blind.errors.contains("standard input cannot be read: Bad file descriptor"))
    }

    @Test("says what became of each file in a folder")
    func plugins() async throws {
        let folder = try TemporaryFolder()
        try folder.write("broken.so", "no plugin")
        let run = try await BuiltCommand.run("plugins", "--plugin-dir", folder.path, "--json")
        #expect(run.ending.status == 0)
        #expect(
            run.output.contains(
                #"{"folder":"\#(folder.path)","origin":"option","outcome":"searched","files":1}"#))
        #expect(
            run.output.contains(
                #"{"file":"\#(folder.path)/broken.so","outcome":"refused","reason":"#))
        let text = try await BuiltCommand.run("plugins", "--plugin-dir=\(folder.path)")
        #expect(text.output.contains("\(folder.path): searched, 1 file\n"))
        #expect(text.output.contains("\nrefused  \(folder.path)/broken.so\n         is not"))
    }

    @Test("decodes what is piped into it, and a file")
    func decode() async throws {
        let line = #"{"class":"TPV","mode":2,"time":"2018-06-01T00:00:01Z","lat":1,"lon":2}"#
        let piped = try await BuiltCommand.run("decode", "gpsd", "--json", input: line + "\nx\n")
        #expect(piped.ending.status == 0)
        #expect(piped.output.hasSuffix(#""latitude":1.0,"longitude":2.0,"fix":"2D"}"# + "\n"))
        #expect(piped.ending.errors.hasSuffix("1 reading, 1 line rejected: 1 of noise\n"))
        let folder = try TemporaryFolder()
        try folder.write("log.json", line)
        let read = try await BuiltCommand.run("decode", "gpsd", "\(folder.path)/log.json")
        #expect(read.output.contains("gpsd/location  latitude 1.0000000°"))
        let missing = try await BuiltCommand.run("decode", "gpsd", "\(folder.path)/none")
        #expect(missing.ending.status == 66)
    }

    @Test("ends when it is asked to while it waits for standard input")
    func interruptedDecode() async throws {
        let ends = try Pipe()
        let line = #"{"class":"TPV","mode":2,"lat":1,"lon":2}"#
        _ = write(ends.writing, line + "\n", line.utf8.count + 1)
        // Read through /dev/fd, so that the pipe stays open.
        let command = try BuiltCommand(
            ["decode", "gpsd", "/proc/\(getpid())/fd/\(ends.reading)", "--json"])
        #expect(await command.output.read()?.hasPrefix(#"{"sensor":"gpsd/location""#) == true)
        kill(command.process, SIGINT)
        #expect(await command.ending().status == 130)
    }
}

/// Runs the built program on the simulated sensors, in real time.
@Suite(
    "Built command with loaded sensors", .timeLimit(.minutes(1)), .serialized,
    .enabled(if: BuiltCommand.hasSimulated, "the simulated plugin is not built"))
struct BuiltCommandSensorTests {
    @Test("lists the sensors of the plugins beside it")
    func list() async throws {
        let run = try await BuiltCommand.run("list", "--json")
        #expect(run.ending.status == 0)
        #expect(run.output.contains(#"{"sensor":"simulated/location","kind":"location","simul"#))
    }

    @Test("joins two sensors and ends after so many pairs")
    func join() async throws {
        let run = try await BuiltCommand.run(
            "join", "simulated/acceleration", "simulated/angular-velocity", "--count", "20",
            "--json")
        #expect(run.ending.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 20)
        for line in lines {
            #expect(line.hasPrefix(#"{"acceleration":{"sensor":"simulated/acceleration","kind"#))
            #expect(line.contains(#","angular-velocity":{"sensor":"simulated/angular-velocity","#))
        }
        // The sensors go on until the last line is written.
        let sum = try #require(run.ending.errors.firstMatch(of: /(\d+) pairs; simulated\/accel/))
        #expect(try #require(Int(sum.1)) >= 20)
    }

    @Test("says that a sensor works, and that another one is not there")
    func probe() async throws {
        let run = try await BuiltCommand.run("probe", "simulated/pressure")
        #expect(run.ending.status == 0)
        #expect(run.output.hasPrefix("simulated/pressure (Simulated barometer): works\n"))
        let none = try await BuiltCommand.run("probe", "simulated/presure")
        #expect(none.ending.status == 69)
        #expect(none.ending.errors.hasSuffix("did you mean 'simulated/pressure'?\n"))
    }

    @Test(
        "ends cleanly within a second when it is asked to",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signals(signal: Int32, status: Int32) async throws {
        let command = try BuiltCommand(["watch", "simulated/acceleration", "--json"])
        #expect(await command.output.read()?.hasPrefix(#"{"sensor":"simulated/acc"#) == true)
        // A second, and what a busy machine adds.
        #expect(await command.end(by: signal) < .seconds(2))
        let rest = await command.output.closeAndReadAll()
        // Whole lines to the last.
        #expect(rest.isEmpty || rest.hasSuffix("}\n"))
        let ending = await command.ending()
        #expect(ending.status == status)
        #expect(ending.errors == "")
    }

    @Test("takes the echo of a signal, as timeout(1) sends it, for the same request")
    func echo() async throws {
        let command = try BuiltCommand([
            "join", "simulated/acceleration", "simulated/angular-velocity", "--json",
        ])
        #expect(await command.output.read()?.hasPrefix(#"{"acceleration":"#) == true)
        kill(command.process, SIGTERM)
        kill(command.process, SIGCONT)
        kill(command.process, SIGTERM)
        _ = await command.output.closeAndReadAll()
        let ending = await command.ending()
        #expect(ending.status == 143)
        #expect(ending.errors.contains("; simulated/acceleration: "))
    }

    @Test("ends within a second also when nobody reads what it writes")
    func blocked() async throws {
        let pipe = try Pipe()
        pipe.fill()
        let command = try BuiltCommand(
            ["watch", "simulated/acceleration", "--json"], output: pipe.writing)
        // It is in write(2) before it is asked to end, or it would not be stuck.
        await command.untilWriting()
        #expect(await command.end(by: SIGINT) < .seconds(2))
        #expect(await command.ending().status == 130)
    }

    @Test("ends quietly when the reader has enough")
    func readerLeft() async throws {
        let command = try BuiltCommand(["watch", "simulated/acceleration", "--json"])
        _ = await command.output.read()
        command.output.closeReading()
        let ending = await command.ending()
        #expect(ending.status == 0)
        #expect(ending.errors == "")
    }

    @Test("says that the output could not be written")
    func full() async throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let ending = try await BuiltCommand(["list"], output: descriptor).ending()
        #expect(ending.status == 74)
        #expect(
            ending.errors
                == "sensorium: standard output could not be written: No space left on device\n")
    }

    @Test(
        "shows a table on a terminal, and gives the terminal back",
        .enabled(if: PseudoTerminal.areThere, "there are no pseudo-terminals"))
    func terminal() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let command = try BuiltCommand(
            ["watch", "simulated/acceleration", "--for", "0.5"], output: terminal.program)
        #expect(await command.ending().status == 0)
        let shown = terminal.readAll()
        #expect(shown.hasPrefix("\u{1b}[?1049h\u{1b}[?25l"))
        let parts = shown.split(separator: "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        #expect(parts.count == 2)
        #expect(parts.first?.contains("\u{1b}[1msimulated/acceleration") == true)
        // Without styles, and with the last values.
        #expect(parts.last?.contains("\u{1b}") == false)
        #expect(parts.last?.contains("  z ") == true)
    }

    @Test(
        "gives the terminal back also when it crashes",
        .enabled(if: PseudoTerminal.areThere, "there are no pseudo-terminals"),
        .disabled(if: BuiltCommand.isSanitized, "the sanitizer takes the signal"))
    func crash() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let command = try BuiltCommand(
            ["watch", "simulated/acceleration"], output: terminal.program)
        var shown = ""
        while !shown.contains("simulated/acceleration") { shown += await terminal.readSome() }
        kill(command.process, SIGSEGV)
        #expect(await command.ending().status == 128 + SIGSEGV)
        #expect(terminal.readAll().contains("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"))
    }

    @Test("warns of a folder that is not there, and of a plugin that cannot be loaded")
    func warnings() async throws {
        let run = try await BuiltCommand.run("list", "--plugin-dir", "/nonexistent/plugins")
        #expect(run.ending.status == 0)
        #expect(
            run.ending.errors == "warning: --plugin-dir /nonexistent/plugins is not there\n")
    }
}
