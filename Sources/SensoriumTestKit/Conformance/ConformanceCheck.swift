/// One thing that `SensorConformance` looks at.
///
/// The raw value says what should be true.
public enum ConformanceCheck: String, Sendable, Hashable, CaseIterable {
    // MARK: Of a plugin

    /// Id, version and kinds.
    case manifest = "the manifest is well-formed"
    /// Ids of sensors.
    case identifiers = "sensor ids are unique and begin with the plugin's id"
    /// `discover`, called twice.
    case discovery = "finding sensors twice gives the same ones and opens nothing"
    /// `stop` with a session open.
    case stopping = "stop() ends everything"

    // MARK: Of a sensor

    /// Name, rates, range, resolution.
    case descriptor = "the descriptor makes sense"
    /// Descriptor, reading type and manifest.
    case kind = "descriptor, readings and manifest name the same kind"
    /// `authorization` and `requestAuthorization`.
    case authorization = "authorization is answered, and opening abides by it"
    /// `open`.
    case opening = "it opens in time"
    /// The first readings.
    case delivery = "readings come in time"
    /// Instants of one session.
    case order = "instants never go back"
    /// Instants against the clock, coarsely.
    case axis = "instants are known, and on the clock's axis"
    /// Instants against the clock, finely.
    case future = "nothing is measured later than it is delivered"
    /// `ReadingTime.original`.
    case original = "the time that the source gave is kept, and agrees with the instant"
    /// Values against physics and the descriptor.
    case values = "values are finite and possible"
    /// `ReadingFlags.simulated`.
    case simulation = "readings are flagged as simulated where the sensor is"
    /// `grantedRate`.
    case rate = "the granted rate can be granted, and is kept"
    /// `reconfigure`.
    case reconfiguring = "readings go on after a reconfiguration"
    /// `close`.
    case closing = "it closes in time"
    /// After `close`.
    case silence = "nothing is delivered after close() has returned"
    /// `close`, called again.
    case closingTwice = "a second close() returns"
    /// Cancelling a task inside `open`.
    case cancelledOpening = "a cancelled open() ends in time"
    /// Cancelling a task that waits for a reading.
    case cancelledWaiting = "a cancelled loop ends in time, without an error"
    /// Two sessions at once.
    case sharing = "a second session is served, or told that the sensor is busy"
    /// A consumer that is slower than the sensor.
    case losses = "what a slow consumer misses is counted once"
    /// The source goes away.
    case interruption = "it tells when its source goes away"
    /// `open` and `close`, twenty times.
    case reopening = "it can be opened and closed twenty times"
    /// Every status of all sessions.
    case statuses = "statuses say why, and what to do"
    /// Every error of all sessions.
    case errors = "errors name this sensor, why, and what to do"
}
