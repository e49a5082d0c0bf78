import Glibc
import Sensorium
import SensoriumTestKit
import Testing

@testable import GPSDPlugin

/// What real receivers of many makes said through gpsd 3.20 to 3.27.
///
/// The transcripts are not part of this repository; without them there is nothing to run.
@Suite(
    "gpsd transcripts", .timeLimit(.minutes(1)),
    .enabled(if: !Transcript.all.isEmpty, "there are no transcripts at ../shared/data/gpsd"))
struct GPSDTranscriptTests {
    @Test(
        "gives one fix for each time with a position, and rejects no line of gpsd's",
        arguments: Transcript.all)
    func decodes(transcript: Transcript) throws {
        let bytes = try transcript.bytes()
        let decoded = Decoded(bytes, clock: VirtualClock())
        // A slow client was cut off by gpsd in the middle of the last line.
        #expect(decoded.rejectedCount <= (bytes.last == 0x0a ? 0 : 1), "\(decoded.rejected)")
        #expect(!decoded.releases.isEmpty)
        let times = decoded.fixes.compactMap(\.time.utcNanoseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 != $1 })
        #expect(decoded.fixes.count == transcript.fixCount(in: bytes))
        for fix in decoded.fixes {
            #expect(abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180)
            #expect(fix.fix == .threeDimensional || fix.climb == nil)
            #expect(fix.speed.map { $0 >= 0 && $0 < 100 } ?? true)
        }
        for sky in decoded.satellites {
            let names = sky.inView.map { "\($0.system.map { "\($0)" } ?? "") \($0.number)" }
            #expect(Set(names).count == names.count)
            #expect(sky.usedCount <= sky.inView.count)
        }
    }

    @Test("gives the same for every cutting", arguments: Transcript.all)
    func cuttings(transcript: Transcript) throws {
        let bytes = try transcript.bytes()
        let whole = Decoded(bytes, clock: VirtualClock())
        for size in [61, 1448] {
            let cuts = Array(stride(from: size, to: bytes.count, by: size))
            let cut = Decoded(bytes, cuts: cuts, clock: VirtualClock())
            #expect(cut.fixes == whole.fixes)
            #expect(cut.satellites == whole.satellites)
            #expect(cut.rejected == whole.rejected)
        }
    }
}

/// One recorded conversation.
struct Transcript: Sendable, CustomTestStringConvertible {
    var path: String

    var testDescription: String { String(path.split(separator: "/").last ?? "") }

    /// All that are on this machine, by name.
    static let all: [Transcript] = {
        let root = getenv("SENSORIUM_SHARED").map { String(cString: $0) } ?? "../shared"
        let folder = "\(root)/data/gpsd"
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var found: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { found.append("\(folder)/\(name)") }
        }
        return found.sorted().map { Transcript(path: $0) }
    }()

    func bytes() throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 {
            all += piece.prefix(count)
        }
        return all
    }

    /// How many fixes there must be, counted in another way than the decoder's: runs of TPV lines
    /// with the same time and a position.
    func fixCount(in bytes: [UInt8]) -> Int {
        var count = 0
        var last = ""
        for line in bytes.split(separator: 0x0a) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix(#"{"class":"TPV""#) else { continue }
            let hasFix = text.contains(#""mode":2"#) || text.contains(#""mode":3"#)
            guard hasFix, text.contains(#""lat":"#) else {
                last = ""
                continue
            }
            let time = text.split(separator: #""time":""#).dropFirst().first.map {
                String($0.prefix(24))
            }
            if time == nil || time != last { count += 1 }
            last = time ?? ""
        }
        return count
    }
}
