import Glibc
import Sensorium
import SensoriumRecording

/// Accelerations into an MCAP file and out of it again, beside Python's mcap with its ROS 2 support.
enum MCAPBenchmarks {
    private static let id: SensorID = "iio/acceleration"

    static func rows() throws -> [Row] {
        let folder = "/tmp/sensorium-bench-\(getpid())"
        mkdir(folder, 0o700)
        let path = "\(folder)/ours.mcap"
        defer {
            for name in ["ours", "rival", "rival-zstd"] { unlink("\(folder)/\(name).mcap") }
            unlink("\(folder)/rival.txt")
            unlink("\(folder)/imu.msg")
            rmdir(folder)
        }
        let count = 300_000
        let events = (0..<count).map { number in
            let time = ReadingTime(SensorInstant(nanoseconds: Int64(number) * 5_000_000))
            return RecordedEvent(
                sensor: id, instant: time.instant,
                content: .reading(
                    .acceleration(
                        Acceleration(
                            time: time, x: Double(number) / 7, y: -0.5,
                            z: 9.81 - Double(number % 13)))))
        }
        var (plain, zstd, read) = (Samples(), Samples(), Samples())
        for _ in 0..<9 {
            zstd.add(try write(events, path, .zstd), items: count)
            plain.add(try write(events, path, .none), items: count)
            read.add(try self.read(path, count), items: count)
        }
        let rival = try python(folder, schemaOf: path)
        let name = "Python mcap"
        return [
            Row(
                name: "mcap.write.plain", value: plain.median, unit: "ns",
                rival: rival.map { (name, $0[0]) }, goal: 1000, goalRatio: 20),
            Row(
                name: "mcap.write.zstd", value: zstd.median, unit: "ns",
                rival: rival.map { (name, $0[1]) }, goal: 2500, goalRatio: 20),
            Row(
                name: "mcap.read", value: read.median, unit: "ns",
                rival: rival.map { (name, $0[2]) }, goal: 500, goalRatio: 20),
        ]
    }

    private static func write(
        _ events: [RecordedEvent], _ path: String, _ compression: MCAPCompression
    ) throws -> Int64 {
        guard let create = RecordingFormat.mcap(MCAPOptions(compression: compression)).create else {
            return 0
        }
        return try nanoseconds {
            let writer = try create(
                path, RecordingMetadata(clock: RecordingClock(domain: .boottime)))
            try writer.add(RecordedSensor(SensorDescriptor(id: id, kind: .acceleration, name: "A")))
            for event in events { try writer.write(event) }
            try writer.finish()
        }
    }

    private static func read(_ path: String, _ count: Int) throws -> Int64 {
        var (found, total) = (0, 0.0)
        let time = try nanoseconds {
            let reader = try RecordingFormat.open(path)
            while let event = try reader.next() {
                guard case .reading(.acceleration(let vector)) = event.content else { continue }
                total += vector.x
                found += 1
            }
        }
        precondition(found == count && total > 0, "readings are missing: \(found)")
        return time
    }

    /// What Python takes for each message; nil, and a line that says so, where its packages are missing.
    private static func python(_ folder: String, schemaOf path: String) throws -> [Double]? {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let reader = try MCAPFileReader(path)
        guard access("\(root)/.venv/packages", R_OK) == 0,
            let schema = reader.channels.values.first(where: { $0.encoding == "cdr" })?.schema
        else {
            let line = Array("bench: Python's mcap is missing; run scripts/python\n".utf8)
            _ = Glibc.write(2, line, line.count)
            return nil
        }
        let file = try OutputFile("\(folder)/imu.msg")
        try file.write(schema.text)
        try file.finish()
        let command =
            "'\(root)/.venv/bin/python' '\(root)/Benchmarks/mcap_rival.py' '\(folder)' 20000 "
            + "'\(folder)/imu.msg' >'\(folder)/rival.txt'"
        guard system(command) == 0 else { return nil }
        let output = try InputFile("\(folder)/rival.txt").start()
        let numbers = String(decoding: output, as: UTF8.self).split(separator: "\n")
            .compactMap { Double($0) }
        return numbers.count == 3 ? numbers : nil
    }
}
