import Glibc
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("recordings that were never finished", .timeLimit(.minutes(1)))
struct CrashedRecordingTests {
    private static let probe = "\(BuiltPlugins.folder)/RecordingProbe"

    /// Runs a shell command, reads `lines` lines of it, or all, kills it, and gives the lines that came.
    private static func run(_ command: String, killAfter lines: Int?) throws -> [String] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let words = ["sh", "-c", command]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        let status = posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, environ)
        close(ends[1])
        try #require(status == 0)
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
        var code: Int32 = 0
        while waitpid(child, &code, 0) < 0 && errno == EINTR {}
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
}
