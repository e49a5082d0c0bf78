import Sensorium

/// What gpsd complains of, made short: it can say the same with every line that it sends.
///
/// The first few different messages of a minute are passed on at once; all others are counted, and told
/// by their number when the minute is over, or the connection.
struct Complaints {
    private var start: SensorInstant?
    private var told: Set<String> = []
    private var untold = 0

    /// How many different messages are told within `span`.
    private static var limit: Int { 3 }
    private static var span: Duration { .seconds(60) }

    /// Takes a message.
    ///
    /// - Returns: what to tell a person.
    mutating func take(_ message: String, at now: SensorInstant) -> [String] {
        var lines: [String] = []
        if let start, start.duration(to: now) >= Self.span { lines = finish() }
        if told.count < Self.limit, told.insert(message).inserted {
            start = start ?? now
            lines.append(message)
        } else {
            untold += 1
        }
        return lines
    }

    /// Begins anew.
    ///
    /// - Returns: what was not told yet.
    mutating func finish() -> [String] {
        defer { self = Complaints() }
        if untold == 0 { return [] }
        let times = untold == 1 ? "once" : "\(untold) times"
        return [told.count < Self.limit ? "the same \(times) more" : "the like \(times) more"]
    }
}
