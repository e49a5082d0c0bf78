import Sensorium
import SensoriumRecording
import Testing

@Suite("MCAP container, hostile", .timeLimit(.minutes(1)))
struct MCAPHostileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file of records that `body` writes, with its start, and its end where it is to have one.
    private func file(isWhole: Bool = true, _ body: (ByteBuffer) -> Void) throws -> String {
        let buffer = ByteBuffer()
        buffer.append(MCAP.magic)
        buffer.record(.header) {
            buffer.append("")
            buffer.append("feas")
        }
        body(buffer)
        if isWhole {
            buffer.record(.dataEnd) { buffer.append(UInt32(0)) }
            buffer.record(.footer) { for _ in 0..<5 { buffer.append(UInt32(0)) } }
            buffer.append(MCAP.magic)
        }
        return try folder.write(Array(buffer.bytes), as: "made.mcap")
    }

    private func channel(_ buffer: ByteBuffer) {
        buffer.record(.schema) {
            buffer.append(UInt16(1))
            buffer.append("Accel")
            buffer.append("jsonschema")
            buffer.append(UInt32(2))
            buffer.append(Array("{}".utf8))
        }
        buffer.record(.channel) {
            buffer.append(UInt16(1))
            buffer.append(UInt16(1))
            buffer.append("/accel")
            buffer.append("json")
            buffer.append([:])
        }
    }

    private func message(_ buffer: ByteBuffer, _ number: Int, channel: UInt16 = 1) {
        buffer.record(.message) {
            buffer.append(channel)
            buffer.append(UInt32(number))
            buffer.append(UInt64(number * 10))
            buffer.append(UInt64(number * 10))
            buffer.append(Array(#"{"x":\#(number),"y":0,"z":9.8}"#.utf8))
        }
    }

    /// A chunk of messages 0 to 2 that says of itself what it likes.
    private func chunk(
        _ buffer: ByteBuffer, compression: String = "", size: UInt64? = nil,
        records: [UInt8]? = nil, stored: UInt64? = nil
    ) {
        let inner = ByteBuffer()
        for number in 0..<3 { message(inner, number) }
        let records = records ?? Array(inner.bytes)
        buffer.record(.chunk) {
            buffer.append(UInt64(0))
            buffer.append(UInt64(20))
            buffer.append(size ?? UInt64(records.count))
            buffer.append(UInt32(0))
            buffer.append(compression)
            buffer.append(stored ?? UInt64(records.count))
            buffer.append(records)
        }
    }

    @Test("REC-01: a file that was cut off gives what is whole, and says that it was cut")
    func rec01() throws {
        let path = try file { buffer in
            channel(buffer)
            for number in 0..<5 { message(buffer, number) }
        }
        let good = try folder.read("made.mcap")
        #expect(good.count == 414)
        func read(_ bytes: [UInt8]) throws -> (count: Int, damage: RecordingDamage) {
            let file = try MCAPFile(folder.write(bytes, as: "rec01.mcap"))
            return (file.messages.count, file.damage)
        }
        #expect(try MCAPFile(path).damage.isEmpty)
        #expect(try read(good).count == 5)
        let inMessage = try read(Array(good[..<340]))
        #expect(inMessage.count == 4 && inMessage.damage.truncatedAt == 312)
        let noEnd = try read(Array(good.dropLast(8)))
        #expect(noEnd.count == 5 && noEnd.damage.lacksEnd && !noEnd.damage.isEmpty)
        let badEnd = try read(good.dropLast(8) + [3, 0, 0xc0, 0xae, 0x11, 0, 0, 0])
        #expect(badEnd.count == 5 && badEnd.damage.lacksEnd)
        let magic = try read(Array(good[..<8]))
        #expect(magic.count == 0 && magic.damage.truncatedAt == 8)
        let none = try folder.write([], as: "rec01.mcap")
        #expect(recordingError { _ = try MCAPFileReader(none) }?.condition == .empty)
        #expect(recordingError { _ = try RecordingFormat.of(none) }?.condition == .empty)
    }

    @Test("a file of something else is refused")
    func stranger() throws {
        let path = try folder.write(Array("{\"class\":\"TPV\"}".utf8), as: "a.mcap")
        #expect(recordingError { _ = try MCAPFileReader(path) }?.condition == .unrecognized)
    }

    @Test("a record with an absurd length costs no memory, and no record behind it")
    func absurdLengths() throws {
        for opcode: UInt8 in [0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x09, 0x0c, 0x0f, 0x80] {
            for length: UInt64 in [.max, 1 << 63, 1 << 40, 5000] {
                let path = try file { buffer in
                    channel(buffer)
                    for number in 0..<3 { message(buffer, number) }
                    buffer.append(opcode)
                    buffer.append(length)
                    for number in 3..<6 { message(buffer, number) }
                }
                let file = try MCAPFile(path)
                #expect(
                    file.messages.map(\.sequence) == [0, 1, 2, 3, 4, 5], "\(opcode), \(length)")
                #expect(file.damage.skippedBlocks == 1)
            }
        }
    }

    @Test("texts and tables longer than their record are left out")
    func absurdTexts() throws {
        let path = try file { buffer in
            channel(buffer)
            for opcode in [MCAPOpcode.schema, .channel, .metadata] {
                buffer.record(opcode) { for _ in 0..<6 { buffer.append(UInt32.max) } }
            }
            message(buffer, 0)
            message(buffer, 1, channel: 77)
            buffer.record(.message) { buffer.append(UInt16(1)) }
            message(buffer, 2)
        }
        let reader = try MCAPFileReader(path)
        let file = try MCAPFile(reader)
        #expect(file.messages.map(\.sequence) == [0, 2])
        #expect(file.damage.skippedRecords == 4)
        #expect(reader.channels.count == 1 && reader.metadata.isEmpty)
    }

    @Test("a chunk that lies about its size is left out, and the one behind it is read")
    func lies() throws {
        let zeros = [UInt8](repeating: 0, count: 200)
        let lies: [(ByteBuffer) -> Void] = [
            { chunk($0, size: .max) }, { chunk($0, compression: "zstd", size: 1 << 60) },
            { chunk($0, compression: "lz4", size: 200 << 20) },
            { chunk($0, compression: "zstd", size: 200 << 20, records: zeros) },
            { chunk($0, compression: "lz4", records: zeros) }, { chunk($0, stored: .max) },
            { chunk($0, stored: 1 << 32) }, { chunk($0, compression: "xz") },
            { chunk($0, records: zeros) }, { chunk($0, records: [5, 200, 0, 0, 0, 0, 0, 0, 0]) },
        ]
        for (number, lie) in lies.enumerated() where MCAPCompression.zstd.isAvailable || number < 1
        {
            let path = try file { buffer in
                channel(buffer)
                lie(buffer)
                chunk(buffer)
            }
            let file = try MCAPFile(path)
            #expect(file.messages.map(\.sequence) == [0, 1, 2], "lie \(number)")
            #expect(file.damage.skippedBlocks == 1 || number == 8, "lie \(number)")
        }
    }

    #if Compression
    @Test("a bomb is not unpacked beyond the size that it tells")
    func bomb() throws {
        // 16 MiB of zeros, which become a few kilobytes.
        for compression in [MCAPCompression.zstd, .lz4] {
            let path = "\(folder.path)/bomb.mcap"
            let writer = try MCAPFileWriter(
                path, library: "", options: MCAPOptions(compression: compression))
            let channel = try writer.add(MCAPFile.channels[1])
            try [UInt8](repeating: 0, count: 16 << 20).withUnsafeBytes {
                try writer.write(channel, logTime: 1, publishTime: 1, payload: $0)
            }
            try writer.finish()
            var bytes = try folder.read("bomb.mcap")
            #expect(bytes.count < 100_000)
            let chunks = MCAPFile.records(of: bytes).filter { $0.opcode == 0x06 }
            let chunk = try #require(chunks.first)
            // It says that it has 4 KiB.
            let size = chunk.range.lowerBound + 9 + 16
            bytes.replaceSubrange(size..<size + 8, with: [0, 16, 0, 0, 0, 0, 0, 0])
            let file = try MCAPFile(folder.write(bytes, as: "bomb.mcap"))
            #expect(file.messages.isEmpty && file.damage.skippedBlocks == 1)
        }
    }
    #else
    @Test("a compressed file is refused with what to do about it")
    func compressed() throws {
        let path = try file { chunk($0, compression: "zstd") }
        let error = recordingError { _ = try MCAPFile(path) }
        #expect(error?.condition == .unsupported)
        #expect(error?.hint.contains("Compression") == true)
    }
    #endif

    @Test("a file of an unknown compression says which")
    func unknownCompression() throws {
        let path = try file { buffer in
            channel(buffer)
            chunk(buffer, compression: "xz")
        }
        let error = recordingError { _ = try MCAPFile(path) }
        #expect(error?.condition == .unsupported)
        #expect(error?.reason.contains("\"xz\"") == true)
    }

    @Test("a file in which each byte could begin a record is given up, not searched for ever")
    func decoys() throws {
        let path = try file(isWhole: false) { buffer in
            channel(buffer)
            buffer.append(UInt8(0x05))
            buffer.append(UInt64.max)
            for _ in 0..<40_000 {
                buffer.append(UInt8(0x06))
                buffer.append(UInt64(100))
            }
        }
        #expect(try MCAPFile(path).messages.isEmpty)
    }
}
