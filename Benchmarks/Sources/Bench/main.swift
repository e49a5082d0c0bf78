// Measures what the design promises, beside the rivals, in one run.
//
// `Bench` prints a table, `Bench --json` an array of objects, `Bench NAME` only the rows of
// which the name contains NAME.
let arguments = CommandLine.arguments.dropFirst()
let isJSON = arguments.contains("--json")
let filter = arguments.first { !$0.hasPrefix("-") }

/// Runs a group of rows if its name fits the filter.
nonisolated func group(_ name: String, _ body: () async throws -> [Row]) async throws -> [Row] {
    if let filter, !name.contains(filter), !filter.hasPrefix(name) { return [] }
    return try await body()
}

var rows: [Row] = []
rows += try await group("stream") {
    let main = try await StreamBenchmarks.rows("main")
    let pool = try await Task.detached { try await StreamBenchmarks.rows("pool") }.value
    return main + pool
}
rows += try await group("shared") {
    try await [StreamBenchmarks.shared(1), StreamBenchmarks.shared(3)]
}
rows += try await group("boundary") { try await BoundaryBenchmarks.rows() }
rows += try await group("join") { try await JoinBenchmarks.rows() }
rows += try await group("gpsd") { GPSDBenchmarks.rows() }
rows += try await group("nmea") { try NMEABenchmarks.rows() }
rows += try await group("mcap") { try MCAPBenchmarks.rows() }
rows += try await group("iio") { IIOBenchmarks.rows() }
rows += try await group("v4l2") { try await CameraBenchmarks.rows() }
rows += try await group("evdev") { try await EvdevBenchmarks.rows() }
rows += try await group("images") { try ImageBenchmarks.rows() }
rows += try await group("idle") { try await IdleBenchmarks.rows() }
rows += try await group("replay") { try await ReplayBenchmarks.rows() }
rows += try await group("spy") { try await SpyBenchmarks.rows() }

print(isJSON ? Report.json(rows) : Report.table(rows))
