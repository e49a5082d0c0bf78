/// Why a recording cannot be read or written.
///
/// Each says which file, why, and what to do.
public struct RecordingError: Error, Sendable, Hashable {
    /// What went wrong, for programs.
    public var condition: Condition
    /// The file.
    public var path: String
    /// Why, as a clause without a full stop.
    public var reason: String
    /// What to do about it, as a clause; empty where there is nothing to do.
    public var hint: String

    /// Makes an error.
    public init(_ condition: Condition, path: String, reason: String, hint: String = "") {
        self.condition = condition
        self.path = path
        self.reason = reason
        self.hint = hint
    }

    /// What can go wrong.
    public enum Condition: Sendable, Hashable, CaseIterable {
        /// The operating system does not let the file be read.
        case unreadable
        /// This user may not read or write the file.
        case denied
        /// The file has no bytes.
        case empty
        /// The file is of no format that was asked for.
        case unrecognized
        /// The file is of the format, and what it says cannot be understood.
        case malformed
        /// The file needs something that this build or this format lacks.
        case unsupported
        /// The operating system does not let the file be written.
        case unwritable
        /// There is no room left for the file.
        case full
        /// The caller broke the contract: an unknown sensor, a call after `finish`.
        case misuse
    }
}

extension RecordingError: CustomStringConvertible {
    /// A sentence fit for a log or a terminal.
    public var description: String {
        let what =
            switch condition {
            case .unreadable: "cannot be read"
            case .denied: "may not be used by this process"
            case .empty: "is empty"
            case .unrecognized: "is no recording that can be read"
            case .malformed: "is damaged"
            case .unsupported: "needs what is not there"
            case .unwritable: "cannot be written"
            case .full: "has no room left"
            case .misuse: "was used wrongly"
            }
        let way = hint.isEmpty ? "" : "; \(hint)"
        return "\(path) \(what): \(reason)\(way)"
    }
}
