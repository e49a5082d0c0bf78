import Sensorium

/// Sticks to one receiver where several give the same, so that they are not mixed.
///
/// The first one that has something to give is taken; another one, when that has had nothing for a
/// while.
struct ReceiverChoice {
    /// The receiver that is listened to, and when it last had something to give.
    private(set) var current: (device: DeviceNumber, gave: SensorInstant)?

    /// After this long without anything, another receiver is taken.
    private static var patience: Duration { .seconds(10) }

    /// Whether to listen to a report of `device`.
    ///
    /// - Parameter givesSomething: whether the report holds what is wanted, a position for example.
    mutating func admits(
        _ device: DeviceNumber, givesSomething: Bool, at instant: SensorInstant
    ) -> Bool {
        let isAnother = current.map { $0.device != device } ?? false
        if isAnother, let current {
            guard givesSomething, current.gave.duration(to: instant) >= Self.patience else {
                return false
            }
        }
        if givesSomething { current = (device, instant) }
        return true
    }

    /// Forgets the receiver.
    mutating func reset() { current = nil }
}
