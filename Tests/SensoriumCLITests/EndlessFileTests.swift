import Glibc
import SensoriumRecording
import SensoriumTestKit
import Testing

@testable import SensoriumCLI

/// Recordings whose only line has no end, read by the built command.
@Suite("endless recordings", .timeLimit(.minutes(2)), .enabled(if: BuiltCommand.isBuilt))
struct EndlessFileTests {
    /// The most memory that `sensorium info` had at once for a file, in KiB.
    private func peak(_ path: String) async throws -> Int {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let arguments: [String] = [BuiltCommand.path, "info", path]
        let words = arguments.map { strdup($0) }
        defer { for text in words { free(text) } }
        var child = pid_t()
        try #require(
            posix_spawn(&child, BuiltCommand.path, &actions, nil, words + [nil], environ) == 0)
        let (status, usage) = await onThread { [child] in
            var status: Int32 = 0
            var usage = rusage()
            while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
            return (status, usage.ru_maxrss)
        }
        // Read, or refused as bad data: not killed, and no crash.
        try #require(status & 0x7f == 0, "signal \(status & 0x7f)")
        return usage
    }

    @Test(
        "cost no memory",
        // A sanitizer keeps what was freed.
        .enabled(if: !BuiltCommand.isSanitized),
        arguments: [
            ("gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/>"),
            ("gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><trkpt "),
            ("csv", "t_s,lat,lon\n1,2,3\n"), ("csv", "t_s,lat,lon\n1,2,3\n4,\""),
            ("nmea", "$GPRMC,120000,A,1000,N,00200,E,,,010124,,,A\n$GPRMC,"),
            ("json", #"{"class":"TPV","mode":2,"lat":1,"lon":2}"# + "\n{\"class\":\""),
        ])
    func memory(format: String, start: String) async throws {
        let path = "/tmp/sensorium-endless-\(getpid())-\(start.utf8.count).\(format)"
        defer { unlink(path) }
        func write(_ kibibytes: Int) throws {
            let file = try OutputFile(path)
            try file.write(Array(start.utf8))
            let piece = [UInt8](repeating: 0x61, count: 1024)
            for _ in 0..<kibibytes { try file.write(piece) }
            try file.finish()
        }
        let size = Campaign.rounds(3, long: 12) * 1024
        try write(256)
        let small = try await peak(path)
        try write(size)
        let large = try await peak(path)
        #expect(large - small < size / 3, "from \(small) to \(large) KiB")
    }
}
