/// Why a plugin file is not loaded: what is wrong with it, and what to do about it.
///
/// The path is not part of it; a ``LoadReport`` holds each refusal beside the file that it is about.
public struct LoadRefusal: Error, Sendable, Hashable {
    /// What is wrong, as the predicate of a sentence that starts with the file's path.
    public var reason: String
    /// What a person can do about it, or `nil` where nothing can be done.
    public var hint: String?

    /// Makes a refusal.
    public init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}

extension LoadRefusal: CustomStringConvertible {
    /// The reason, and the hint after a semicolon.
    public var description: String {
        guard let hint else { return reason }
        return "\(reason); \(hint)"
    }
}
