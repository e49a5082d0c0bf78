import Sensorium

/// One row of the report.
struct Row: Sendable {
    /// What was measured: `stream.batches.main`.
    var name: String
    /// The median, in `unit`.
    var value: Double
    /// What `value` is in.
    var unit: String
    /// What it is compared with, and its median in the same run.
    var rival: (name: String, value: Double)?
    /// The highest value that is good enough, in `unit`.
    var goal: Double
    /// The lowest good ratio of rival to value; nil where any will do.
    var goalRatio: Double?

    /// How many times faster than the rival.
    var ratio: Double? { rival.map { $0.value / value } }

    /// Whether value and ratio are good enough.
    var isMet: Bool {
        value <= goal && (goalRatio.map { wanted in ratio.map { $0 >= wanted } ?? false } ?? true)
    }
}

/// Times of one measurement, in nanoseconds for each item.
struct Samples {
    private var values: [Double] = []

    mutating func add(_ nanoseconds: Int64, items: Int) {
        values.append(Double(nanoseconds) / Double(max(1, items)))
    }

    /// The middle one.
    var median: Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}

private let clock = SystemClock()

/// How long `body` takes, in nanoseconds.
func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
    let start = clock.now
    try body()
    return start.duration(to: clock.now).wholeNanoseconds
}

/// How long `body` takes, in nanoseconds.
func nanoseconds(_ body: () async throws -> Void) async rethrows -> Int64 {
    let start = clock.now
    try await body()
    return start.duration(to: clock.now).wholeNanoseconds
}

/// Keeps the optimizer from leaving a computation out.
@inline(never)
func keep<T>(_ value: T) {}
