extension Sensor {
    /// The readings, for one consumer.
    ///
    /// The sensor is opened when the first one is asked for.
    ///
    /// A sensor made directly opens a session for each loop; one from a registry is shared.
    public func readings(_ request: SamplingRequest = .default) -> ReadingStream<Reading> {
        ReadingStream(buffering: request.buffering, clock: clock) { sink throws(SensorError) in
            try await self.open(request, delivering: sink)
        }
    }

    /// The next reading; the sensor is opened for it and closed again.
    ///
    /// - Parameter timeout: how long to wait, on the sensor's clock.
    /// - Throws: `SensorError.timedOut` when nothing came; `.cancelled` when the task was
    ///   cancelled; `.disconnected` when the sensor ended first; what `open` throws.
    public func latest(timeout: Duration) async throws(SensorError) -> Reading {
        let stream = readings(SamplingRequest(buffering: .newest(1)))
        let result = await clock.within(timeout) { () -> Result<Reading?, SensorError> in
            do throws(SensorError) {
                for try await reading in stream { return .success(reading) }
                return .success(nil)
            } catch {
                return .failure(error)
            }
        }
        if let reading = try result?.get() { return reading }
        if Task.isCancelled { throw .cancelled(id) }
        if result == nil {
            throw .timedOut(id, after: timeout, hint: "wait longer, or see what `probe` says of it")
        }
        throw .disconnected(id, reason: "it ended before a reading came", hint: "open it again")
    }

    /// The first reading that `matches`; nil when the sensor ends, or the task is cancelled, first.
    ///
    /// - Throws: what `open` throws, and the error that the sensor ends by.
    public func first(
        where matches: (Reading) -> Bool
    ) async throws(SensorError) -> Reading? {
        for try await reading in readings() where matches(reading) { return reading }
        return nil
    }
}
