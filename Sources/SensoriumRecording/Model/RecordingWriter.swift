import Sensorium

/// Writes a recording.
///
/// ## Implementing a writer
///
/// - A writer is used by one thread or task at a time; it may block on the file.
/// - After `flush()` returns, a process that is killed loses nothing that was written before.
/// - After an error, what was written before stays readable, and every later call throws it again.
public protocol RecordingWriter: AnyObject {
    /// Adds a sensor, before its first event.
    ///
    /// A sensor of an id that was added before replaces nothing and is an error.
    func add(_ sensor: RecordedSensor) throws(RecordingError)
    /// Writes an event of a sensor that was added.
    ///
    /// What the format has no place for (a status in GPX) is left out without an error.
    func write(_ event: RecordedEvent) throws(RecordingError)
    /// Hands everything to the operating system.
    func flush() throws(RecordingError)
    /// Writes what ends the file, and closes it.
    func finish() throws(RecordingError)
    /// How many bytes the file has so far, those that wait for a flush left out.
    var byteCount: UInt64 { get }
}
