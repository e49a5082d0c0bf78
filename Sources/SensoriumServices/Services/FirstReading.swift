import Sensorium

/// One round with a sensor: ask for the right, start, take the first good reading, stop.
///
/// All services are made of this.
struct FirstReading<Reading: SensorReading>: Sendable {
    let sensor: any Sensor<Reading>
    let request: SamplingRequest
    let timeout: Duration
    let isValid: @Sendable (Reading) -> Bool

    /// Takes the reading.
    ///
    /// The sensor is closed when this returns, whatever the result.
    func take() async -> Result<Reading, SensorError> {
        if Task.isCancelled { return .failure(.cancelled(sensor.id)) }
        switch await sensor.requestAuthorization() {
        case .authorized: return await read()
        case .denied: return .failure(await denial())
        case .restricted:
            return .failure(
                .denied(
                    sensor.id, reason: "a rule of this machine does not allow it",
                    hint: "ask whoever administers the machine"))
        case .notDetermined:
            return .failure(
                Task.isCancelled
                    ? .cancelled(sensor.id)
                    : .denied(
                        sensor.id, reason: "nobody has said yet whether it may",
                        hint: "answer the question that the system asks, then try again"))
        }
    }

    /// Why the sensor is denied, in its own words: opening it fails, and says which right is missing.
    private func denial() async -> SensorError {
        do throws(SensorError) {
            await (try sensor.open(request, delivering: ReadingSink { _ in })).close()
        } catch {
            if case .denied = error { return error }
        }
        return .denied(
            sensor.id, reason: "the right to use it was refused", hint: "give it to this program")
    }

    private func read() async -> Result<Reading, SensorError> {
        if Task.isCancelled { return .failure(.cancelled(sensor.id)) }
        let outcome = Outcome()
        let sink = ReadingSink<Reading> { readings in
            guard outcome.first.value == nil else { return }
            for index in readings.indices where isValid(readings[index]) {
                outcome.first.give(.success(readings[index]))
                return
            }
        } report: { status in
            outcome.status.withLock { $0 = status }
        } finish: { error in
            outcome.first.give(.failure(error ?? ended))
        }
        let result = await sensor.clock.within(timeout) { await self.open(sink, outcome) }
        if let result { return result }
        if Task.isCancelled { return .failure(.cancelled(sensor.id)) }
        return .failure(lateness(outcome.status.withLock { $0 }))
    }

    /// Waits between opening and closing, until the outcome is there or the task is cancelled.
    private func open(
        _ sink: ReadingSink<Reading>, _ outcome: Outcome
    ) async -> Result<Reading, SensorError> {
        let session: any SensorSession
        do throws(SensorError) {
            session = try await sensor.open(request, delivering: sink)
        } catch {
            return .failure(error)
        }
        let result = await outcome.first.wait()
        await session.close()
        return result ?? .failure(.cancelled(sensor.id))
    }

    private var ended: SensorError {
        .disconnected(
            sensor.id, reason: "it ended before a reading came", hint: "open it again")
    }

    /// What to say when the time is up: a source that is not there is not merely late.
    private func lateness(_ status: SensorStatus?) -> SensorError {
        let hint = status?.hint ?? ""
        let reason = status?.reason ?? ""
        switch status?.state {
        case .waiting where !reason.isEmpty, .reconnecting where !reason.isEmpty:
            return .unavailable(sensor.id, reason: reason, hint: hint)
        default:
            let advice = hint.isEmpty ? "wait longer, or see what 'sensorium probe' says" : hint
            return .timedOut(
                sensor.id, after: timeout, hint: reason.isEmpty ? advice : "\(advice) (\(reason))")
        }
    }

    /// What a session has told.
    private final class Outcome: Sendable {
        let first = Answer<Result<Reading, SensorError>>()
        let status = Guarded<SensorStatus?>(nil)
    }
}
