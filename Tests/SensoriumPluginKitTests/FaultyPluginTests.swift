import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

/// Plugins that break the rules of the boundary: see `Fixtures/faulty.c`.
@Suite(
    "faulty plugin", .timeLimit(.minutes(1)),
    .enabled(if: PluginFoundry.compiler != nil, PluginFoundry.skipReason))
struct FaultyPluginTests {
    private let folder: TemporaryFolder
    private let clock = VirtualClock()
    private let test: TestHost

    init() throws {
        folder = try TemporaryFolder()
        test = TestHost(clock: clock)
    }

    private func load(_ fault: PluginFoundry.Fault) async throws -> LoadedPlugin {
        try await PluginFoundry.build(fault, to: folder / "faulty.so")
        return try await test.load(folder / "faulty.so")
    }

    private func pressure(_ plugin: LoadedPlugin) async throws -> LoadedSensor<Pressure> {
        try #require(try await plugin.discover().loaded("faulty/pressure"))
    }

    @Test("that describes nonsense has what makes sense listed, and the rest logged")
    func descriptions() async throws {
        let plugin = try await load(.lies)
        let sensors = try await plugin.discover()
        #expect(
            sensors.map(\.descriptor) == [
                SensorDescriptor(
                    id: "faulty/pressure", kind: .pressure, name: "bar\u{fffd}\u{fffd}ometer",
                    rates: .listed([10, 50]), isSimulated: true, isPreferred: true)
            ])
        let log = test.log.all
        #expect(log.count == 6)
        #expect(log.filter { $0.contains("without a description") }.count == 2)
        #expect(log.filter { $0.contains("ids begin with \"faulty/\"") }.count == 3)
        #expect(log.filter { $0.contains("sensors of kind 63") }.count == 1)
        await plugin.stop()
    }

    @Test("that delivers nonsense loses it, counted, and no good reading with it")
    func deliveries() async throws {
        let plugin = try await load(.lies)
        let sensor = try await pressure(plugin)
        let recorder = Recorder<Pressure>()
        let session = try await sensor.open(.default, delivering: recorder.sink)
        #expect(session.grantedRate == nil)
        #expect(recorder.readings.map(\.value) == [4, 5])
        let odd = try #require(recorder.readings.first)
        #expect(odd.accuracy == nil)
        #expect(odd.time.source == .arrival)
        #expect(odd.time.original?.domain == .foreign)
        #expect(odd.time.uncertainty == nil)
        var lost: [ReadingLoss.Reason: Int] = [:]
        for loss in recorder.losses { lost[loss.reason, default: 0] += loss.count }
        // Without a batch or a count one reading is taken as lost; five more are what it says.
        let malformed = 1 + 6 + 65_536 + 6 + 6 + 6
        #expect(lost == [.malformed: malformed, .implausible: 4, .device: 5])
        #expect(test.log.all.filter { $0.contains("malformed batches") }.count == 1)
        let statuses = recorder.events.all.compactMap { event -> SensorStatus? in
            if case .status(let status) = event { status } else { nil }
        }
        #expect(statuses == [SensorStatus(.stale, reason: "\u{fffd}(")])
        #expect(sensor.authorization == .notDetermined)
        #expect(await sensor.requestAuthorization() == .notDetermined)

        await #expect(
            throws: SensorError.pluginFault(
                "faulty/pressure", reason: "the plugin gives no reason", hint: "")
        ) {
            try await session.reconfigure(.default)
        }
        let before = recorder.events.all.count
        await session.close()
        await session.close()
        #expect(recorder.events.all.count == before, "something came after it was closed")
        await plugin.stop()
    }

    @Test("that answers twice is heard once")
    func twice() async throws {
        let plugin = try await load(.lies)
        let sensor = try await pressure(plugin)
        #expect(try await plugin.discover().count == 1)
        let session = try await sensor.open(.default, delivering: Recorder<Pressure>().sink)
        await session.close()
        await plugin.stop()
    }

    @Test("that never starts is given up after 10 s")
    func neverStarts() async throws {
        try await PluginFoundry.build(.neverStarts, to: folder / "faulty.so")
        let (clock, test, path) = (clock, test, folder / "faulty.so")
        await #expect(
            throws: LoadRefusal("did not start within 10 s", hint: "report it to its author")
        ) {
            try await clock.run {
                async let plugin = test.load(path)
                await clock.advance(by: .seconds(10))
                _ = try await plugin
            }
        }
    }

    @Test("that never finds out what there is is given up after 30 s")
    func neverDiscovers() async throws {
        let (clock, plugin) = (clock, try await load(.neverDiscovers))
        await #expect(throws: SensorError.self) {
            try await clock.run {
                async let sensors = plugin.discover()
                await clock.advance(by: .seconds(30))
                _ = try await sensors
            }
        }
        await plugin.stop()
    }

    @Test("that never opens is given up after 30 s, or when the task is cancelled")
    func neverOpens() async throws {
        let plugin = try await load(.neverOpens)
        let (clock, sensor) = (clock, try await pressure(plugin))
        let errors = try await clock.run { () -> [SensorError] in
            @Sendable func open() async -> SensorError? {
                do throws(SensorError) {
                    _ = try await sensor.open(.default, delivering: Recorder<Pressure>().sink)
                    return nil
                } catch {
                    return error
                }
            }
            async let late = open()
            await clock.advance(by: .seconds(30))
            let errors = Collected<SensorError>()
            let cancelled = clock.spawn("open") {
                if let error = await open() { errors.append(error) }
            }
            await clock.settle()
            cancelled.cancel()
            await cancelled.value
            return [await late].compactMap { $0 } + errors.all
        }
        #expect(
            errors == [
                .timedOut(
                    "faulty/pressure", after: .seconds(30),
                    hint: "its plugin neither opened nor refused it"),
                .cancelled("faulty/pressure"),
            ])
        try await clock.run {
            // The call that was cancelled may still be answered, so it is waited for.
            async let stopping: Void = plugin.stop()
            await clock.advance(by: .seconds(10))
            await stopping
        }
    }

    @Test("that opens nothing, without a reason, is at fault")
    func opensNothing() async throws {
        let plugin = try await load(.opensNothing)
        let sensor = try await pressure(plugin)
        await #expect(
            throws: SensorError.pluginFault(
                "faulty/pressure", reason: "it was neither opened nor refused",
                hint: "report it to the plugin's author")
        ) {
            _ = try await sensor.open(.default, delivering: Recorder<Pressure>().sink)
        }
        await plugin.stop()
    }

    @Test("that never closes is left behind after 10 s, and is not heard any more")
    func neverCloses() async throws {
        let plugin = try await load(.neverCloses)
        let (clock, sensor) = (clock, try await pressure(plugin))
        try await clock.run {
            let session = try await sensor.open(.default, delivering: Recorder<Pressure>().sink)
            async let closing: Void = session.close()
            await clock.advance(by: .seconds(10))
            await closing
        }
        #expect(
            test.log.all.last
                == "error: the plugin of faulty/pressure did not close it within 10 s")
        await plugin.stop()
    }
}
