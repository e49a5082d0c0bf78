import Sensorium

extension RecordingFormat {
    /// A capture of gpsd's JSON, as `gpspipe -w` writes it; it is read, not written.
    public static let gpsd = RecordingFormat(
        name: "gpsd", fileExtensions: ["json", "gpsd"],
        kinds: [.location, .satellites, .heading, .attitude],
        recognizes: { start in
            start.withUnsafeBufferPointer { bytes in
                Lines(bytes).prefix(4).contains { line in
                    let text = String(decoding: line.prefix(256), as: UTF8.self)
                    return text.contains("{\"class\":\"")
                }
            }
        },
        open: { path throws(RecordingError) in
            try ParsedRecordingReader(path, GPSDCaptureParser(path))
        })
}
