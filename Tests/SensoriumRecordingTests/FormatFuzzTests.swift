import NMEAPlugin
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

/// Files in which anything was changed, the same ones in every run.
@Suite("recording formats, fuzzed", .timeLimit(.minutes(2)))
struct FormatFuzzTests {
    private static let rounds = Campaign.rounds(30, long: 150)

    /// A good file of each format, with the text of one good reading that stands before and after what
    /// is changed.
    private static func model(_ format: String) throws -> String {
        switch format {
        case "csv", "gpx", "nmea":
            let folder = try TemporaryFolder()
            var recording = EveryReading(clock: .utc).recording
            let kinds = RecordingFormat.named(like: "a.\(format)")?.kinds ?? []
            recording.sensors.removeAll { !kinds.contains($0.kind) }
            let ids = Set(recording.sensors.map(\.id))
            recording.events.removeAll { !ids.contains($0.sensor) }
            _ = try folder.roundTrip(recording, as: "model.\(format)")
            return String(decoding: try folder.read("model.\(format)"), as: UTF8.self)
        case "simple.csv":
            return "time;lat;lon;ele;ax;ay;az\n2024-01-01T12:00:00Z;1,5;2;3;4;5;6\n;;;;1;2;3\n"
        default:
            return """
                {"class":"VERSION","release":"3.22"}
                {"class":"TPV","mode":3,"time":"2024-01-01T12:00:00.000Z","lat":1.5,"lon":2.5}
                2024-01-01T12:00:01: {"class":"SKY","satellites":[{"PRN":1,"used":true}]}
                {"class":"ATT","time":"2024-01-01T12:00:02.000Z","heading":1,"pitch":2,"roll":3}
                {"class":"TPV","mode":2,"lat":1.5,"lon":2.5}

                """
        }
    }

    @Test(
        "bears any change, gives nothing that a sensor would not, and the same again",
        arguments: ["gpx", "csv", "simple.csv", "nmea", "json"])
    func mutations(format: String) throws {
        let folder = try TemporaryFolder()
        let model = Array(try Self.model(format).utf8)
        var random = SeededGenerator(seed: 5)
        for round in 0..<Self.rounds {
            var bytes = model
            for _ in 0...Int(random.next() % 6) { Self.mutate(&bytes, &random) }
            // Cut pieces of the file are read at its 64 KiB borders only, so blanks move those.
            if round % 30 == 7 { bytes += [UInt8](repeating: 0x0a, count: 65_400) + model }
            let path = try folder.write(bytes, as: "fuzz.\(format)")
            guard let reader = try? RecordingFormat.open(path) else { continue }
            let first = try MemoryRecording(reading: reader)
            try reader.rewind()
            let again = try MemoryRecording(reading: reader)
            #expect(first == again || Self.hasNaN(first), "round \(round)")
            #expect(first.events.count <= bytes.count)
            let known = Set(first.sensors.map(\.id))
            #expect(first.events.allSatisfy { known.contains($0.sensor) }, "round \(round)")
            if format != "csv" {
                #expect(first.events.allSatisfy(Self.isOnEarth), "round \(round)")
            }
            // What was read can be written again.
            if RecordingFormat.named(like: path)?.create != nil {
                let copy = try folder.roundTrip(first, as: "copy.csv")
                #expect(copy.damage.isEmpty, "round \(round): \(copy.damage.notes)")
            }
        }
    }

    /// NaN is not equal to itself.
    private static func hasNaN(_ recording: MemoryRecording) -> Bool {
        recording.events != recording.events
    }

    private static func isOnEarth(_ event: RecordedEvent) -> Bool {
        guard case .location(let fix)? = event.reading else { return true }
        return abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int(random.next() % UInt64(bytes.count))
        let end = min(bytes.count, place + Int(random.next() % 40))
        switch random.next() % 8 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] = 0x20 + UInt8(random.next() % 94)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.removeSubrange(place...)
        case 5: bytes[place] ^= 1 << UInt8(random.next() % 8)
        case 6: bytes.swapAt(place, Int(random.next() % UInt64(bytes.count)))
        default:
            let odd = [
                "nan", "1e999", "-", ",,", "\"", "9223372036854775808", "<", "]]>", "<!--", "&#x0;",
                "</trkseg>", "<trkpt lat='1'", "{", "}", "$GPRMC,", "*00", "\r", "\0", "\u{feff}",
                "-9223372036854775808", "2024-02-30T25:61:61Z", "9999-12-31T23:59:59.9999999999Z",
            ]
            bytes.insert(
                contentsOf: Array(odd[Int(random.next() % UInt64(odd.count))].utf8), at: place)
        }
    }

    @Test(
        "every cut of a file is read or refused, and what stands before the cut is kept",
        arguments: ["gpx", "csv", "nmea", "json"])
    func cuts(format: String) throws {
        let folder = try TemporaryFolder()
        let model = Array(try Self.model(format).utf8)
        var most = 0
        for cut in Campaign.places(0..<model.count, each: 29) {
            let path = try folder.write(Array(model[..<cut]), as: "cut.\(format)")
            guard let reader = try? RecordingFormat.open(path) else { continue }
            let count = try MemoryRecording(reading: reader).events.filter { $0.reading != nil }
                .count
            // An epoch that is cut may lack its satellites; nothing that was there goes away.
            try #require(count >= most - 1, "cut \(cut)")
            most = max(most, count)
        }
        #expect(most > 1)
    }
}
