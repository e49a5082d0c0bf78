import GPSDPlugin
import GPSDSpy
import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

/// The service over a plugin that ships, whose daemon is played.
@Suite("Location service over gpsd", .timeLimit(.minutes(1)))
struct LocationOverGPSDTests {
    private let clock = VirtualClock()

    /// Asks for a position, and gives it or the error.
    private func ask(_ daemon: GPSDDaemonSpy) async throws -> Result<LocationFix, SensorError> {
        let registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(daemon.plugin(host: registry.host))
        let sensor = try #require(registry.preferred(of: LocationFix.self))
        let service = LocationService(sensor: sensor, timeout: .seconds(20))
        let (clock, answers) = (clock, Collected<Result<LocationFix, SensorError>>())
        try await clock.run {
            let app = clock.spawn("app") {
                do throws(SensorError) {
                    answers.append(.success(try await service.currentLocation()))
                } catch {
                    answers.append(.failure(error))
                }
            }
            await clock.advance(by: .seconds(20))
            await app.value
            #expect(sensor.consumerCount == 0)
            await registry.removeAll()
        }
        return try #require(answers.all.first)
    }

    @Test("finds the first fix, and hangs up")
    func found() async throws {
        let daemon = GPSDDaemonSpy(
            #"{"class":"TPV","mode":1}"#, .pause(.seconds(7)),
            .line(GPSDLine.position(latitude: 10, longitude: 20)), clock: clock)
        #expect(try await ask(daemon).get().latitude == 10)
        #expect(!daemon.isConnected)
    }

    @Test("is unavailable where no gpsd runs, and says how to start it")
    func noDaemon() async throws {
        let daemon = GPSDDaemonSpy(.refuse(1_000_000), clock: clock)
        guard case .failure(.unavailable(let id, let reason, let hint)) = try await ask(daemon)
        else {
            Issue.record("another answer")
            return
        }
        #expect(id == "gpsd/location")
        #expect(reason.contains("refused"))
        #expect(!hint.isEmpty)
    }

    @Test("is late, not unavailable, where a receiver sees no satellites")
    func noFix() async throws {
        let daemon = GPSDDaemonSpy(#"{"class":"TPV","mode":1}"#, clock: clock)
        guard case .failure(.timedOut(_, let limit, let hint)) = try await ask(daemon) else {
            Issue.record("another answer")
            return
        }
        #expect(limit == .seconds(20))
        #expect(!hint.isEmpty)
    }
}
