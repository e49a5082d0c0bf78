import SensoriumRecording

/// The way to recordings: the files of this machine, or a spy in their place.
package protocol ReplayLink: Sendable {
    /// Opens a recording.
    func open(_ path: String) throws(RecordingError) -> sending any RecordingReader
}

/// The files of this machine.
struct FileLink: ReplayLink {
    func open(_ path: String) throws(RecordingError) -> sending any RecordingReader {
        try RecordingFormat.open(path)
    }
}
