import Glibc
import Sensorium
import SensoriumRecording

/// Accelerations into an MCAP file and out of it again, beside Python's mcap with its ROS 2 support.
///
/// Plain ones have a time and three numbers. Live ones are as hardware gives them, with the time of the
/// device's own clock and its uncertainty: two messages, in ours and in Python's file.
enum MCAPBenchmarks {
    private static let id: SensorID = "iio/acceleration"

    static func rows() throws -> [Row] {
        let folder = "/tmp/sensorium-bench-\(getpid())"
        mkdir(folder, 0o700)
        let path = "\(folder)/ours.mcap"
        defer {
            for name in ["ours", "rival", "rival-zstd"] { unlink("\(folder)/\(name).mcap") }
            unlink("\(folder)/rival.txt")
            for name in ["imu", "details"] { unlink("\(folder)/\(name).msg") }
            rmdir(folder)
        }
        var rows: [Row] = []
        for isLive in [false, true] {
            let events = events(isLive: isLive)
            let count = events.count
            var (plain, zstd, read) = (Samples(), Samples(), Samples())
            for _ in 0..<9 {
                zstd.add(try write(events, path, .zstd), items: count)
                plain.add(try write(events, path, .none), items: count)
                read.add(try self.read(path, count), items: count)
            }
            let rival = try python(folder, schemasOf: path, isLive: isLive)
            let measured: [(name: String, time: Double, goal: Double)] = [
                ("write.plain", plain.median, 1000), ("write.zstd", zstd.median, 2500),
                ("read", read.median, 500),
            ]
            for (place, row) in measured.enumerated() {
                rows.append(
                    Row(
                        name: "mcap.\(row.name)\(isLive ? ".live" : "")", value: row.time,
                        unit: "ns",
                        rival: rival.map { ("Python mcap", $0[place]) },
                        // A live reading is two messages.
                        goal: isLive ? 2 * row.goal : row.goal, goalRatio: 20))
            }
        }
        return rows
    }

    private static func events(isLive: Bool) -> [RecordedEvent] {
        (0..<300_000).map { number in
            let instant = SensorInstant(nanoseconds: Int64(number) * 5_000_000)
            let time =
                isLive
                ? ReadingTime(
                    instant,
                    original: ClockTime(
                        nanoseconds: 1_700_000_000_000_000_000 + instant.nanoseconds,
                        domain: .realtime), uncertainty: .microseconds(40))
                : ReadingTime(instant)
            return RecordedEvent(
                sensor: id, instant: instant,
                content: .reading(
                    .acceleration(
                        Acceleration(
                            time: time, x: Double(number) / 7, y: -0.5,
                            z: 9.81 - Double(number % 13)))))
        }
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
    private static func python(
        _ folder: String, schemasOf path: String, isLive: Bool
    ) throws -> [Double]? {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let schemas = try MCAPFileReader(path).channels.values.compactMap(\.schema)
        guard access("\(root)/.venv/packages", R_OK) == 0 else {
            let line = Array("bench: Python's mcap is missing; run scripts/python\n".utf8)
            _ = Glibc.write(2, line, line.count)
            return nil
        }
        var files = ""
        for (name, schema) in [
            ("imu", "sensor_msgs/msg/Imu"), ("details", "sensorium/msg/Acceleration"),
        ] where isLive || name == "imu" {
            guard let text = schemas.first(where: { $0.name == schema })?.text else { return nil }
            let file = try OutputFile("\(folder)/\(name).msg")
            try file.write(text)
            try file.finish()
            files += " '\(folder)/\(name).msg'"
        }
        let command =
            "'\(root)/.venv/bin/python' '\(root)/Benchmarks/mcap_rival.py' '\(folder)' 20000"
            + "\(files) >'\(folder)/rival.txt'"
        guard system(command) == 0 else { return nil }
        let output = try InputFile("\(folder)/rival.txt").start()
        let numbers = String(decoding: output, as: UTF8.self).split(separator: "\n")
            .compactMap { Double($0) }
        return numbers.count == 3 ? numbers : nil
    }
}
