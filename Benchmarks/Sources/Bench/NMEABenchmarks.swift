import Glibc
import NMEAPlugin
import Sensorium

/// A receiver's sentences to readings, beside gpsdecode on the same log.
enum NMEABenchmarks {
    /// What a receiver of two constellations says in a second: eleven sentences.
    private static func epoch(_ second: Int) -> [String] {
        let time = "\(two(second / 3600))\(two(second / 60 % 60))\(two(second % 60)).00"
        let place = "4807.\(1_000_000 + second),N,01130.\(2_000_000 + second),E"
        return [
            "GNRMC,\(time),A,\(place),0.512,91.25,010126,,,A,V",
            "GNVTG,91.25,T,,M,0.512,N,0.948,K,A",
            "GNGGA,\(time),\(place),1,12,0.71,519.9,M,47.1,M,,",
            "GNGSA,A,3,02,05,12,13,15,18,25,29,,,,,1.31,0.71,1.10,1",
            "GNGSA,A,3,66,67,76,82,83,,,,,,,,1.31,0.71,1.10,2",
            "GPGSV,3,1,10,02,35,305,41,05,61,212,46,12,17,243,38,13,44,289,42,1",
            "GPGSV,3,2,10,15,38,212,43,18,42,068,41,20,05,120,,25,28,094,39,1",
            "GPGSV,3,3,10,29,75,021,45,31,03,003,,1",
            "GLGSV,2,1,06,66,41,051,40,67,66,312,43,76,21,037,35,82,29,191,41,1",
            "GLGSV,2,2,06,83,57,255,44,84,24,313,37,1", "GNGLL,\(place),\(time),A,A",
        ].map { NMEAEncoder.sentence($0) }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    static func rows() throws -> [Row] {
        let seconds = 2000
        let lines = (0..<seconds).flatMap(epoch)
        let log = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        var (ours, theirs) = (Samples(), Samples())
        for round in 0..<21 {
            ours.add(decode(log, fixes: seconds), items: lines.count)
            // It takes long, and varies little.
            if round % 4 == 0 { theirs.add(try gpsdecode(log), items: lines.count) }
        }
        return [
            Row(
                name: "nmea.sentence", value: ours.median, unit: "ns",
                rival: ("gpsdecode", theirs.median), goal: 300, goalRatio: 15)
        ]
    }

    private static func decode(_ log: [UInt8], fixes: Int) -> Int64 {
        let clock = SystemClock()
        var decoder = NMEADecoder(clock: clock)
        var outputs: [NMEADecoder.Output] = []
        var count = 0
        let now = clock.now
        let time = nanoseconds {
            log.withUnsafeBufferPointer { bytes in
                // As a serial device gives them.
                for start in stride(from: 0, to: bytes.count, by: 4096) {
                    outputs.removeAll(keepingCapacity: true)
                    let piece = bytes[start..<min(bytes.count, start + 4096)]
                    decoder.decode(
                        UnsafeBufferPointer(rebasing: piece), arrivedAt: now, into: &outputs)
                    for case .location in outputs { count += 1 }
                }
            }
            for case .location in decoder.finish(isFile: true) { count += 1 }
        }
        precondition(count == fixes, "fixes are missing: \(count)")
        return time
    }

    /// How long gpsdecode takes for a log, without the time that it takes to start.
    private static func gpsdecode(_ log: [UInt8]) throws -> Int64 {
        let start = try run(Array(log.prefix(0)))
        return max(1, try run(log) - start)
    }

    private static func run(_ log: [UInt8]) throws -> Int64 {
        let path = "/tmp/sensorium-bench-\(getpid()).nmea"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("cannot write \(path)") }
        var rest = log[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("cannot write \(path)") }
            rest = rest.dropFirst(count)
        }
        close(file)
        defer { unlink(path) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        let words: [String] = ["gpsdecode", "-j"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var status: Int32 = 0
        let time = try nanoseconds {
            var child = pid_t()
            guard posix_spawnp(&child, "gpsdecode", &actions, nil, &arguments, environ) == 0 else {
                throw Failure("gpsdecode is missing; apt-get install gpsd-clients")
            }
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        }
        guard status == 0 else { throw Failure("gpsdecode failed") }
        return time
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
