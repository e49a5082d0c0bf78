import Sensorium
import SensoriumPluginKit

/// What went wrong below the sensor, before anybody knows which sensor it concerns.
package struct EvdevFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault that are treated differently.
    package enum Condition: String, Hashable, Sendable {
        /// The device went away.
        case gone
        /// This process may not open it.
        case denied
        /// What the device says makes no sense.
        case malformed
        /// The device cannot do that.
        case unsupported
        /// Any other failure.
        case failed
    }

    /// What kind of fault it is.
    package var condition: Condition
    /// What is wrong, or what was being done and how it failed; no full stop at the end.
    package var reason: String
    /// What to do about it, where the place knows better than the condition.
    package var hint: String?

    /// Makes a fault that no error number describes.
    package init(_ condition: Condition, _ reason: String, hint: String? = nil) {
        self.condition = condition
        self.reason = reason
        self.hint = hint
    }

    /// Makes a fault from an error number, given with either sign.
    package init(errno number: Int32, doing what: String) {
        let error = ErrorNumber(number)
        condition =
            switch error.value {
            case 2, 6, 19: .gone  // ENOENT ENXIO ENODEV
            case 1, 13: .denied  // EPERM EACCES
            case 22, 25, 38, 95: .unsupported  // EINVAL ENOTTY ENOSYS EOPNOTSUPP
            default: .failed
            }
        reason = "\(what) failed: \(error)"
    }

    /// The reason alone: a fault is always told inside a longer sentence.
    package var description: String { reason }
}

extension SensorError {
    /// A fault as an app sees it.
    init(_ fault: EvdevFault, of id: SensorID) {
        let reason = fault.reason
        func hint(_ general: String) -> String { fault.hint ?? general }
        self =
            switch fault.condition {
            case .gone: .disconnected(id, reason: reason, hint: hint("plug the device in again"))
            case .denied:
                .denied(
                    id, reason: reason,
                    hint: hint("let the node be given to a group of yours by a udev rule"))
            case .failed:
                .unavailable(
                    id, reason: reason,
                    hint: hint("plug the device in again; the kernel's log (dmesg) may say why"))
            case .malformed:
                .malformed(
                    id, reason: reason,
                    hint: hint("look at what it says with evtest; its driver is at fault"))
            case .unsupported:
                .unsupported(
                    id, reason: reason, hint: hint("see what it can do with evtest"))
            }
    }
}
