import Glibc
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

/// What gpsbabel, which is not ours, reads of our files, and we of its.
@Suite("formats beside gpsbabel", .timeLimit(.minutes(1)))
struct GPSBabelTests {
    /// A walk of 120 s with a gap, its speed and course told.
    private static func walk() -> MemoryRecording {
        var recording = MemoryRecording(
            sensors: [
                RecordedSensor(
                    SensorDescriptor(id: "gpsd/location", kind: .location, name: "A & \"B\" <C>"))
            ], metadata: RecordingMetadata(clock: .utc, properties: ["title": "Walk"]))
        for second in 0..<120 {
            let utc = 1_704_110_400_000_000_000 + Int64(second) * 1_000_000_000
            if second == 60 {
                recording.events.append(
                    RecordedEvent(
                        sensor: "gpsd/location", instant: nil, content: .gap(reason: "a tunnel")))
            }
            recording.append(
                LocationFix(
                    time: ReadingTime(
                        SensorInstant(nanoseconds: utc),
                        original: ClockTime(nanoseconds: utc, domain: .realtime)),
                    latitude: -10.25 + Double(second) * 1e-5,
                    longitude: 20.5 - Double(second) * 1e-4,
                    altitudeMSL: 100 + Double(second) / 4, altitudeEllipsoid: 147, speed: 1.5,
                    course: 270, satellitesUsed: 8), of: "gpsd/location")
        }
        return recording
    }

    private static func write(_ recording: MemoryRecording, _ path: String) throws {
        let create = try #require(RecordingFormat.named(like: path)?.create)
        try recording.write(to: create(path, recording.metadata))
    }

    private static func fixes(_ path: String) throws -> [LocationFix] {
        let reader = try RecordingFormat.open(path)
        let recording = try MemoryRecording(reading: reader)
        #expect(reader.damage.isEmpty, "\(path): \(reader.damage.notes)")
        return recording.events.compactMap { $0.reading.flatMap(LocationFix.init) }
    }

    /// Converts with gpsbabel.
    private static func convert(_ from: (String, String), _ to: (String, String)) throws {
        try run(["gpsbabel", "-t", "-i", from.0, "-f", from.1, "-o", to.0, "-F", to.1])
    }

    static func run(_ words: [String]) throws {
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child = pid_t()
        let status = posix_spawnp(&child, words[0], nil, nil, &arguments, environ)
        try #require(status == 0, "\(words[0]) is missing; apt-get install \(words[0])")
        var code: Int32 = 0
        while waitpid(child, &code, 0) < 0 && errno == EINTR {}
        try #require(code == 0, "\(words.joined(separator: " ")) failed")
    }

    private static func isNear(_ a: Double?, _ b: Double?, _ limit: Double) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= limit
    }

    /// Checks that fixes are those of the walk, as far as a format holds them.
    private static func check(_ read: [LocationFix], degrees: Double, metres: Double) throws {
        let walk = Self.walk().events.compactMap { $0.reading.flatMap(LocationFix.init) }
        try #require(read.count == walk.count)
        for (read, written) in zip(read, walk) {
            try #require(read.time.utcNanoseconds == written.time.utcNanoseconds)
            try #require(isNear(read.latitude, written.latitude, degrees))
            try #require(isNear(read.longitude, written.longitude, degrees))
            try #require(isNear(read.altitudeMSL, written.altitudeMSL, metres))
        }
    }

    @Test("gpsbabel reads our GPX and our NMEA, and we read what it makes of each")
    func bothWays() throws {
        let folder = try ScratchFolder()
        let (gpx, nmea) = ("\(folder.path)/ours.gpx", "\(folder.path)/ours.nmea")
        try Self.write(Self.walk(), gpx)
        try Self.write(Self.walk(), nmea)
        for (format, ours) in [("gpx", gpx), ("nmea", nmea)] {
            let theirGPX = "\(folder.path)/\(format)-theirs.gpx"
            let theirNMEA = "\(folder.path)/\(format)-theirs.nmea"
            try Self.convert((format, ours), ("gpx", theirGPX))
            try Self.convert((format, ours), ("nmea", theirNMEA))
            // gpsbabel writes nine decimals of a degree and millimetres to GPX, and to NMEA three
            // decimals of a minute and tenths of a metre, whatever it has read.
            try Self.check(Self.fixes(theirGPX), degrees: 2e-9, metres: 1e-3)
            try Self.check(Self.fixes(theirNMEA), degrees: 9e-6, metres: 0.051)
        }
    }

    @Test("gpsbabel finds our gap, and our speed and course")
    func details() throws {
        let folder = try ScratchFolder()
        let (ours, theirs) = ("\(folder.path)/ours.gpx", "\(folder.path)/theirs.gpx")
        try Self.write(Self.walk(), ours)
        try Self.convert(("gpx", ours), ("gpx,gpxver=1.0", theirs))
        let reader = try RecordingFormat.open(theirs)
        let recording = try MemoryRecording(reading: reader)
        let gaps = recording.events.filter { if case .gap = $0.content { true } else { false } }
        #expect(gaps.count == 1)
        let fix = try #require(recording.events.first?.reading.flatMap(LocationFix.init))
        #expect(Self.isNear(fix.speed, 1.5, 1e-6))
        #expect(Self.isNear(fix.course, 270, 1e-6))
        #expect(fix.satellitesUsed == 8)
    }
}

/// The built command in the time zones of other machines.
@Suite("formats in any time zone", .timeLimit(.minutes(1)))
struct TimeZoneTests {
    @Test("REC-04: a time is the same wherever it is read")
    func anywhere() throws {
        let folder = try ScratchFolder()
        let gpx = "\(folder.path)/zones.gpx"
        let times = [
            "2018-03-19T15:49:10-07:00", "2018-03-19T22:49:11.5Z", "2018-03-19T23:49:12+0100",
            "2018-03-19T22:49:13+00:00", "2018-03-19T22:49:14",
        ]
        let points = times.map { "<trkpt lat='1' lon='2'><time>\($0)</time></trkpt>" }
        let file = try OutputFile(gpx)
        try file.write(Array("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8))
        try file.finish()
        for zone in ["UTC", "America/Los_Angeles", "Asia/Kolkata"] {
            let csv = "\(folder.path)/zones.csv"
            try GPSBabelTests.run([
                "env", "TZ=\(zone)", "\(BuiltPlugins.folder)/sensorium", "convert", "--force", gpx,
                csv,
            ])
            let recording = try MemoryRecording(reading: RecordingFormat.open(csv))
            let seconds = recording.events.compactMap {
                $0.instant.map { $0.nanoseconds / 100_000_000 }
            }
            #expect(seconds == [0, 15, 20, 30, 40].map { 15_214_997_500 + $0 })
        }
    }
}

/// A folder that goes with the test.
final class ScratchFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorium-formats-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
