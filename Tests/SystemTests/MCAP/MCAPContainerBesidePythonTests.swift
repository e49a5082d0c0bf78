import Sensorium
import SensoriumRecording
import Testing

@Suite(
    "MCAP containers beside Python's mcap", .timeLimit(.minutes(1)),
    .enabled(
        if: PythonMCAP.isInstalled,
        "Python's packages are missing: run make test with a network, or scripts/python"))
struct MCAPContainerBesidePythonTests {
    /// The lines that `beside.py read` prints of a file, out of our reader.
    private static func lines(_ path: String) throws -> [String] {
        let reader = try MCAPFileReader(path)
        let digits = Array("0123456789abcdef")
        var lines: [String] = []
        while let message = try reader.next() {
            let channel = try #require(reader.channels[message.channel])
            let hex = message.payload.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
            let parts = [
                channel.topic, channel.encoding, channel.schema?.name ?? "-", "\(message.sequence)",
                "\(message.logTime)", "\(message.publishTime)", hex.joined(),
            ]
            lines.append(parts.joined(separator: "|"))
        }
        #expect(reader.damage == RecordingDamage())
        for table in reader.metadata {
            let rows = table.values.sorted { $0.key < $1.key }
            let values = rows.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ")
            lines.append("metadata \(table.name) {\(values)}")
        }
        return lines
    }

    @Test(
        "Python reads what we write, its checksums, index, statistics and metadata included",
        arguments: [0, 600], MCAPCompression.allCases)
    func ours(chunkSize: Int, compression: MCAPCompression) throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/ours.mcap"
        let writer = try MCAPFileWriter(
            path, library: "tests",
            options: MCAPOptions(compression: compression, chunkSize: chunkSize))
        try writer.add(MCAPMetadata(name: "trip", values: ["a": "1", "b": "2"]))
        let schema = MessageSchema(name: "A", encoding: "jsonschema", text: Array("{}".utf8))
        let channels = try [
            writer.add(
                MessageChannel(
                    topic: "/a", encoding: "json", schema: schema, metadata: ["unit": "m"])),
            writer.add(MessageChannel(topic: "/b", encoding: "raw", schema: nil)),
        ]
        for number in 0..<200 {
            if number == 150 { try writer.flush() }
            try (0..<UInt8(number)).map { $0 }.withUnsafeBytes {
                try writer.write(
                    channels[number % 2], logTime: UInt64(5000 + number),
                    publishTime: UInt64(4000 - number), payload: $0)
            }
        }
        try writer.finish()
        let theirs = try PythonMCAP.lines("read", path)
        #expect(theirs.count == 201)
        #expect(theirs == (try Self.lines(path)))
    }

    @Test("we read what Python writes", arguments: ["none", "lz4", "zstd", "plain"])
    func theirs(how: String) throws {
        let folder = try ScratchFolder()
        let path = "\(folder.path)/theirs.mcap"
        let lines = try PythonMCAP.lines("write", path, how)
        #expect(lines.count == 61)
        #expect(try Self.lines(path) == lines)
        // And what is left of it where it was cut off: its channels stand in chunks.
        let whole = try MCAPFileReader(path)
        #expect(whole.statistics?.attachments == 1)
        whole.seek(to: 1400)
        #expect(try whole.next()?.logTime == 1400)
        let file = try InputFile(path)
        var bytes = [UInt8](repeating: 0, count: Int(file.size) * 6 / 10)
        _ = try file.read(into: &bytes, at: 0)
        let cut = try OutputFile("\(folder.path)/cut.mcap")
        try cut.write(bytes)
        try cut.finish()
        let reader = try MCAPFileReader(cut.path)
        var count = 0
        while let message = try reader.next() {
            #expect(message.logTime == UInt64(1000 + count * 10))
            count += 1
        }
        #expect(count > 10 && reader.channels.count == 2)
        #expect(reader.damage.truncatedAt != nil || reader.damage.lacksEnd)
    }
}
