import Sensorium

/// One sensor of the simulated device.
///
/// Any number of sessions may be open at once. A real device that can serve only one throws
/// `SensorError.busy` for the second; apps do not notice, since a registry shares its sensors.
package final class SimulatedSensor<Reading: SimulatedReading>: Sensor {
    package let descriptor: SensorDescriptor
    package let clock: any SensorClock
    private let link: any SimulatedLink
    private let sessions = Guarded<[Int: SimulatedSession<Reading>]>([:])
    private let nextSession = Guarded(0)

    init(link: any SimulatedLink, clock: any SensorClock) {
        self.link = link
        self.clock = clock
        let (kind, profile) = (Reading.kind, Reading.profile)
        descriptor = SensorDescriptor(
            // An id must be the same after a restart and after replugging: make it of what the
            // device is or where it is plugged in, never of the order in which it was found.
            id: SensorID("\(Simulated.manifest.id)/\(kind.name)"), kind: kind, name: profile.name,
            range: profile.range, rates: .range(profile.rates), isSimulated: true)
    }

    package var authorization: AuthorizationStatus { link.authorization(of: Reading.kind) }

    package func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<Reading>
    ) async throws(SensorError) -> any SensorSession {
        if Task.isCancelled { throw .cancelled(id) }
        do throws(SimulatedFault) {
            try await link.connect(Reading.kind)
        } catch {
            throw sensorError(of: error)
        }
        let number = nextSession.withLock { next in
            next += 1
            return next
        }
        let session = SimulatedSession(id: id, link: link, clock: clock, sink: sink) {
            [weak self] in _ = self?.sessions.withLock { $0.removeValue(forKey: number) }
        }
        sessions.withLock { $0[number] = session }
        session.start(request)
        return session
    }

    /// What the device says, in the words of an app: which sensor, why, and what to do.
    private func sensorError(of fault: SimulatedFault) -> SensorError {
        switch fault {
        case .denied:
            .denied(id, reason: "the device refuses this process", hint: "allow it to read it")
        case .inUse:
            .busy(id, reason: "another process reads it", hint: "end that process first")
        case .missing:
            .unavailable(id, reason: "it is not plugged in", hint: "plug it in")
        }
    }
}

extension SimulatedSensor: LocationSensor where Reading == LocationFix {}
extension SimulatedSensor: MotionSensor where Reading: MotionReading {}
extension SimulatedSensor: EnvironmentSensor where Reading: ScalarReading {}

/// A sensor whose sessions the plugin can end, whatever it measures.
protocol EndableSensor: Sensor {
    /// Ends every open session and waits until nothing runs any more.
    func endSessions() async
}

extension SimulatedSensor: EndableSensor {
    func endSessions() async {
        for session in sessions.withLock({ Array($0.values) }) {
            await session.end(
                .disconnected(id, reason: "its plugin was stopped", hint: "start it again"))
        }
    }
}
