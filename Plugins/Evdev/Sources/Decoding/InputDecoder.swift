import Sensorium

/// Makes readings of an input device's events: pure.
package protocol InputDecoder: Sendable {
    /// What it makes.
    associatedtype Reading: SensorReading
    /// The readings of the last frame, in order; their times are not known before `stamp`.
    var readings: [Reading] { get }
    /// How many events made no sense since the last `clear`.
    var nonsense: Int { get }
    /// Takes an event.
    mutating func take(_ event: InputEvent) -> DecodingStep
    /// Takes what the kernel says is true now; readings of what that changes wait.
    mutating func resync(to state: InputState)
    /// Ends all that is under way: the device is gone, or will be read anew.
    mutating func cancelAll()
    /// Gives the readings that wait a time.
    mutating func stamp(_ time: ReadingTime)
    /// Forgets the readings, which were delivered.
    mutating func clear()
}

extension TouchDecoder: InputDecoder {}
extension KeyDecoder: InputDecoder {}
