import SensoriumTestKit
import Testing

/// The behaviour is tested beside each spy; this counts what hundreds of each fault leave behind.
@Suite("faults, in a process of their own", .timeLimit(.minutes(1)))
struct FaultLeakTests {
    @Test("leave no thread, no file and no memory behind, of whatever spy")
    func leaks() async throws {
        let cycles = Campaign.rounds(400, long: 1000)
        let result = try await ChildProcess.run([Files.products + "/FaultProbe", "\(cycles)"])
        #expect(result.status == 0)
        #expect(result.lines.count == 57)
        for line in result.lines {
            // gpsd, the device is pulled out: 0 threads, 0 files, 1284 bytes
            let words = line.split(separator: ": ").last?.split(separator: " ") ?? []
            let counts = words.compactMap { Int($0) }
            try #require(counts.count == 3, "\(line)")
            // The pool's threads come and go, and Dispatch opens a file of its own with its first
            // timer; what leaks with each fault is hundreds of them.
            #expect(counts[0] < 10, "\(line)")
            #expect(counts[1] < 10, "\(line)")
            #expect(counts[2] < 50 * cycles, "\(line)")
        }
    }
}
