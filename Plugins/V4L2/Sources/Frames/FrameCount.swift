/// Follows a driver's count of frames.
package struct FrameCount: Sendable {
    private var last: UInt32?
    private var isConstant = false

    /// A gap that is longer than this is a count that began anew.
    private static let longestGap: UInt32 = 100_000

    /// Starts before the first frame.
    package init() {}

    /// Takes the number of a frame.
    ///
    /// - Returns: how many frames are missing before it, and the number to give it; nil where the
    ///   driver does not count.
    package mutating func take(_ sequence: UInt32) -> (missing: Int, sequence: UInt32?) {
        defer { last = sequence }
        guard let last else { return (0, sequence) }
        // A driver that counts never gives two frames one number.
        if sequence == last { isConstant = true }
        if isConstant { return (0, nil) }
        let step = sequence &- last
        return (step > 1 && step <= Self.longestGap ? Int(step) - 1 : 0, sequence)
    }
}
