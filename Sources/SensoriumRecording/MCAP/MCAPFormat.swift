extension RecordingFormat {
    /// MCAP: everything that a recording can hold, compressed as well as this build can.
    public static let mcap = mcap(MCAPOptions())

    /// MCAP, written in a way of your own.
    public static func mcap(_ options: MCAPOptions) -> RecordingFormat {
        RecordingFormat(
            name: "mcap", fileExtensions: ["mcap"],
            recognizes: { $0.starts(with: MCAP.magic) },
            open: { path throws(RecordingError) in try MCAPRecordingReader(path) },
            create: { path, metadata throws(RecordingError) in
                try MCAPRecordingWriter(path, metadata, options)
            })
    }
}
