import Glibc
import Sensorium
import Testing

@testable import SensoriumPluginKit

@Suite("ELF image", .timeLimit(.minutes(1)))
struct ELFImageTests {
    private static let file = Result { try Files.read(Files.fixture) }

    /// The note of a whole file's bytes, or why it has none.
    private func note(_ bytes: [UInt8], count: Int? = nil) throws(LoadRefusal) -> PluginNote {
        let file = FileBytes(bytes, count: count)
        return try PluginNote(file, image: ELFImage(file))
    }

    private func reason(_ bytes: [UInt8]) -> String? {
        do throws(LoadRefusal) {
            _ = try note(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("reads the note of a plugin that SwiftPM built")
    func reads() throws {
        let note = try note(Self.file.get())
        #expect(note.id == "fixture")
        #expect(note.version == "1.2.3")
        #expect(note.boundary == PluginNote.hostBoundary)
        #expect(note.kinds == SensorKind.allCases)
    }

    @Test(
        "names what is wrong with a header",
        arguments: [
            (4, [UInt8(1)], "64-bit"), (5, [2], "little-endian"), (6, [0], "version"),
            (16, [2, 0], "no shared library"), (18, [40, 0], "was built for ARM"),
            (18, [0xff, 0xff], "ELF machine 65535"), (54, [32, 0], "program headers of 32 bytes"),
            (56, [0, 0], "declares 0 program headers"), (56, [0xff, 0xff], "declares 65535"),
            (32, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "lie past its end"),
        ])
    func headers(offset: Int, change: [UInt8], expected: String) throws {
        var bytes = try Self.file.get()
        bytes.replaceSubrange(offset..<offset + change.count, with: change)
        let refusal = try #require(reason(bytes))
        #expect(refusal.contains(expected))
    }

    @Test("calls other files by what they are")
    func others() {
        #expect(reason([])?.hasPrefix("is empty") == true)
        #expect(reason(Array("not a library\n".utf8))?.hasPrefix("is not an ELF file") == true)
        #expect(reason([0x7f, 0x45, 0x4c, 0x46])?.hasPrefix("is truncated") == true)
    }

    @Test("refuses a file that was cut anywhere before the end of its segments")
    func cuts() throws {
        let whole = try Self.file.get()
        let image = try ELFImage(FileBytes(whole))
        let end = Int(image.segments.map { $0.offset + $0.fileSize }.max() ?? 0)
        for length in [1, 63, 64, 100, 1000, 4096, 20_000, end / 2, end - 1] {
            #expect(reason(Array(whole.prefix(length))) != nil, "\(length) bytes")
        }
        // What follows is section headers, which nothing reads when it is loaded.
        #expect(reason(Array(whole.prefix(end))) == nil)
    }

    @Test("takes any bytes without a trap", arguments: 0..<8)
    func fuzz(seed: UInt64) throws {
        let file = try Self.file.get()
        let image = try ELFImage(FileBytes(file))
        let notes = image.segments.filter { $0.type == UInt32(PT_NOTE) }
        // The headers and the notes are all that is read, and lie at the beginning.
        let end = Int(notes.map { $0.offset + $0.fileSize }.max() ?? 4096)
        let beginning = Array(file.prefix(end))
        var random = SplitMix(state: seed &* 0x9e37_79b9 &+ 1)
        var accepted = 0
        for _ in 0..<2000 {
            var bytes = beginning
            var count = file.count
            for _ in 0..<random.below(4) + 1 { mutate(&bytes, &count, &random) }
            if (try? note(bytes, count: count)) != nil { accepted += 1 }
        }
        // Some changes hit what nobody reads; what matters is that each look came to an end.
        #expect((1..<2000).contains(accepted))
    }

    private func mutate(_ bytes: inout [UInt8], _ count: inout Int, _ random: inout SplitMix) {
        let place = random.below(bytes.count)
        switch random.below(6) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2, 3:
            let interesting: [UInt64] = [
                0, 1, 0x7fff_ffff, 0xffff_ffff, .max, .max - 1, 1 << 63, 1 << 32, 12, 64,
            ]
            let value = interesting[random.below(interesting.count)]
            for index in 0..<8 where place + index < bytes.count {
                bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
            }
        case 4: count = random.below(count + 1)
        default:
            let other = random.below(bytes.count)
            for index in 0..<16 where max(place, other) + index < bytes.count {
                bytes[place + index] = bytes[other + index]
            }
        }
    }
}

/// A generator that gives the same numbers everywhere.
///
/// Source: Steele, Lea and Flood, 2014.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
}
