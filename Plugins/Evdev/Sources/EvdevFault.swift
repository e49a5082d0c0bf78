import Sensorium

/// What went wrong below the sensor, before anybody knows which sensor it concerns.
package struct EvdevFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault that are treated differently.
    package enum Condition: String, Hashable, Sendable {
        /// The device went away.
        case gone
        /// Somebody else has grabbed it.
        case busy
        /// This process may not read it.
        case denied
        /// What the device says makes no sense.
        case malformed
        /// The device, or this build, cannot do that.
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

    /// Makes a fault that no error number describes.
    package init(_ condition: Condition, _ reason: String, hint: String? = nil) {
        self.condition = condition
        self.reason = reason
        self.hint = hint
    }

    /// Makes a fault from an error number, given with either sign.
    package init(errno number: Int32, doing what: String) {
        let positive = number == .min ? .max : abs(number)
        condition = Self.condition(of: positive)
        reason = "\(what) failed: \(Self.words(for: positive))"
    }

    /// The reason alone: a fault is always told inside a longer sentence.
    package var description: String { reason }

    private static func condition(of number: Int32) -> Condition {
        switch number {
        case 2, 6, 19: .gone  // ENOENT ENXIO ENODEV
        case 16: .busy  // EBUSY
        case 1, 13: .denied  // EPERM EACCES
        case 22, 25, 38, 95: .unsupported  // EINVAL ENOTTY ENOSYS EOPNOTSUPP
        default: .failed
        }
    }

    private static func words(for number: Int32) -> String {
        switch number {
        case 1: "operation not permitted (EPERM)"
        case 2: "there is no such node (ENOENT)"
        case 5: "input/output error (EIO)"
        case 6: "no such device (ENXIO)"
        case 12: "no memory (ENOMEM)"
        case 13: "permission denied (EACCES)"
        case 16: "device or resource busy (EBUSY)"
        case 19: "no such device (ENODEV)"
        case 22: "invalid argument (EINVAL)"
        case 24: "this process has too many files open (EMFILE)"
        case 25: "the driver does not know that call (ENOTTY)"
        default: "error number \(number)"
        }
    }
}

extension SensorError {
    /// Tells a fault of the sensor `id`.
    init(_ fault: EvdevFault, of id: SensorID) {
        let reason = fault.reason
        func hint(_ usual: String) -> String { fault.hint ?? usual }
        self =
            switch fault.condition {
            case .gone:
                .disconnected(id, reason: reason, hint: hint("plug it in again"))
            case .busy:
                .busy(
                    id, reason: reason,
                    hint: hint("find the program that reads it with 'fuser -v /dev/input/event*'"))
            case .denied:
                .denied(
                    id, reason: reason,
                    hint: hint(
                        "join the group that owns the node (usermod -aG input USER, then log in "
                            + "again), or install the udev rule 70-sensorium.rules"))
            case .failed:
                .unavailable(
                    id, reason: reason,
                    hint: hint("plug it in again; the kernel's log (dmesg) may say why"))
            case .malformed:
                .malformed(
                    id, reason: reason,
                    hint: hint("look at it with 'evtest'; its driver is at fault"))
            case .unsupported:
                .unsupported(id, reason: reason, hint: hint("see what it is with 'evtest'"))
            }
    }
}
