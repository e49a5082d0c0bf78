import Sensorium
import SensoriumPluginKit

/// What went wrong below the sensor, before anybody knows which sensor it concerns.
package struct V4L2Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault that are treated differently.
    package enum Condition: String, Hashable, Sendable {
        /// The camera went away.
        case gone
        /// Somebody else reads the camera.
        case busy
        /// This process may not open it.
        case denied
        /// No frame came in time.
        case timedOut
        /// What the driver says makes no sense.
        case malformed
        /// The camera or its driver cannot do that.
        case unsupported
        /// Any other failure.
        case failed
    }

    /// What kind of fault it is.
    package var condition: Condition
    /// What was being done and how it failed; no full stop at the end.
    package var reason: String
    /// What to do about it, where the place knows better than the condition.
    package var hint: String?
    /// The error number, if there was one.
    package var number: Int32?

    /// Makes a fault that no error number describes.
    package init(_ condition: Condition, _ reason: String, hint: String? = nil) {
        self.condition = condition
        self.reason = reason
        self.hint = hint
    }

    /// Makes a fault from an error number, given with either sign.
    package init(errno number: Int32, doing what: String) {
        let error = ErrorNumber(number)
        self.number = error.value
        condition = Self.condition(of: error.value)
        // ENOSPC: of a camera's bus, which cannot carry so many pictures.
        let words = error.value == 28 ? "the bus has no bandwidth left (ENOSPC)" : "\(error)"
        reason = "\(what) failed: \(words)"
    }

    /// The reason alone: a fault is always told inside a longer sentence.
    package var description: String { reason }

    private static func condition(of number: Int32) -> Condition {
        switch number {
        case 2, 6, 19: .gone  // ENOENT ENXIO ENODEV
        case 16, 28: .busy  // EBUSY; ENOSPC: the bus has no bandwidth left
        case 1, 13: .denied  // EPERM EACCES
        case 110: .timedOut  // ETIMEDOUT
        case 22, 25, 38, 95: .unsupported  // EINVAL ENOTTY ENOSYS EOPNOTSUPP
        default: .failed
        }
    }
}

extension SensorError {
    /// A fault as an app sees it.
    init(_ fault: V4L2Fault, of id: SensorID) {
        let reason = fault.reason
        func hint(_ general: String) -> String { fault.hint ?? general }
        self =
            switch fault.condition {
            case .gone: .disconnected(id, reason: reason, hint: hint("plug the camera in again"))
            case .busy:
                .busy(
                    id, reason: reason,
                    hint: hint("end the other program that uses it; fuser -v /dev/video* names it"))
            case .denied:
                .denied(
                    id, reason: reason,
                    hint: hint(
                        "join the group that owns the node (usermod -aG video USER, then log in "
                            + "again), or give it away by a udev rule"))
            case .timedOut, .failed:
                .unavailable(
                    id, reason: reason,
                    hint: hint("plug the camera in again; the kernel's log (dmesg) may say why"))
            case .malformed:
                .malformed(
                    id, reason: reason,
                    hint: hint("look at the camera with v4l2-ctl --all; its driver is at fault"))
            case .unsupported:
                .unsupported(
                    id, reason: reason,
                    hint: hint("see what it can do with v4l2-ctl --list-formats-ext"))
            }
    }
}
