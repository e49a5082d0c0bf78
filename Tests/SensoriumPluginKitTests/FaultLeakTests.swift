import Testing

/// The behaviour is tested beside each spy; this counts what a thousand of each fault leave behind.
@Suite("faults, in a process of their own", .timeLimit(.minutes(1)))
struct FaultLeakTests {
    @Test("leave no thread, no file and no memory behind, of whatever spy")
    func leaks() async throws {
        let result = try await ChildProcess.run([Files.products + "/FaultProbe"])
        #expect(result.status == 0)
        #expect(result.lines.count == 57)
        for line in result.lines {
            // gpsd, the device is pulled out: 0 threads, 0 files, 1284 bytes
            let words = line.split(separator: ": ").last?.split(separator: " ") ?? []
            let counts = words.compactMap { Int($0) }
            try #require(counts.count == 3, "\(line)")
            // The pool's threads come and go, and Dispatch opens a file of its own with its first
            // timer; what leaks with each fault is a thousand of them.
            #expect(counts[0] < 10, "\(line)")
            #expect(counts[1] < 10, "\(line)")
            #expect(counts[2] < 50_000, "\(line)")
        }
    }
}
