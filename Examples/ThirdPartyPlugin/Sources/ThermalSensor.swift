import Sensorium

/// The temperature of one zone, once a second.
package final class ThermalSensor: EnvironmentSensor {
    package typealias Reading = Temperature

    package let descriptor: SensorDescriptor
    package let clock: any SensorClock
    private let zone: ThermalZone
    private let link: any ThermalLink
    private let sessions = Guarded<[ObjectIdentifier: ThermalSession]>([:])

    init(id: SensorID, zone: ThermalZone, link: any ThermalLink, clock: any SensorClock) {
        self.zone = zone
        self.link = link
        self.clock = clock
        descriptor = SensorDescriptor(
            id: id, kind: .temperature, name: "Thermal zone \(zone.name)", resolution: 0.001,
            rates: .listed([1]), needs: zone.folder)
    }

    package func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Temperature>
    ) async throws(SensorError) -> any SensorSession {
        if Task.isCancelled { throw .cancelled(id) }
        let session = ThermalSession(id: id, zone: zone, link: link, clock: clock, sink: sink)
        let key = ObjectIdentifier(session)
        sessions.withLock { $0[key] = session }
        session.start { [weak self] in
            _ = self?.sessions.withLock { $0.removeValue(forKey: key) }
        }
        return session
    }

    /// Ends every open session and waits until nothing runs any more.
    func endSessions() async {
        for session in sessions.withLock({ Array($0.values) }) {
            await session.end(
                .disconnected(id, reason: "its plugin was stopped", hint: "start it again"))
        }
    }
}
