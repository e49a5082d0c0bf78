import GPSDPlugin
import Glibc
import Sensorium
import SimulatedPlugin

/// What an app costs while it reads nothing.
enum IdleBenchmarks {
    /// Wake-ups of all threads in three seconds with every plugin at work and no sensor open, less
    /// those of the same program without them.
    static func rows() async throws -> [Row] {
        // Threads that have run before this settle down first.
        try await Task.sleep(for: .seconds(1))
        let without = try await wakeUps()
        let registry = SensorRegistry()
        try await registry.add(GPSD.self)
        try await registry.add(Simulated.self)
        try await Task.sleep(for: .milliseconds(500))
        let with = try await wakeUps()
        precondition(registry.descriptors.count >= 14, "sensors are missing")
        await registry.removeAll()
        return [
            Row(
                name: "idle.wake-ups", value: Double(max(0, with - without)), unit: "in 3 s",
                goal: 0)
        ]
    }

    private static func wakeUps() async throws -> Int {
        let before = switches()
        try await Task.sleep(for: .seconds(3))
        return switches() - before
    }

    /// Voluntary context switches of all threads so far.
    ///
    /// Source: proc(5), `status`.
    private static func switches() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var sum = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int(name) != nil, let file = fopen("/proc/self/task/\(name)/status", "r") else {
                continue
            }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, Int32(line.count), file) != nil {
                let text = String(
                    decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if text.hasPrefix("voluntary_ctxt_switches:") {
                    sum +=
                        text.split(separator: "\t").last.flatMap { Int($0.prefix { $0.isNumber }) }
                        ?? 0
                }
            }
        }
        return sum
    }
}
