/// A source of readings of one type.
///
/// ## Implementing a sensor
///
/// - `open` starts delivering and returns a session. It does not wait for the first reading: a
///   daemon that is not there yet is a status, and readings come when it is.
/// - Stamp each reading with the time of measurement, not the time of arrival.
/// - Report losses that you know of with `sink.lose`, in order with the readings.
/// - After `close()` returns, or after `sink.finish`, deliver nothing more.
/// - Any number of sessions may be asked for at once: throw `.busy` for one too many. Apps share
///   sensors through `SharedSensor`, which opens one session for all of its consumers.
public protocol Sensor<Reading>: Sendable {
    /// What it gives.
    associatedtype Reading: SensorReading
    /// What is known of it before it is opened.
    var descriptor: SensorDescriptor { get }
    /// The clock that its instants are on, and that its time-outs wait on.
    var clock: any SensorClock { get }
    /// Whether this process may read it.
    var authorization: AuthorizationStatus { get }
    /// Asks for the right to read it, where somebody can grant it.
    func requestAuthorization() async -> AuthorizationStatus
    /// Opens it.
    ///
    /// - Parameters:
    ///   - request: what the consumer would like; the session says what it gets.
    ///   - sink: takes readings, possibly before this returns.
    /// - Throws: `SensorError` when it cannot be opened and trying again by itself would not help.
    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession
}

extension Sensor {
    /// Authorized: most sources have no notion of it.
    public var authorization: AuthorizationStatus { .authorized }
    /// The present status, where nobody can be asked.
    public func requestAuthorization() async -> AuthorizationStatus { authorization }
    /// Its name on this machine.
    public var id: SensorID { descriptor.id }
}

/// A sensor that was opened, until it is closed.
public protocol SensorSession: Sendable {
    /// The rate in hertz that the device runs at; nil where the source decides or does not say.
    var grantedRate: Double? { get }
    /// Changes the request while readings go on.
    ///
    /// - Throws: `SensorError.unsupported` where it cannot; readings then go on as they were.
    func reconfigure(_ request: SamplingRequest) async throws(SensorError)
    /// Stops. Nothing is delivered after it returns. A second call returns at once.
    func close() async
}

extension SensorSession {
    /// Unknown.
    public var grantedRate: Double? { nil }
    /// Accepts every request and changes nothing, as for a source that decides by itself.
    public func reconfigure(_ request: SamplingRequest) async throws(SensorError) {}
}

/// Whether this process may read a sensor.
///
/// The raw values cross the plugin boundary.
public enum AuthorizationStatus: UInt8, Sendable, Hashable, CaseIterable {
    /// Nobody was asked yet.
    case notDetermined = 0
    /// It may not, and asking will not help: a missing right on a device node, a user's refusal.
    case denied = 1
    /// It may not, by a rule that the user cannot change.
    case restricted = 2
    /// It may.
    case authorized = 3
}
