import Sensorium
import SensoriumRecording
import Testing

@Suite("MCAP files of other versions of this package", .timeLimit(.minutes(1)))
struct MCAPVersionTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Files"

    @Test("a file with all fields in JSON, as was written at first, is read field for field")
    func before() throws {
        let file = try RecordingFile("\(Self.folder)/before-details.mcap")
        let recording = MCAPRecordingTests.everything()
        #expect(file.damage == RecordingDamage())
        #expect(file.content.metadata == recording.metadata)
        #expect(file.content.sensors == recording.sensors)
        #expect(file.content.events == recording.events)
        #expect(file.summary?.readings["v4l2/camera"] == 4)
    }

    /// Writes a fix, with `change` of the text and the numbers of the channel of all of its fields.
    private static func reading(
        _ fix: LocationFix, _ change: (inout [UInt8], inout [UInt8]) -> Void
    ) throws -> RecordingFile {
        let folder = try TemporaryFolder()
        var recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "gps", kind: .location, name: "G"))])
        recording.append(fix, of: "gps")
        _ = try folder.roundTrip(recording, as: "a.mcap")
        let file = try MCAPFileReader("\(folder.path)/a.mcap")
        let path = "\(folder.path)/b.mcap"
        let writer = try MCAPFileWriter(path, library: "another version")
        var channels: [UInt16: MCAPFileWriter.Channel] = [:]
        for (id, channel) in file.channels.sorted(by: { $0.key < $1.key }) {
            var channel = channel
            if channel.topic == "/gps/details", var schema = channel.schema {
                var payload: [UInt8] = []
                change(&schema.text, &payload)
                channel.schema = schema
            }
            channels[id] = try writer.add(channel)
        }
        while let message = try file.next() {
            let channel = try #require(file.channels[message.channel])
            var (text, payload) = ([UInt8](), Array(message.payload))
            if channel.topic == "/gps/details" { change(&text, &payload) }
            try payload.withUnsafeBytes {
                try writer.write(
                    #require(channels[message.channel]), logTime: message.logTime,
                    publishTime: message.publishTime, payload: $0)
            }
        }
        try writer.finish()
        return try RecordingFile(path)
    }

    private static let fix = LocationFix(
        time: ReadingTime(SensorInstant(nanoseconds: 5)), latitude: 1, longitude: 2,
        altitudeMSL: 3, climb: 4, quality: .rtkFixed, satellitesUsed: 5)

    @Test("fields that a later version adds behind ours are passed over")
    func later() throws {
        let file = try Self.reading(Self.fix) { text, numbers in
            text += Array("float64 novelty  # of tomorrow\n".utf8)
            numbers += [UInt8](repeating: 7, count: 16)
        }
        #expect(file.fixes == [Self.fix] && file.damage.isEmpty)
    }

    @Test("fields that an earlier version did not have are unknown")
    func earlier() throws {
        let file = try Self.reading(Self.fix) { text, numbers in
            let lines = text.split(separator: 0x0a)
            text = lines.dropLast().flatMap { Array($0) + [0x0a] }
            // The number of satellites, and what tells that it is known.
            if numbers.count > 8 {
                numbers.removeLast(8)
                numbers[5] &= ~(1 << 6)
            }
        }
        var fix = Self.fix
        fix.satellitesUsed = nil
        #expect(file.fixes == [fix] && file.damage.isEmpty)
    }

    /// What other programs see of the fix.
    private static let seen = LocationFix(
        time: fix.time, latitude: 1, longitude: 2, fix: .twoDimensional)

    @Test(
        "where a number is missing, or a word is of no list, there is what other programs see")
    func cut() throws {
        let short = try Self.reading(Self.fix) { _, numbers in
            if !numbers.isEmpty { numbers.removeLast() }
        }
        #expect(short.fixes == [Self.seen] && short.damage.skippedRecords == 1)
        let strange = try Self.reading(Self.fix) { _, numbers in
            // The kind of fix, three bytes and eight before the end.
            if !numbers.isEmpty { numbers[numbers.count - 16] = 200 }
        }
        #expect(strange.fixes == [Self.seen] && strange.damage.skippedRecords == 1)
    }

    @Test("messages of a schema that differs within ours are counted, not guessed")
    func different() throws {
        let file = try Self.reading(Self.fix) { text, _ in
            if let place = text.firstIndex(of: 0x0a) { text[text.index(after: place)] = 0x75 }
        }
        #expect(file.fixes == [Self.seen])
        #expect(file.damage.unknownMessages == ["/gps/details": 1] && file.damage.isEmpty)
    }
}
