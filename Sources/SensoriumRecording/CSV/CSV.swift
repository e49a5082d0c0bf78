import Sensorium

extension RecordingFormat {
    /// Comma-separated values: one table for all sensors, or a simple table of another program.
    public static let csv = RecordingFormat(
        name: "csv", fileExtensions: ["csv", "tsv"],
        kinds: Set(SensorKind.allCases).subtracting([.camera]),
        recognizes: { start in
            var scanner = CSVScanner()
            var isOwn: Bool?
            start.withUnsafeBufferPointer { bytes in
                scanner.scan(bytes) { row in
                    guard isOwn == nil else { return }
                    isOwn = OwnTable((0..<row.count).map { row.text($0) ?? "" }) != nil
                }
            }
            return isOwn ?? false
        },
        open: { path throws(RecordingError) in
            try ParsedRecordingReader(path, CSVParser(path))
        },
        create: { path, metadata throws(RecordingError) in try CSVWriter(path, metadata) })
}
