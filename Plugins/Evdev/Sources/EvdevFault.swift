/// Why a device cannot be read, before anybody knows which sensor it concerns.
package struct EvdevFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault that are treated differently.
    package enum Condition: String, Hashable, Sendable {
        /// What the device says makes no sense.
        case malformed
        /// The device cannot do that.
        case unsupported
    }

    /// What kind of fault it is.
    package var condition: Condition
    /// What is wrong with it; no full stop at the end.
    package var reason: String
    /// What to do about it; nil where there is nothing to do.
    package var hint: String?

    /// Makes a fault.
    package init(_ condition: Condition, _ reason: String, hint: String? = nil) {
        self.condition = condition
        self.reason = reason
        self.hint = hint
    }

    /// The reason alone: a fault is always told inside a longer sentence.
    package var description: String { reason }
}
