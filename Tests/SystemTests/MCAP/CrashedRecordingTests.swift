import Glibc
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("recordings that were never finished", .timeLimit(.minutes(1)))
struct CrashedRecordingTests {
    private static let probe = "\(BuiltPlugins.folder)/RecordingProbe"

    /// Starts a shell command, its output going to a descriptor.
    private static func start(_ command: String, output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = ["sh", "-c", command]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        try #require(posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, environ) == 0)
        return child
    }

    /// Waits for the end of a child, and gives what it left: 0 for one that ended well.
    @discardableResult
    private static func wait(for child: pid_t) -> Int32 {
        var code: Int32 = 0
        while waitpid(child, &code, 0) < 0 && errno == EINTR {}
        return code
    }

    /// Runs a shell command, reads `lines` lines of it, or all, kills it, and gives the lines that came.
    private static func run(_ command: String, killAfter lines: Int?) throws -> [String] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child = try start(command, output: ends[1])
        close(ends[1])
        var text: [UInt8] = []
        var isKilled = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends[0], &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            text += buffer[..<count]
            if let lines, !isKilled, text.count(where: { $0 == 0x0a }) >= lines {
                kill(child, SIGKILL)
                isKilled = true
            }
        }
        close(ends[0])
        wait(for: child)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// How many readings a file has; they must be the first ones, in order.
    private static func count(_ path: String) throws -> Int {
        let reader = try RecordingFormat.open(path)
        let recording = try MemoryRecording(reading: reader)
        let values = recording.events.compactMap { $0.reading.flatMap(Acceleration.init)?.x }
        #expect(values == (0..<values.count).map { Double($0 + 1) })
        #expect(reader.damage.lacksEnd || reader.damage.truncatedAt != nil)
        #expect(reader.damage.skippedBlocks == 0)
        return values.count
    }

    @Test(
        "REC-01: killed, it has everything up to the last flush",
        arguments: MCAPCompression.allCases)
    func killed(compression: MCAPCompression) throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/killed.mcap"
        let lines = try Self.run(
            "exec '\(Self.probe)' '\(path)' '\(compression.rawValue)'", killAfter: 20)
        let flushed = try #require(lines.last.flatMap { Int($0) })
        #expect(flushed >= 2000)
        // A line that was not printed any more may have been flushed.
        #expect((flushed...flushed + 100).contains(try Self.count(path)))
    }

    @Test("a file that may grow no more keeps everything up to the last flush")
    func limited() throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/limited.mcap"
        let lines = try Self.run(
            "trap '' XFSZ; ulimit -f 2000; exec '\(Self.probe)' '\(path)' none", killAfter: nil)
        #expect(lines.last == "full")
        let flushed = try #require(lines.dropLast().last.flatMap { Int($0) })
        #expect(try Self.count(path) == flushed)
    }

    @Test(
        "on a full disk, everything up to the last flush is kept",
        .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func fullDisk() throws {
        let folder = try ScratchFolder()
        let kept = "\(folder.path)/kept.mcap"
        let disk = "\(folder.path)/disk"
        try #require(mkdir(disk, 0o700) == 0)
        defer { rmdir(disk) }
        let script =
            "mount -t tmpfs -o size=300k none '\(disk)' && "
            + "{ '\(Self.probe)' '\(disk)/a.mcap' none; cp '\(disk)/a.mcap' '\(kept)'; }"
        let lines = try Self.run(
            "exec unshare --mount sh -c \"\(script)\"", killAfter: nil)
        #expect(lines.last == "full")
        let flushed = try #require(lines.dropLast().last.flatMap { Int($0) })
        #expect(flushed >= 300)
        #expect(try Self.count(kept) == flushed)
    }

    // MARK: The command

    private static let command = "\(BuiltPlugins.folder)/sensorium"

    /// The instants of the accelerations in a file that was not finished; each has all of its fields.
    private static func instants(_ path: String) throws -> [SensorInstant] {
        let reader = try RecordingFormat.open(path)
        let recording = try MemoryRecording(reading: reader)
        let damage = reader.damage
        #expect(damage.lacksEnd || damage.truncatedAt != nil)
        #expect(damage.skippedBlocks == 0 && damage.skippedRecords == 0, "\(damage.notes)")
        let readings = recording.events.compactMap { $0.reading.flatMap(Acceleration.init) }
        #expect(readings.allSatisfy { $0.flags.contains(.simulated) })
        return readings.map(\.time.instant)
    }

    /// Blocks until something is written to a file of the folder; false where nothing is for long.
    private static func waitForWrite(_ watch: Int32) -> Bool {
        var request = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 30_000) == 1 else { return false }
        var events = [UInt8](repeating: 0, count: 4096)
        return read(watch, &events, events.count) > 0
    }

    @Test("REC-01: a 'sensorium record' that is killed leaves everything up to its last flush")
    func killedCommand() throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/walk.mcap"
        let watch = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(watch) }
        try #require(inotify_add_watch(watch, folder.path, UInt32(IN_MODIFY)) >= 0)
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        let child = try Self.start(
            "exec '\(Self.command)' record simulated/acceleration --rate 200 -o '\(path)' 2>&1",
            output: null)
        var flushed: [SensorInstant] = []
        while flushed.count < 150, Self.waitForWrite(watch) {
            // While it is written to, it is read like one that was cut off.
            if let reader = try? RecordingFormat.open(path) {
                flushed = try MemoryRecording(reading: reader).events
                    .compactMap { $0.reading?.time.instant }
            }
        }
        kill(child, SIGKILL)
        Self.wait(for: child)
        try #require(flushed.count >= 150)
        let kept = try Self.instants(path)
        #expect(Array(kept.prefix(flushed.count)) == flushed)
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        "a 'sensorium record' on a full disk says so, and leaves everything up to its last flush",
        .enabled(if: geteuid() == 0, "a file system of its own needs root"))
    func fullDiskCommand() throws {
        let folder = try ScratchFolder()
        let kept = "\(folder.path)/kept.mcap"
        let disk = "\(folder.path)/disk"
        try #require(mkdir(disk, 0o700) == 0)
        defer { rmdir(disk) }
        let script =
            "mount -t tmpfs -o size=24k none '\(disk)' && "
            + "{ '\(Self.command)' record simulated/acceleration --rate 200 -o '\(disk)/a.mcap' 2>&1; "
            + "echo status \\$?; cp '\(disk)/a.mcap' '\(kept)'; }"
        let lines = try Self.run("exec unshare --mount sh -c \"\(script)\"", killAfter: nil)
        // EX_IOERR, as in sysexits.h.
        #expect(lines.last == "status 74", "\(lines)")
        #expect(lines.contains { $0.contains("has no room left") }, "\(lines)")
        #expect(try Self.instants(kept).count >= 100)
    }
}
