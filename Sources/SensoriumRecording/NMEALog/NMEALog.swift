import Sensorium

extension RecordingFormat {
    /// NMEA 0183: what a receiver sent, line by line.
    public static let nmea = RecordingFormat(
        name: "nmea", fileExtensions: ["nmea", "nma"], kinds: [.location, .satellites, .heading],
        recognizes: { start in
            start.withUnsafeBufferPointer { bytes in
                // A log may begin in the middle of a sentence, or with a logger's own words.
                Lines(bytes).prefix(16).contains(where: isSentence)
            }
        },
        open: { path throws(RecordingError) in
            try ParsedRecordingReader(
                path, NMEALogParser(path, modified: InputFile(path).modified))
        },
        create: { path, metadata throws(RecordingError) in try NMEALogWriter(path, metadata) })

    /// `$GPGGA,...`, `!AIVDM,...`: an address of five characters, or a maker's own.
    private static func isSentence(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = line.first, first == 0x24 || first == 0x21 else { return false }
        let address = line.dropFirst().prefix { $0 &- 0x41 < 26 || $0 &- 0x30 < 10 }
        guard address.count == 5 || address.first == 0x50 && address.count > 2 else { return false }
        return address.endIndex < line.endIndex && line[address.endIndex] == 0x2c
    }
}
