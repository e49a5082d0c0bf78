import Sensorium

/// Reads what a sensor tells, up to what a test waits for.
///
/// What never comes ends with the time limit of the suite.
struct UpdateReader<Reading: SensorReading>: ~Copyable {
    private var iterator: ReadingStream<Reading>.Updates.AsyncIterator
    /// Every status so far.
    private(set) var statuses: [SensorStatus] = []
    /// Every reading so far.
    private(set) var readings: [Reading] = []

    init(_ sensor: some Sensor<Reading>, _ request: SamplingRequest = .default) {
        iterator = sensor.readings(request).updates.makeAsyncIterator()
    }

    /// The next reading that `matches`.
    mutating func reading(where matches: (Reading) -> Bool = { _ in true }) async throws -> Reading
    {
        while true {
            if case .reading(let reading) = try await next(), matches(reading) { return reading }
        }
    }

    /// The next status of that state.
    mutating func status(_ state: SensorStatus.State) async throws -> SensorStatus {
        try await status(of: [state])
    }

    /// The next status of one of those states.
    mutating func status(of states: Set<SensorStatus.State>) async throws -> SensorStatus {
        while true {
            if case .status(let status) = try await next(), states.contains(status.state) {
                return status
            }
        }
    }

    private mutating func next() async throws -> ReadingUpdate<Reading> {
        guard let update = try await iterator.next() else {
            throw GPSDProcessError("the sensor ended; it said \(statuses)")
        }
        switch update {
        case .reading(let reading): readings.append(reading)
        case .status(let status): statuses.append(status)
        case .lost: break
        }
        return update
    }
}
