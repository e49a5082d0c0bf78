import Sensorium

/// Somebody shakes the device, or has stopped.
///
/// Every `began` is followed by exactly one `ended` or `cancelled`.
public struct ShakeEvent: Sendable, Hashable {
    /// What happened.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// It has gone to and fro often enough to be a shake.
        case began
        /// It has come to rest.
        case ended
        /// Readings stopped coming, so that nobody knows how it ended.
        case cancelled
    }

    /// What happened.
    public var phase: Phase
    /// When: the reading that made it a shake; for `ended` and `cancelled`, the last strong reading.
    public var instant: SensorInstant
    /// The strongest acceleration so far, without gravity, in m/s².
    public var strength: Double

    /// Makes an event.
    public init(_ phase: Phase, at instant: SensorInstant, strength: Double) {
        self.phase = phase
        self.instant = instant
        self.strength = strength
    }
}

extension ShakeEvent: CustomStringConvertible {
    /// `began at boot+12.345678s, 21.3 m/s²`.
    public var description: String {
        "\(phase.rawValue) at \(instant), \((strength * 10).rounded() / 10) m/s²"
    }
}
