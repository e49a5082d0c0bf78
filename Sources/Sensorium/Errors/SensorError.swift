/// What can go wrong with a sensor.
///
/// Each condition says which sensor, why, and what to do.
public enum SensorError: Error, Sendable, Hashable {
    /// There is no such sensor, or what it stands on (daemon, device, library) is not there.
    case unavailable(SensorID, reason: String, hint: String)
    /// This process may not use it: a missing right, never a missing device.
    case denied(SensorID, reason: String, hint: String)
    /// Somebody else holds the device.
    case busy(SensorID, reason: String, hint: String)
    /// It was there and went away.
    case disconnected(SensorID, reason: String, hint: String)
    /// Nothing came within `after`.
    case timedOut(SensorID, after: Duration, hint: String)
    /// The task that asked was cancelled.
    case cancelled(SensorID)
    /// What the device or daemon says cannot be understood.
    case malformed(SensorID, reason: String, hint: String)
    /// The sensor cannot do what was asked: a rate, a size, a format, a policy.
    case unsupported(SensorID, reason: String, hint: String)
    /// Versions that do not fit together.
    case incompatible(SensorID, reason: String, hint: String)
    /// The plugin broke its contract.
    case pluginFault(SensorID, reason: String, hint: String)
}

extension SensorError {
    /// The sensor that the error is about.
    public var sensor: SensorID {
        switch self {
        case .unavailable(let id, _, _), .denied(let id, _, _), .busy(let id, _, _),
            .disconnected(let id, _, _), .timedOut(let id, _, _), .cancelled(let id),
            .malformed(let id, _, _), .unsupported(let id, _, _), .incompatible(let id, _, _),
            .pluginFault(let id, _, _):
            id
        }
    }

    /// Why, as a clause without a full stop.
    public var reason: String {
        switch self {
        case .unavailable(_, let reason, _), .denied(_, let reason, _), .busy(_, let reason, _),
            .disconnected(_, let reason, _), .malformed(_, let reason, _),
            .unsupported(_, let reason, _), .incompatible(_, let reason, _),
            .pluginFault(_, let reason, _):
            reason
        case .timedOut(_, let after, _): "nothing came within \(after.secondsText(3)) s"
        case .cancelled: "the task was cancelled"
        }
    }

    /// What to do about it, as a clause; empty where there is nothing to do.
    public var hint: String {
        switch self {
        case .unavailable(_, _, let hint), .denied(_, _, let hint), .busy(_, _, let hint),
            .disconnected(_, _, let hint), .timedOut(_, _, let hint), .malformed(_, _, let hint),
            .unsupported(_, _, let hint), .incompatible(_, _, let hint),
            .pluginFault(_, _, let hint):
            hint
        case .cancelled: ""
        }
    }
}

extension SensorError: CustomStringConvertible {
    /// A sentence fit for a log or a terminal.
    public var description: String {
        let what =
            switch self {
            case .unavailable: "is unavailable"
            case .denied: "may not be used by this process"
            case .busy: "is busy"
            case .disconnected: "was disconnected"
            case .timedOut: "gave nothing"
            case .cancelled: "was cancelled"
            case .malformed: "sent what cannot be understood"
            case .unsupported: "cannot do that"
            case .incompatible: "is incompatible"
            case .pluginFault: "has a faulty plugin"
            }
        let way = hint.isEmpty ? "" : "; \(hint)"
        return "\(sensor) \(what): \(reason)\(way)"
    }
}
