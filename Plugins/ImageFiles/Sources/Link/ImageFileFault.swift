import Sensorium
import SensoriumImages

/// What is wrong with a file, before anybody knows what it means for the sensor.
package struct ImageFileFault: Error, Hashable, Sendable {
    /// The kinds of fault that are treated differently.
    package enum Condition: Hashable, Sendable {
        /// It is not there.
        case missing
        /// This process may not read it.
        case denied
        /// It cannot be read.
        case failed
        /// Its bytes make no sense.
        case malformed
        /// It is of a kind that is not understood here.
        case unsupported
    }

    /// What kind of fault it is.
    package var condition: Condition
    /// Which file.
    package var path: String
    /// Why, as a clause without a full stop.
    package var reason: String
    /// What to do about it, as a clause.
    package var hint: String

    /// Makes a fault.
    package init(_ condition: Condition, _ path: String, reason: String, hint: String) {
        self.condition = condition
        self.path = path
        self.reason = reason
        self.hint = hint
    }

    /// Makes a fault of an error number.
    package init(errno number: Int32, _ path: String) {
        switch number {
        case 2, 20:  // ENOENT ENOTDIR
            self.init(
                .missing, path, reason: "there is no such file or folder (ENOENT)",
                hint: "check the name in image-files.path")
        case 1, 13:  // EPERM EACCES
            self.init(
                .denied, path, reason: "permission denied (EACCES)",
                hint: "let this user read it, as by chmod o+r")
        case 24:
            self.init(
                .failed, path, reason: "this process has too many files open (EMFILE)",
                hint: "raise the limit by ulimit -n")
        default:
            let what = number == 5 ? "input/output error (EIO)" : "error \(number)"
            self.init(
                .failed, path, reason: "it cannot be read: \(what)",
                hint: "check the disk; the kernel's log (dmesg) may say why")
        }
    }

    /// Makes a fault of what cannot be decoded.
    init(_ error: ImageError, _ path: String) {
        let isDamaged = error.condition == .malformed
        self.init(
            isDamaged ? .malformed : .unsupported, path, reason: error.reason,
            hint: error.hint.isEmpty ? "make the file anew, or take it out" : error.hint)
    }

    /// Nothing is in it.
    static func empty(_ path: String) -> Self {
        Self(
            .malformed, path, reason: "it holds no picture",
            hint: "name another in image-files.path")
    }
}

extension ImageFileFault: CustomStringConvertible {
    /// A sentence fit for a log.
    package var description: String { "\(path): \(reason); \(hint)" }
}

extension SensorError {
    /// A fault as an app sees it.
    ///
    /// - Parameter wasThere: whether the files were read before.
    init(_ fault: ImageFileFault, of id: SensorID, wasThere: Bool = false) {
        let reason = "\(fault.path): \(fault.reason)"
        self =
            switch fault.condition {
            case .missing where wasThere: .disconnected(id, reason: reason, hint: fault.hint)
            case .missing, .failed: .unavailable(id, reason: reason, hint: fault.hint)
            case .denied: .denied(id, reason: reason, hint: fault.hint)
            case .malformed: .malformed(id, reason: reason, hint: fault.hint)
            case .unsupported: .unsupported(id, reason: reason, hint: fault.hint)
            }
    }
}
