import Sensorium
import SensoriumRecording
import Testing

@Suite("GPX, odd and hostile", .timeLimit(.minutes(1)))
struct GPXHostileTests {
    @Test(
        "reads prefixes, comments, CDATA, entities, instructions and a byte order mark",
        arguments: [
            "\u{feff}<gpx><trk><trkseg><trkpt lat='1.5' lon='2'/></trkseg></trk></gpx>",
            "<g:gpx xmlns:g='x'><g:trk><g:trkseg><g:trkpt g:x='' lat='1.5' lon='2'></g:trkpt>"
                + "</g:trkseg></g:trk></g:gpx>",
            "<!DOCTYPE gpx [<!ENTITY a '>'> ]><gpx><!-- <trkpt lat='9' lon='9'/> -- > --><trk>"
                + "<trkseg><trkpt\n lat = \"1&#46;5\" lon=\"&#x32;\" >"
                + "<name><![CDATA[</trkpt>]]></name></trkpt></trkseg></trk></gpx>",
            "<?xml version='1.0'?><?pi > ?><gpx><trk><name>a > b</name><trkseg>"
                + "<trkpt name='>' lat='1.5' lon='2'/></trkseg></trk></gpx>",
        ])
    func oddities(text: String) throws {
        let file = try TemporaryFolder().reading(text, as: "odd.gpx")
        #expect(file.fixes.map(\.latitude) == [1.5])
        #expect(file.fixes.map(\.longitude) == [2])
        #expect(file.damage.isEmpty, "\(file.damage.notes)")
    }

    @Test("refuses UTF-16 with a way out", arguments: [true, false])
    func utf16(isBigEndian: Bool) throws {
        let units = "\u{feff}<gpx></gpx>".utf16.flatMap { unit in
            isBigEndian
                ? [UInt8(unit >> 8), UInt8(unit & 0xff)] : [UInt8(unit & 0xff), UInt8(unit >> 8)]
        }
        let error = recordingError {
            _ = try TemporaryFolder().reading(units, as: "wide.gpx")
        }
        #expect(error?.condition == .unsupported)
        #expect(error?.hint.contains("iconv") == true)
    }

    @Test("expands no entity of the document's own")
    func laughs() throws {
        let text = """
            <!DOCTYPE gpx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <gpx><metadata><name>&b;</name></metadata><trk><trkseg><trkpt lat="1" lon="2"/>
            </trkseg></trk></gpx>
            """
        let file = try TemporaryFolder().reading(text, as: "laughs.gpx")
        #expect(file.content.metadata.properties["title"] == "\u{fffd}")
        #expect(file.damage.notes.count == 1)
    }

    @Test("gives every whole point before the place where the file is cut off")
    func truncated() throws {
        let folder = try TemporaryFolder()
        let points = (0..<10).map { "<trkpt lat='\($0)' lon='0'><ele>\($0)</ele></trkpt>" }
        let head = "<gpx><trk><trkseg>"
        let text = head + points.joined() + "</trkseg></trk></gpx>"
        for cut in head.utf8.count..<(text.utf8.count - 1) {
            let file = try folder.reading(Array(text.utf8.prefix(cut)), as: "cut.gpx")
            let whole = (cut - head.utf8.count) / points[0].utf8.count
            try #require(file.fixes.count == min(10, whole))
            try #require(file.damage.truncatedAt.map { $0 <= cut } == true)
        }
    }

    @Test(
        "bears a tag without an end, elements without a bottom, and points off the Earth",
        arguments: [
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><"
                + String(repeating: "a", count: 200_000) + "><trkpt lat='1' lon='3'/>",
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'>" + String(repeating: "<a>", count: 100_000)
                + String(repeating: "</a>", count: 100_000) + "</trkpt><trkpt lat='1' lon='3'/>",
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='91' lon='0'/><trkpt lon='0'/>"
                + "<trkpt lat='nan' lon='0'/><trkpt lat='0x1' lon='0'/></trk2><trkpt lat='1' lon='3'/>",
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><trkpt lat='1' <trkpt lat='1' lon='3'/>",
        ])
    func hostile(text: String) throws {
        let file = try TemporaryFolder().reading(text, as: "hostile.gpx")
        #expect(file.fixes.map(\.longitude) == [2, 3])
        #expect(!file.damage.isEmpty)
    }

    @Test("says that XML without <gpx> is no GPX")
    func other() throws {
        let error = recordingError {
            _ = try TemporaryFolder().reading("<kml></kml>", as: "other.gpx")
        }
        #expect(error?.condition == .malformed)
    }

    @Test("finds the place of a time in a long track")
    func seek() throws {
        let folder = try TemporaryFolder()
        let points = (0..<3000).map { index in
            let (minute, second) = (index / 60, index % 60)
            let time = "2024-01-01T12:\(minute / 10)\(minute % 10):\(second / 10)\(second % 10)Z"
            return "<trkpt lat='1' lon='\(Double(index) / 100)'><time>\(time)</time></trkpt>\n"
        }
        let path = try folder.write(
            Array("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8), as: "long.gpx")
        let reader = try RecordingFormat.open(path)
        try reader.seek(to: SensorInstant(nanoseconds: 1_704_110_400_000_000_000).after(2500))
        let fix = try #require(try reader.next()?.reading.flatMap(LocationFix.init))
        #expect(fix.longitude == 25)
        try reader.rewind()
        #expect(try MemoryRecording(reading: reader).events.count == 3000)
    }
}

extension SensorInstant {
    /// So many seconds later.
    func after(_ seconds: Int) -> SensorInstant { advanced(by: .seconds(seconds)) }
}
