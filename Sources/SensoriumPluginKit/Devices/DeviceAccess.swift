import Glibc
import Sensorium

/// Whether this process may use a device node, and what would help where it may not.
///
/// A sensor of a device answers `authorization` and `requestAuthorization()` with
/// `DeviceAccess(path).authorization`, and turns the error number of a failed `open` into
/// `DeviceAccess(path).error(errno, for: id)`. A missing right is then `.denied`, with a hint that
/// names the group to join or the udev rule to install; a missing node is `.unavailable`. The two are
/// never mixed up.
public struct DeviceAccess: Sendable, Hashable {
    /// What is wanted of a node.
    public enum Use: Sendable, Hashable {
        /// To read it.
        case reading
        /// To read and to write it, as cameras need.
        case readingAndWriting
    }

    /// The node, as `/dev/video0`.
    public var path: String
    /// What is wanted of it.
    public var use: Use

    /// Makes a look at the node `path`.
    ///
    /// Nothing is looked at before it is asked for.
    public init(_ path: String, for use: Use = .reading) {
        self.path = path
        self.use = use
    }

    /// Whether this process may use the node now: `.denied` or `.authorized`.
    ///
    /// A node that is not there is `.authorized`, since nothing forbids it: opening the sensor then
    /// throws `.unavailable`. The node is not opened for this. Source: access(2), with the effective
    /// user.
    public var authorization: AuthorizationStatus {
        switch refusal {
        case EACCES, EPERM, EROFS: .denied
        default: .authorized
        }
    }

    /// Why the sensor `id` cannot be opened now; nil where it can, as far as rights go.
    ///
    /// `.denied` or `.unavailable`.
    public func error(for id: SensorID) -> SensorError? {
        refusal.map { error($0, for: id) }
    }

    /// What the error number of a failed call on the node means for the sensor `id`.
    ///
    /// `EACCES` and `EPERM` give `.denied`, `EBUSY` gives `.busy`, and everything else `.unavailable`.
    public func error(_ number: Int32, for id: SensorID) -> SensorError {
        switch number {
        case EACCES, EPERM, EROFS:
            let denial = NodeRights(of: path).denial(of: use, to: ProcessRights.current)
            return .denied(id, reason: denial.reason, hint: denial.hint)
        case ENOENT, ENOTDIR, ENODEV, ENXIO:
            return .unavailable(
                id, reason: "there is no device at \(path)",
                hint: "plug it in, and look with 'dmesg' whether the kernel has a driver for it")
        case EBUSY:
            return .busy(
                id, reason: "another program uses \(path)",
                hint: "find it with 'fuser -v \(path)', and end it")
        default:
            return .unavailable(
                id, reason: "\(path) cannot be opened: \(SystemCall.message(number))",
                hint: "look with 'dmesg' for what its driver says")
        }
    }

    /// What this process could do to get the right that it lacks, as a clause.
    ///
    /// For plugins whose errors name more than the node.
    public var hint: String {
        NodeRights(of: path).denial(of: use, to: ProcessRights.current).hint
    }

    /// The error number that opening the node would end by, as far as rights go.
    private var refusal: Int32? {
        let mode = use == .reading ? R_OK : R_OK | W_OK
        return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? nil : errno
    }
}
