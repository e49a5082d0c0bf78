import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("MCAP container, damaged", .timeLimit(.minutes(2)))
struct MCAPDamageTests {
    @Test("cut at any byte, it gives every message of a whole record", arguments: MCAPFile.options)
    func cuts(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 24, options)
        let bytes = try folder.read("a.mcap")
        let records = MCAPFile.records(of: bytes)
        // How many messages stand in the first records.
        let counts = try (0...records.count).map {
            try Self.messages(in: records.prefix($0), bytes, options)
        }
        let borders = records.map(\.range.upperBound)
        for cut in Campaign.places(1..<bytes.count, each: 17, borders: borders) {
            let part = try folder.write(Array(bytes[..<cut]), as: "cut.mcap")
            let file = try MCAPFile(part)
            let whole = records.prefix { $0.range.upperBound <= cut }
            let (count, numbers) = (counts[whole.count], file.numbers)
            try #require(numbers.count >= count, "cut at \(cut)")
            // Whole messages of a block that was cut may be read too, where it is not compressed.
            try #require(numbers == Array(0..<numbers.count), "cut at \(cut)")
            if options.compression != .none || options.chunkSize == 0 {
                try #require(numbers.count == count, "cut at \(cut)")
            }
            try #require(file.damage.truncatedAt != nil || file.damage.lacksEnd, "cut at \(cut)")
            if cut == whole.last?.range.upperBound, whole.last?.opcode != 0x02 {
                try #require(file.damage.truncatedAt == nil, "cut at \(cut)")
            }
        }
    }

    /// How many messages stand in whole records: found by reading a file of those records alone.
    private static func messages(
        in records: ArraySlice<(opcode: UInt8, range: Range<Int>)>, _ bytes: [UInt8],
        _ options: MCAPOptions
    ) throws -> Int {
        if options.chunkSize == 0 { return records.filter { $0.opcode == 0x05 }.count }
        // Each message has 16 bytes in an index, and indexes follow their chunk.
        let folder = try TemporaryFolder()
        guard let last = records.last(where: { $0.opcode == 0x06 }) else { return 0 }
        let path = try folder.write(Array(bytes[..<last.range.upperBound]), as: "whole.mcap")
        return try MCAPFile(path).messages.count
    }

    @Test("a wrong byte costs no message of another block", arguments: MCAPFile.options.dropFirst())
    func flips(options: MCAPOptions) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 24, options)
        let bytes = try folder.read("a.mcap")
        let records = MCAPFile.records(of: bytes)
        // The numbers of the messages of each block.
        var blocks: [(range: Range<Int>, numbers: Range<Int>)] = []
        for record in records where record.opcode == 0x06 {
            let part = try folder.write(Array(bytes[..<record.range.upperBound]), as: "part.mcap")
            let end = try MCAPFile(part).messages.count
            blocks.append((record.range, (blocks.last?.numbers.upperBound ?? 0)..<end))
        }
        try #require(blocks.count >= 4)
        var random = SeededGenerator(seed: 3)
        let borders = records.map(\.range.lowerBound)
        for place in Campaign.places(8..<bytes.count, each: 11, borders: borders) {
            var changed = bytes
            changed[place] ^= random.next() % 2 == 0 ? 0xff : 1 << UInt8(random.next() % 8)
            let file = try MCAPFile(try folder.write(changed, as: "flip.mcap"))
            let hit = blocks.first { $0.range.contains(place) }?.numbers
            let kept = (0..<24).filter { hit?.contains($0) != true }
            let numbers = file.numbers
            let read = Set(numbers.compactMap { $0 })
            try #require(kept.allSatisfy(read.contains), "byte \(place)")
            if let hit, hit.contains(where: { !read.contains($0) }) {
                try #require(file.damage.skippedBlocks > 0, "byte \(place)")
            }
            // An index with the opcode of a message looks like one; no message comes twice.
            try #require(read.count + 1 >= numbers.count, "byte \(place)")
        }
    }

    @Test("a wrong checksum costs its block, which is counted and named")
    func wrongChecksum() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 50, MCAPOptions(compression: .none, chunkSize: 400))
        var bytes = try folder.read("a.mcap")
        let blocks = MCAPFile.records(of: bytes).filter { $0.opcode == 0x06 }
        bytes[blocks[1].range.upperBound - 1] ^= 1
        let file = try MCAPFile(try folder.write(bytes, as: "b.mcap"))
        #expect(file.damage.skippedBlocks == 1 && !file.numbers.contains(nil))
        #expect(file.damage.notes.first?.contains("byte \(blocks[1].range.lowerBound)") == true)
        #expect((20..<50).contains(file.messages.count))
    }

    @Test("unknown opcodes and unknown fields behind the known ones are passed over")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/a.mcap"
        try MCAPFile.write(path, 12, MCAPOptions(compression: .none, chunkSize: 0))
        let bytes = try folder.read("a.mcap")
        var changed = Array(bytes[..<8])
        for record in MCAPFile.records(of: bytes) {
            for opcode: UInt8 in [0x80, 0xff, 0x7f, 0x10] {
                changed += [opcode, 3, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5]
            }
            var copy = Array(bytes[record.range])
            if [0x03, 0x04, 0x0c, 0x01].contains(record.opcode) {
                copy[1] += 2
                copy += [9, 9]
            }
            if record.opcode == 0x0f { copy = [0x0f, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1] }
            // The summary is elsewhere now.
            if record.opcode == 0x02 {
                copy.replaceSubrange(9..., with: repeatElement(0, count: 20))
            }
            changed += copy
        }
        changed += MCAP.magic
        let file = try MCAPFile(try folder.write(changed, as: "b.mcap"))
        #expect(file.numbers == Array(0..<12))
        #expect(file.damage.isEmpty)
        #expect(try MCAPFileReader("\(folder.path)/b.mcap").metadata == [MCAPFile.metadata])
    }

    @Test("any change is borne, and the reading gives the same again")
    func fuzz() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 11)
        for options in MCAPFile.options {
            let path = "\(folder.path)/a.mcap"
            try MCAPFile.write(path, 30, options)
            let model = try folder.read("a.mcap")
            for round in 0..<Campaign.rounds(50, long: 300) {
                var bytes = model
                for _ in 0...random.next() % 5 { Self.mutate(&bytes, &random) }
                let changed = try folder.write(bytes, as: "fuzz.mcap")
                guard let reader = try? MCAPFileReader(changed),
                    let first = try? MCAPFile(reader)
                else { continue }
                reader.seek(to: .min)
                let again = try MCAPFile(reader)
                try #require(first.messages == again.messages, "round \(round)")
                try #require(first.damage == again.damage, "round \(round)")
                reader.seek(to: 1150)
                _ = try MCAPFile(reader)
            }
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard bytes.count > 16 else { return }
        let place = 8 + Int(random.next() % UInt64(bytes.count - 8))
        let end = min(bytes.count, place + Int(random.next() % 60))
        switch random.next() % 7 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] ^= 1 << UInt8(random.next() % 8)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: for index in place..<end { bytes[index] = 0xff }
        default: for index in place..<end { bytes[index] = 0 }
        }
    }
}
