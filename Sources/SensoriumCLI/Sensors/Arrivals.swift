import Sensorium

/// The sensors that come while others are watched, as far as the user's words stand for them.
struct Arrivals: Sendable {
    let changes: RegistryChanges
    /// Ids and kinds; all kinds where there is none.
    let words: [String]
    /// What is watched from the start.
    let first: [SensorDescriptor]

    /// Waits for the next one; nil when the task is cancelled.
    func next() async -> SensorDescriptor? {
        for await change in changes {
            if case .arrived(let sensor) = change, includes(sensor) { return sensor }
        }
        return nil
    }

    /// Whether the words stand for it; a simulated sensor comes only beside simulated ones.
    private func includes(_ sensor: SensorDescriptor) -> Bool {
        if words.contains(sensor.id.rawValue) { return true }
        guard words.isEmpty || words.contains(where: { SensorKind(name: $0) == sensor.kind })
        else { return false }
        return !sensor.isSimulated
            || first.allSatisfy { $0.kind != sensor.kind || $0.isSimulated }
    }
}
