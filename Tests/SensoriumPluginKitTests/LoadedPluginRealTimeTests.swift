import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

/// What only real time and real threads can show.
@Suite("loaded plugins in real time", .timeLimit(.minutes(1)))
struct LoadedPluginRealTimeTests {
    @Test("close slowly, four at once, without stopping the pool")
    func slowClosers() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let test = TestHost(clock: SystemClock(), ["fixture.sensors": "all"])
                    let plugin = try await test.load(Files.fixture)
                    let sensors = try await plugin.discover()
                    let closer = try #require(
                        sensors.loaded("fixture/slow-closer", of: Pressure.self))
                    var sessions: [any SensorSession] = []
                    for _ in 0..<4 {
                        sessions.append(
                            try await closer.open(.default, delivering: Recorder<Pressure>().sink))
                    }
                    await withTaskGroup(of: Void.self) { closing in
                        for session in sessions { closing.addTask { await session.close() } }
                    }
                    await plugin.stop()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("carry a burst to a stream on the default pool")
    func burst() async throws {
        let test = TestHost(clock: SystemClock(), ["fixture.sensors": "all"])
        let registry = SensorRegistry(host: test.host)
        try await registry.add(try await test.load(Files.fixture))
        let burst = try #require(registry.sensor("fixture/burst", of: Acceleration.self))
        var count = 0
        let request = SamplingRequest(buffering: .newest(64_000))
        for try await batch in burst.readings(request).batches { count += batch.count }
        #expect(count == 64_000)
        await registry.removeAll()
    }
}
