import Sensorium

extension RecordingFormat {
    /// GPX: the tracks of receivers, watches and telephones, and routes for Xcode.
    public static let gpx = RecordingFormat(
        name: "gpx", fileExtensions: ["gpx"], kinds: [.location],
        recognizes: { start in
            guard start.contains(0x3c) else { return false }
            let text = String(decoding: start, as: UTF8.self)
            // The root may have a prefix.
            return text.contains("<gpx") || text.contains(":gpx ")
        },
        open: { path throws(RecordingError) in
            try ParsedRecordingReader(path, GPXParser(path))
        },
        create: { path, metadata throws(RecordingError) in try GPXWriter(path, metadata) })
}
