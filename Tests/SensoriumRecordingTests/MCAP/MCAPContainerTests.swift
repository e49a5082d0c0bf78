import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("MCAP container", .timeLimit(.minutes(1)))
struct MCAPContainerTests {
    @Test("the checksum is the one of zlib, whatever the length")
    func checksum() {
        #expect(Array("123456789".utf8).withUnsafeBytes(CRC32.of) == 0xcbf4_3926)
        var random = SeededGenerator(seed: 1)
        let bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for length in 0..<bytes.count {
            var slow = UInt32.max
            for byte in bytes[..<length] {
                slow ^= UInt32(byte)
                for _ in 0..<8 { slow = slow & 1 == 1 ? 0xedb8_8320 ^ slow >> 1 : slow >> 1 }
            }
            bytes.withUnsafeBytes { buffer in
                var parts = CRC32()
                parts.add(UnsafeRawBufferPointer(rebasing: buffer[..<(length / 3)]))
                parts.add(UnsafeRawBufferPointer(rebasing: buffer[(length / 3)..<length]))
                #expect(parts.value == ~slow)
            }
        }
    }

    @Test("messages come back as they were, in their order", arguments: MCAPFile.options)
    func roundTrip(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 50, options)
        let reader = try MCAPFileReader(path)
        #expect(reader.library == "tests")
        #expect(reader.metadata == [MCAPFile.metadata])
        #expect(reader.channels == [1: MCAPFile.channels[0], 2: MCAPFile.channels[1]])
        let statistics = try #require(reader.statistics)
        #expect(statistics.messages == 50)
        #expect(statistics.messagesOfChannel == [1: 33, 2: 17])
        #expect(statistics.start == 1000 && statistics.end == 1490)
        #expect(statistics.chunks > 3 || options.chunkSize == 0)
        let file = try MCAPFile(reader)
        #expect(file.messages == (0..<50).map(MCAPFile.message))
        #expect(file.damage == RecordingDamage())
        reader.seek(to: .min)
        #expect(try MCAPFile(reader).messages == file.messages)
    }

    @Test("a file without a message, and one without a channel, are whole")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 0, MCAPOptions())
        #expect(try MCAPFile(path).damage.isEmpty)
        try MCAPFileWriter(path, library: "").finish()
        let file = try MCAPFile(path)
        #expect(file.damage.isEmpty && file.messages.isEmpty)
    }

    @Test("a seek goes to the first message of that time or later", arguments: MCAPFile.options)
    func seek(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 50, options)
        let reader = try MCAPFileReader(path)
        for (time, first) in [(0, 0), (1000, 0), (1001, 1), (1250, 25), (1490, 49), (1491, 50)] {
            reader.seek(to: Int64(time))
            #expect(try MCAPFile(reader).numbers == Array(first..<50), "seek to \(time)")
        }
    }

    @Test(
        "what was flushed is read though the file was never finished", arguments: MCAPFile.options)
    func unfinished(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 50, options, isFinished: false)
        let reader = try MCAPFileReader(path)
        #expect(reader.statistics == nil)
        #expect(reader.metadata == [MCAPFile.metadata])
        #expect(reader.channels.count == 2)
        let file = try MCAPFile(reader)
        #expect(file.numbers == Array(0..<50))
        #expect(file.damage.lacksEnd && file.damage.truncatedAt == nil)
        #expect(file.damage.skippedBlocks == 0)
    }

    @Test("a channel may be added between messages, and shares the schema of another")
    func lateChannel() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        for options in MCAPFile.options {
            let writer = try MCAPFile.write(path, 10, options, isFinished: false)
            var channel = MCAPFile.channels[0]
            channel.topic = "/late"
            let late = try writer.add(channel)
            try [7].withUnsafeBytes {
                try writer.write(late, logTime: 5000, publishTime: 1, payload: $0)
            }
            try writer.finish()
            let reader = try MCAPFileReader(path)
            #expect(reader.channels[3] == channel)
            #expect(reader.statistics?.schemas == 1)
            #expect(try MCAPFile(reader).messages.last?.time == 5000)
        }
    }

    @Test("a finished writer says so instead of writing on")
    func finished() throws {
        let folder = try TemporaryFolder()
        let writer = try MCAPFile.write("\(folder.path)/a.mcap", 10, MCAPOptions())
        #expect(recordingError { try writer.finish() }?.condition == .misuse)
        #expect(recordingError { try writer.flush() }?.condition == .misuse)
        #expect(recordingError { try writer.add(MCAPFile.metadata) }?.condition == .misuse)
    }

    @Test("a writer on a full device throws that error again, whatever it is asked")
    func full() throws {
        let writer = try MCAPFileWriter("/dev/null", library: "")
        #expect(writer.byteCount > 0)
        let error = recordingError { _ = try MCAPFileWriter("/dev/full", library: "") }
        #expect(error?.condition == .full)
    }
}
