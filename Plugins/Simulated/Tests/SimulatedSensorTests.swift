import Sensorium
import SensoriumTestKit
import SimulatedSpy
import Testing

@testable import SimulatedPlugin

@Suite("simulated sensor", .timeLimit(.minutes(1)))
struct SimulatedSensorTests {
    let clock = VirtualClock()
    let world: SimulatedWorldSpy
    let registry: SensorRegistry

    init() async throws {
        world = SimulatedWorldSpy(clock: clock)
        registry = SensorRegistry(host: PluginHost(clock: clock))
        try await registry.add(world.plugin(for: registry.host))
    }

    @Test("passes the conformance checks, every sensor of it")
    func conforms() async {
        let clock = VirtualClock()
        let world = SimulatedWorldSpy(clock: clock)
        let conformance = SensorConformance(
            clock: clock,
            world: .init(
                breakSource: { world.unplug($0.kind) }, mendSource: { world.plug($0.kind) },
                openCount: { world.connectionCount }, tellsTime: [.location, .satellites]))
        let report = await conformance.check { host in world.plugin(for: host) }
        #expect(report.passed && report.skipped.isEmpty, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 10)
        #expect(world.journal.unexpected.isEmpty)
    }

    @Test("measures at whole periods, at the rate asked for")
    func rate() async throws {
        let (clock, sensor, origin) = (clock, try preferred(Acceleration.self), world.origin)
        let readings = try await clock.run {
            let all = Collected<Acceleration>()
            await clock.advance(by: .milliseconds(3))
            let loop = clock.spawn("loop") {
                do {
                    for try await reading in sensor.readings(SamplingRequest(rate: 50)) {
                        all.append(reading)
                    }
                } catch {}
            }
            await clock.advance(by: .seconds(1))
            #expect(sensor.grantedRate == 50)
            loop.cancel()
            await loop.value
            return all.all
        }
        #expect(readings.count == 50)
        #expect(readings.first?.instant == origin.advanced(by: .milliseconds(20)))
        #expect(readings.allSatisfy { $0.isSimulated })
        #expect(clock.sleeperCount == 0)
    }

    @Test("gives the same readings in every run")
    func same() async throws {
        let (one, other) = (try await fixes(seed: 5), try await fixes(seed: 5))
        #expect(one == other)
        #expect(one.count == 10)
        let elsewhere = try await fixes(seed: 6)
        #expect(one != elsewhere)
    }

    private func fixes(seed: UInt64) async throws -> [LocationFix] {
        let clock = VirtualClock()
        let host = PluginHost(clock: clock, configuration: ["simulated.seed": "\(seed)"].value)
        return try await clock.run {
            let registry = SensorRegistry(host: host)
            try await registry.add(Simulated.self)
            let sensor = try #require(registry.preferred(of: LocationFix.self))
            let all = Collected<LocationFix>()
            let loop = clock.spawn("loop") {
                do { for try await fix in sensor.readings() { all.append(fix) } } catch {}
            }
            await clock.advance(by: .seconds(10))
            loop.cancel()
            await loop.value
            return all.all
        }
    }

    @Test("stamps fixes with the UTC of their instant")
    func utc() async throws {
        let (clock, sensor, origin) = (clock, try preferred(LocationFix.self), world.origin)
        let fix = try await clock.run {
            async let fix = sensor.latest(timeout: .seconds(5))
            await clock.advance(by: .seconds(5))
            return try await fix
        }
        #expect(fix.instant == origin.advanced(by: .seconds(1)))
        #expect(fix.time.utcNanoseconds == 1_767_225_601_000_000_000)
        #expect(fix.fix == .threeDimensional)
    }

    @Test("holds readings back as long as it may, and wakes once for all of them")
    func batches() async throws {
        let (clock, sensor) = (clock, try preferred(Acceleration.self))
        let sizes = try await clock.run {
            let sizes = Collected<Int>()
            let loop = clock.spawn("loop") {
                let request = SamplingRequest(rate: 100, maxLatency: .milliseconds(200))
                do {
                    for try await batch in sensor.readings(request).batches {
                        sizes.append(batch.count)
                    }
                } catch {}
            }
            await clock.advance(by: .seconds(1))
            loop.cancel()
            await loop.value
            return sizes.all
        }
        #expect(sizes == [20, 20, 20, 20, 20])
    }

    @Test("counts what its memory cannot hold when the host wakes late")
    func overrun() async throws {
        let late = LateClock(clock, delay: .seconds(4))
        let sensor = SimulatedSensor<Acceleration>(link: world, clock: late)
        let clock = clock
        let heard = try await clock.run {
            let heard = Collected<String>()
            let sink = ReadingSink<Acceleration>(
                deliver: { heard.append("\($0.count)") },
                lose: { heard.append("lost \($0.count) \($0.reason)") })
            let session = try await sensor.open(SamplingRequest(rate: 100), delivering: sink)
            await clock.advance(by: .milliseconds(4010))
            await session.close()
            return heard.all
        }
        #expect(heard == ["lost 145 device", "256"])
    }

    private func preferred<R>(_ type: R.Type) throws -> SharedSensor<R> {
        try #require(registry.preferred(of: type))
    }
}

extension [String: String] {
    fileprivate var value: @Sendable (String) -> String? { { self[$0] } }
}

/// A clock whose sleepers wake late.
private struct LateClock: SensorClock {
    let base: VirtualClock
    let delay: Duration

    init(_ base: VirtualClock, delay: Duration) {
        self.base = base
        self.delay = delay
    }

    var now: SensorInstant { base.now }
    var minimumResolution: Duration { base.minimumResolution }
    var executor: (any TaskExecutor)? { base.executor }

    func sample(_ domain: ClockDomain) -> ClockSample? { base.sample(domain) }

    func sleep(until deadline: SensorInstant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline.advanced(by: delay), tolerance: tolerance)
    }
}
