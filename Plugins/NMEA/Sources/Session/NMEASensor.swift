public import Sensorium

/// One of the sensors behind a receiver that speaks NMEA 0183.
public struct NMEASensor<Reading: SensorReading>: Sensor {
    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    /// The host's clock.
    public var clock: any SensorClock { connection.clock }

    private let connection: NMEAConnection

    init(_ connection: NMEAConnection, _ name: String) {
        self.connection = connection
        let kind = Reading.kind
        descriptor = SensorDescriptor(
            id: SensorID("\(NMEA.manifest.id)/\(kind.name)"), kind: kind, name: name,
            needs: connection.link.peer, isPreferred: true)
    }

    /// Whether this process may read the device: `.denied` or `.authorized`.
    public var authorization: AuthorizationStatus {
        connection.link.denial == nil ? .authorized : .denied
    }

    /// The same: nobody can be asked.
    public func requestAuthorization() async -> AuthorizationStatus { authorization }

    /// Joins the connection to the receiver, which is made for the first sensor.
    ///
    /// A receiver that is not there is no error: the sensor reports that it waits, and readings come
    /// when it does. A rate is not asked for: the receiver decides.
    ///
    /// - Throws: `SensorError.denied` without the right to read the device, `.unavailable` when the
    ///   plugin was stopped.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        if let denial = connection.link.denial {
            throw .denied(descriptor.id, reason: denial.reason, hint: denial.hint)
        }
        guard let member = connection.join(Outlet(descriptor.id, sink)) else {
            throw .unavailable(
                descriptor.id, reason: "the nmea plugin was stopped", hint: "add it again")
        }
        return Session(member: member, connection: connection)
    }

    private struct Session: SensorSession {
        let member: Int
        let connection: NMEAConnection

        func close() async { await connection.leave(member) }
    }
}

extension NMEASensor: LocationSensor where Reading == LocationFix {}

/// Where one consumer's readings go, whatever their type.
struct Outlet: Sendable {
    let id: SensorID
    let kind: SensorKind
    let location: ReadingSink<LocationFix>?
    let satellites: ReadingSink<Satellites>?
    let heading: ReadingSink<Heading>?
    let report: @Sendable (SensorStatus) -> Void
    let lose: @Sendable (Int, ReadingLoss.Reason) -> Void
    let finish: @Sendable (SensorError?) -> Void

    init<Reading>(_ id: SensorID, _ sink: ReadingSink<Reading>) {
        self.id = id
        kind = Reading.kind
        location = sink as? ReadingSink<LocationFix>
        satellites = sink as? ReadingSink<Satellites>
        heading = sink as? ReadingSink<Heading>
        report = { sink.report($0) }
        lose = { sink.lose($0, $1) }
        finish = { sink.finish($0) }
    }
}
