/// How long to wait before the next try: half a second, then twice as long each time, 15 s at most.
struct Backoff {
    private var tries = 0

    /// The next pause.
    mutating func next() -> Duration {
        defer { tries += 1 }
        return min(.milliseconds(500 << min(tries, 10)), .seconds(15))
    }

    /// Starts again: it worked.
    mutating func reset() { tries = 0 }
}
