import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("MCAP index and checksums", .timeLimit(.minutes(1)))
struct MCAPIndexTests {
    @Test("a seek goes by the index, and does not look at what lies before")
    func seek() throws {
        let folder = try TemporaryFolder()
        let options = MCAPOptions(compression: .none, chunkSize: 400)
        try MCAPFile.write("\(folder.path)/a.mcap", 60, options)
        var bytes = try folder.read("a.mcap")
        let chunks = MCAPFile.records(of: bytes).filter { $0.opcode == 0x06 }.map(\.range)
        try #require(chunks.count > 6)
        // All but the last three, with their indexes.
        for place in chunks[0].lowerBound..<chunks[chunks.count - 3].lowerBound {
            bytes[place] = 0xff
        }
        let reader = try MCAPFileReader(folder.write(bytes, as: "b.mcap"))
        reader.seek(to: 1000 + 59 * 10)
        let last = try MCAPFile(reader)
        #expect(last.numbers == [59] && last.damage == RecordingDamage())
        // What is damaged there is told when it is wanted.
        reader.seek(to: .min)
        let rest = try MCAPFile(reader)
        #expect(rest.numbers.last == 59 && rest.numbers.count < 60)
        #expect(rest.damage.skippedBlocks > 0)
    }

    @Test(
        "an index that lies about places costs no message", arguments: MCAPFile.options.dropFirst())
    func lies(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        try MCAPFile.write("\(folder.path)/a.mcap", 60, options)
        let bytes = try folder.read("a.mcap")
        let records = MCAPFile.records(of: bytes)
        let footer = try #require(records.last { $0.opcode == 0x02 }).range
        for record in records where record.opcode == 0x08 {
            // Start, end, offset and length of the chunk; its compression stands behind.
            for place in [24, 25, 31] {
                var changed = bytes
                changed[record.range.lowerBound + 9 + place] ^= 0x41
                // Without its checksum, the summary is taken as it is.
                for place in footer.lowerBound + 25..<footer.upperBound { changed[place] = 0 }
                let reader = try MCAPFileReader(folder.write(changed, as: "b.mcap"))
                reader.seek(to: 1000 + 30 * 10)
                let file = try MCAPFile(reader)
                #expect(file.numbers == Array(30..<60), "\(place) of \(record.range)")
            }
        }
    }

    @Test("a seek finds what follows a time before the clock's zero in the same block")
    func negative() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        var recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "a", kind: .pressure, name: "A"))])
        for nanoseconds: Int64 in [-20, -10, 10, 20] {
            let instant = SensorInstant(nanoseconds: nanoseconds)
            recording.append(Pressure(time: ReadingTime(instant), value: 1), of: "a")
        }
        _ = try folder.roundTrip(recording, as: "a.mcap")
        let reader = try RecordingFormat.open(path)
        for (place, event) in recording.events.enumerated() {
            try reader.seek(to: #require(event.instant))
            #expect(
                try MemoryRecording(reading: reader).events == Array(recording.events[place...]))
        }
    }

    @Test("a change that no block tells of is told by the checksum of the file")
    func checksum() throws {
        for options in MCAPFile.options {
            let folder = try TemporaryFolder()
            try MCAPFile.write("\(folder.path)/a.mcap", 40, options)
            let bytes = try folder.read("a.mcap")
            let reader = try MCAPFileReader("\(folder.path)/a.mcap")
            let good = try MCAPFile(reader)
            #expect(good.damage == RecordingDamage() && good.messages.count == 40)
            let records = MCAPFile.records(of: bytes)
            // A letter of the table; or of a payload, where messages stand alone.
            var places = [try #require(records.first { $0.opcode == 0x0c }).range.upperBound - 1]
            if options.chunkSize == 0 {
                places.append(try #require(records.last { $0.opcode == 0x05 }).range.upperBound - 1)
            } else {
                places.append(try #require(records.last { $0.opcode == 0x07 }).range.upperBound - 1)
            }
            for place in places {
                var changed = bytes
                changed[place] ^= 1
                let path = try folder.write(changed, as: "b.mcap")
                let reader = try MCAPFileReader(path)
                let file = try MCAPFile(reader)
                #expect(file.damage.hasWrongChecksum && !file.damage.isEmpty)
                #expect(file.messages.count == 40)
                #expect(file.damage.description == "its checksum is wrong")
                // It is of the whole, so that a part says nothing of it.
                reader.seek(to: 1200)
                #expect(try MCAPFile(reader).damage == RecordingDamage())
                reader.seek(to: .min)
                #expect(try MCAPFile(reader).damage == file.damage)
            }
        }
    }

    @Test("a checksum is that of its pieces, wherever they were cut")
    func pieces() {
        var random = SeededGenerator(seed: 9)
        let bytes = (0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let whole = bytes.withUnsafeBytes { CRC32.of($0) }
        for cut in [0, 1, 7, 8, 100, 4096, 4999, 5000] {
            var sum = CRC32()
            bytes[..<cut].withUnsafeBytes { sum.add($0) }
            sum.add(bytes[cut...].withUnsafeBytes { CRC32.of($0) }, count: UInt64(5000 - cut))
            #expect(sum.value == whole, "cut at \(cut)")
        }
    }

    @Test("the index counts readings of other programs, where a message is one")
    func foreignSummary() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        let writer = try MCAPFileWriter(path, library: "another")
        let messages: [(String, String, String, [UInt8])] = [
            ("/gps", "foxglove.LocationFix", "protobuf", ForeignMessageTests.locationFix()),
            ("/imu", "sensor_msgs/msg/Imu", "cdr", ForeignMessageTests.imu()),
        ]
        for (topic, schema, encoding, bytes) in messages {
            let channel = try writer.add(
                MessageChannel(
                    topic: topic, encoding: encoding,
                    schema: MessageSchema(name: schema, encoding: encoding, text: [])))
            for number in 0..<3 {
                try bytes.withUnsafeBytes {
                    try writer.write(
                        channel, logTime: UInt64(1_700_000_000_500_000_000 + number),
                        publishTime: 0, payload: $0)
                }
            }
        }
        try writer.finish()
        let file = try RecordingFile(path)
        #expect(file.fixes.count == 3)
        // A message of a motion unit holds one to three readings.
        #expect(file.summary?.readings == ["gps": 3])
    }

    @Test(
        "a time-out keeps its duration whole",
        arguments: [
            Duration.zero, .nanoseconds(-1), .seconds(3), .nanoseconds(Int64.max),
            .nanoseconds(Int64.min), .seconds(Int64.max), .seconds(Int64.min) * 18,
            Duration(attoseconds: 1), Duration(attoseconds: .max), Duration(attoseconds: .min),
        ])
    func timeOut(after: Duration) throws {
        let folder = try TemporaryFolder()
        let recording = MemoryRecording(
            sensors: [RecordedSensor(SensorDescriptor(id: "a", kind: .pressure, name: "A"))],
            events: [
                RecordedEvent(
                    sensor: "a", instant: SensorInstant(nanoseconds: 1),
                    content: .ended(.timedOut("a", after: after, hint: "h")))
            ])
        #expect(try folder.roundTrip(recording, as: "a.mcap").content.events == recording.events)
    }
}
