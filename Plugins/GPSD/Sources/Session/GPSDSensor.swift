public import Sensorium

/// One of the sensors behind a gpsd.
public struct GPSDSensor<Reading: SensorReading>: Sensor {
    /// What is known of it before it is opened.
    public let descriptor: SensorDescriptor
    /// The host's clock.
    public var clock: any SensorClock { connection.clock }

    private let connection: GPSDConnection

    init(_ connection: GPSDConnection, _ name: String) {
        self.connection = connection
        let kind = Reading.kind
        descriptor = SensorDescriptor(
            id: SensorID("\(GPSD.manifest.id)/\(kind.name)"), kind: kind, name: name,
            needs: connection.peer, isPreferred: true)
    }

    /// Joins the connection to gpsd, which is made for the first sensor.
    ///
    /// A gpsd that is not there is no error: the sensor reports that it waits, and readings come when
    /// gpsd does. A rate is not asked for: gpsd passes on what its receiver gives.
    ///
    /// - Throws: `SensorError.unavailable` when the plugin was stopped.
    public func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        guard let member = connection.join(Outlet(descriptor.id, sink)) else {
            throw .unavailable(
                descriptor.id, reason: "the gpsd plugin was stopped", hint: "add it again")
        }
        return Session(member: member, connection: connection)
    }

    private struct Session: SensorSession {
        let member: Int
        let connection: GPSDConnection

        func close() async { await connection.leave(member) }
    }
}

extension GPSDSensor: LocationSensor where Reading == LocationFix {}

/// Where one consumer's readings go, whatever their type.
struct Outlet: Sendable {
    let id: SensorID
    let kind: SensorKind
    let location: ReadingSink<LocationFix>?
    let satellites: ReadingSink<Satellites>?
    let heading: ReadingSink<Heading>?
    let attitude: ReadingSink<Attitude>?
    let report: @Sendable (SensorStatus) -> Void
    let lose: @Sendable (Int, ReadingLoss.Reason) -> Void
    let finish: @Sendable (SensorError?) -> Void

    init<Reading>(_ id: SensorID, _ sink: ReadingSink<Reading>) {
        self.id = id
        kind = Reading.kind
        location = sink as? ReadingSink<LocationFix>
        satellites = sink as? ReadingSink<Satellites>
        heading = sink as? ReadingSink<Heading>
        attitude = sink as? ReadingSink<Attitude>
        report = { sink.report($0) }
        lose = { sink.lose($0, $1) }
        finish = { sink.finish($0) }
    }
}
