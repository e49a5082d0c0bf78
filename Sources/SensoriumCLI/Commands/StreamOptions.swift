import Sensorium

/// The options of commands that read sensors until something ends them.
enum StreamOptions {
    static let json = Flag("json", "Print JSON, one object per line.")
    static let duration = Option(
        "for", "SECONDS", .positive, "End after this many seconds.")
    static let rate = Option(
        "rate", "HZ", .positive,
        "Ask for this many readings a second; a sensor runs at its nearest rate from there up.")

    static func count(_ what: String) -> Option<Int> {
        Option("count", "N", .count, "End after N \(what).")
    }
}

/// Lets `limit` things through, and says when that is enough.
///
/// For several tasks at once.
final class Quota: Sendable {
    private let left: Guarded<Int?>

    /// - Parameter limit: nil for no limit.
    init(_ limit: Int?) { left = Guarded(limit) }

    /// Asks to let one through.
    ///
    /// - Returns: whether it may pass, and whether it is the last one.
    func take() -> (passes: Bool, isLast: Bool) {
        left.withLock { left in
            guard let now = left else { return (true, false) }
            if now == 0 { return (false, true) }
            left = now - 1
            return (true, now == 1)
        }
    }
}
