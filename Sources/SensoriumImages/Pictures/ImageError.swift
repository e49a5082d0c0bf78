/// Why bytes give no picture, or a picture no bytes.
public struct ImageError: Error, Sendable, Hashable {
    /// What went wrong, for programs.
    public var condition: Condition
    /// Why, as a clause without a full stop.
    public var reason: String
    /// What to do about it, as a clause; empty where there is nothing to do.
    public var hint: String

    /// Makes an error.
    public init(_ condition: Condition, _ reason: String, hint: String = "") {
        self.condition = condition
        self.reason = reason
        self.hint = hint
    }

    /// What can go wrong.
    public enum Condition: Sendable, Hashable, CaseIterable {
        /// The bytes are cut off, or make no sense.
        case malformed
        /// This build or this module cannot do it.
        case unsupported
        /// The picture would take more memory than one may.
        case tooLarge
    }
}

extension ImageError: CustomStringConvertible {
    /// A sentence fit for a log or a terminal.
    public var description: String {
        let what =
            switch condition {
            case .malformed: "the picture is damaged"
            case .unsupported: "the picture cannot be read or written here"
            case .tooLarge: "the picture is too large"
            }
        return "\(what): \(reason)" + (hint.isEmpty ? "" : "; \(hint)")
    }

    /// A size that no picture may have.
    static func size(_ width: Int, _ height: Int) -> Self {
        guard width > 0, height > 0 else {
            return Self(.malformed, "its size is \(width)x\(height)")
        }
        return Self(
            .tooLarge, "its size is \(width)x\(height)",
            hint: "pictures have at most \(Picture.largestArea) pixels")
    }

    /// What needs a library that this build lacks.
    static func missingTrait(_ format: String) -> Self {
        Self(
            .unsupported, "this build has no \(format)",
            hint: "build sensorium with its trait Images")
    }
}
