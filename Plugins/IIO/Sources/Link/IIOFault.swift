import SensoriumPluginKit

/// What went wrong below the sensor, before anybody knows which sensor it concerns.
///
/// The sensor turns a fault into a `SensorError` with its own name, and a hint that says what to do.
package struct IIOFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault that are treated differently.
    package enum Condition: String, Hashable, Sendable {
        /// The device, or the daemon that serves it, went away.
        case gone
        /// Somebody else reads the device.
        case busy
        /// This process may not do that.
        case denied
        /// The device gave nothing in time.
        case timedOut
        /// The daemon that serves the device did not even answer in time.
        case unanswered
        /// The call was ended from this side.
        case cancelled
        /// There is no such attribute, trigger or buffer.
        case absent
        /// What came makes no sense.
        case malformed
        /// The device cannot do that.
        case unsupported
        /// Any other failure of the kernel, the library or the network.
        case failed
    }

    /// What kind of fault it is.
    package var condition: Condition
    /// What was being done and how it failed; no full stop at the end.
    package var reason: String
    /// The error number that the library gave, if it gave one.
    package var number: Int32?
    /// What to do about it, as a clause; nil where the condition says all there is to say.
    package var hint: String?

    /// Whether the connection is of no more use, so that asking for something else is no help.
    package var isOfConnection: Bool {
        switch condition {
        case .gone, .timedOut, .unanswered, .cancelled: true
        default: false
        }
    }

    /// Makes a fault that no error number describes.
    package init(_ condition: Condition, _ reason: String) {
        self.condition = condition
        self.reason = reason
    }

    /// Makes a fault from an error number of Linux, given with either sign.
    package init(errno number: Int, doing what: String) {
        let error = ErrorNumber(number)
        self.number = error.value
        condition = Self.condition(of: error.value)
        reason = "\(what) failed: \(error)"
    }

    /// Makes a fault of a call that took `time` of the `limit` that it had.
    ///
    /// Over the network, libiio 0.24 gives EPIPE both when the connection broke and when no answer came
    /// in time (`wait_cancellable` in network-unix.c).
    package init(errno number: Int, doing what: String, after time: Duration, of limit: Duration) {
        self.init(errno: number, doing: what)
        if abs(number) == 32, time >= limit * 9 / 10 {
            condition = .unanswered
            reason = "\(what) failed: the daemon did not answer in time"
        }
    }

    /// The reason alone: a fault is always told inside a longer sentence.
    package var description: String { reason }

    private static func condition(of number: Int32) -> Condition {
        switch number {
        // ENODEV EPIPE, and what a lost or refused connection gives. Not EIO: a bus has bad moments,
        // and libiio gives it for an attribute that is empty.
        case 19, 32, 100, 101, 103, 104, 107, 108, 111, 112, 113: .gone
        case 16: .busy  // EBUSY
        case 1, 13: .denied  // EPERM EACCES
        case 110: .timedOut  // ETIMEDOUT
        case 9, 125: .cancelled  // EBADF is what a cancelled refill returns; ECANCELED
        case 2, 6: .absent  // ENOENT ENXIO
        case 22, 38, 95, 25: .unsupported  // EINVAL ENOSYS EOPNOTSUPP ENOTTY
        default: .failed
        }
    }
}
