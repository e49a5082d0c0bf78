import FixturePlugin
import Sensorium
import SensoriumTestKit
import Testing

@testable import SensoriumPluginKit

/// The plugin in Swift of `Tests/Fixtures/FixturePlugin`, in a library of its own.
@Suite("loaded plugin in Swift", .timeLimit(.minutes(1)))
struct LoadedSwiftPluginTests {
    private let clock = VirtualClock()
    private let test: TestHost

    init() { test = TestHost(clock: clock, ["fixture.sensors": "all"]) }

    /// Opens a scripted sensor through the boundary, and gives what it delivered.
    private func script<Reading: BoundaryReading>(
        of _: Reading.Type
    ) async throws -> (LoadedSensor<Reading>, Recorder<Reading>) {
        let (clock, recorder) = (clock, Recorder<Reading>())
        let plugin = try await test.load(Files.fixture)
        let sensor = try await clock.run {
            let sensors = try await plugin.discover()
            let id = SensorID("fixture/\(Reading.kind.name)")
            let sensor = try #require(sensors.loaded(id, of: Reading.self))
            let session = try await sensor.open(.default, delivering: recorder.sink)
            #expect(session.grantedRate == 25)
            await session.close()
            return sensor
        }
        await plugin.stop()
        return (sensor, recorder)
    }

    /// Checks that a script arrives as it was sent, with everything around it.
    private func check<Reading: BoundaryReading & Equatable>(_ expected: [Reading]) async throws {
        let (sensor, recorder) = try await script(of: Reading.self)
        let kind = Reading.kind
        #expect(recorder.readings == expected)
        #expect(recorder.order == "status reading reading loss finish")
        #expect(recorder.losses == [ReadingLoss(count: 3, reason: .device)])
        guard case .status(let status) = recorder.events.all.first,
            case .finish(let error) = recorder.events.all.last
        else { return }
        #expect(
            status == SensorStatus(.searching, reason: "looking for \(kind)", hint: "wait"))
        #expect(
            error
                == .disconnected(
                    sensor.descriptor.id, reason: "the script is over", hint: "open it again"))
        #expect(
            sensor.descriptor
                == SensorDescriptor(
                    id: SensorID("fixture/\(kind.name)"), kind: kind, name: "Scripted \(kind.name)",
                    vendor: "Tests", range: 19.6, resolution: 0.001,
                    rates: .listed([12.5, 25, 50]),
                    placement: .display, needs: "/dev/\(kind.name)", isSimulated: true,
                    isPreferred: true))
    }

    @Test("carries every kind of reading, with everything known and with nothing known")
    func readings() async throws {
        try await check(ScriptedReadings.locations)
        try await check(ScriptedReadings.satellites)
        try await check(ScriptedReadings.headings)
        try await check(ScriptedReadings.attitudes)
        try await check(ScriptedReadings.accelerations)
        try await check(ScriptedReadings.angularVelocities)
        try await check(ScriptedReadings.magneticFields)
        try await check(ScriptedReadings.pressures)
        try await check(ScriptedReadings.temperatures)
        try await check(ScriptedReadings.humidities)
        try await check(ScriptedReadings.illuminances)
        try await check(ScriptedReadings.proximities)
        try await check(ScriptedReadings.touches)
        try await check(ScriptedReadings.keys)
    }

    @Test("lends frames, which stay readable as long as they are kept")
    func frames() async throws {
        let (_, recorder) = try await script(of: CameraFrame.self)
        let frames = recorder.readings
        #expect(frames.count == 2)
        for (frame, sent) in zip(frames, ScriptedReadings.frames) {
            #expect(frame.time == sent.time)
            #expect(frame.flags == sent.flags)
            #expect(frame.width == sent.width && frame.height == sent.height)
            #expect(frame.format == sent.format)
            #expect(frame.planes == sent.planes)
            #expect(frame.sequence == sent.sequence)
            #expect(frame.timeReference == sent.timeReference)
            #expect(frame.storage.bytes.elementsEqual(sent.storage.bytes))
        }
    }

    @Test("ticks on the host's virtual clock, to the nanosecond and every time")
    func virtualTime() async throws {
        let (clock, recorder) = (clock, Recorder<Acceleration>())
        let plugin = try await test.load(Files.fixture)
        let start = clock.now
        try await clock.run {
            let sensors = try await plugin.discover()
            let ticker = try #require(sensors.loaded("fixture/ticker", of: Acceleration.self))
            let session = try await ticker.open(SamplingRequest(rate: 4), delivering: recorder.sink)
            #expect(session.grantedRate == 4)
            await clock.advance(by: .milliseconds(1100))
            try await session.reconfigure(SamplingRequest(rate: 100))
            #expect(session.grantedRate == 100)
            await clock.advance(by: .milliseconds(200))
            do throws(SensorError) {
                try await session.reconfigure(SamplingRequest(rate: 1000))
                Issue.record("a rate that it cannot give was granted")
            } catch {
                #expect(error.reason == "it ticks at 100 Hz at most")
            }
            await session.close()
            await clock.advance(by: .seconds(10))
        }
        let times = recorder.readings.map { start.duration(to: $0.instant) }
        let expected = [250, 500, 750, 1000, 1250, 1260, 1270, 1280, 1290, 1300]
            .map { Duration.milliseconds($0) }
        #expect(times == expected)
        await plugin.stop()
        #expect(clock.sleeperCount == 0)
    }

    @Test("loses nothing of a fast sensor on the way to a stream")
    func burst() async throws {
        let clock = clock
        let plugin = try await test.load(Files.fixture)
        let registry = SensorRegistry(host: test.host)
        try await clock.run {
            try await registry.add(plugin)
            let burst = try #require(registry.sensor("fixture/burst", of: Acceleration.self))
            var last: Int64 = 0
            let request = SamplingRequest(buffering: .newest(64_000))
            for try await batch in burst.readings(request).batches {
                for reading in batch {
                    #expect(reading.instant.nanoseconds == last + 1)
                    last += 1
                }
            }
            #expect(last == 64_000)
            await registry.removeAll()
        }
    }

    @Test("keeps nothing of 1,000 sessions that are over")
    func thousandSessions() async throws {
        let clock = clock
        let plugin = try await test.load(Files.fixture)
        let left = try await clock.run { () -> Int in
            let sensors = try await plugin.discover()
            let ticker = try #require(sensors.loaded("fixture/ticker", of: Acceleration.self))
            let before = LoadedSession.inlets.count
            for _ in 0..<1000 {
                let recorder = Recorder<Acceleration>()
                let session = try await ticker.open(.default, delivering: recorder.sink)
                await clock.advance(by: .milliseconds(100))
                await session.close()
                #expect(recorder.readings.count == 1)
            }
            return LoadedSession.inlets.count - before
        }
        await plugin.stop()
        // Other tests have sessions open at the same time.
        #expect(left < 50)
        #expect(clock.sleeperCount == 0)
    }

    @Test("carries every error", arguments: 1...10)
    func errors(number: Int) async throws {
        let clock = clock
        let plugin = try await test.load(Files.fixture)
        let error = try await clock.run { () -> SensorError? in
            let sensors = try await plugin.discover()
            let refuser = try #require(sensors.loaded("fixture/refuser", of: Temperature.self))
            do throws(SensorError) {
                _ = try await refuser.open(
                    SamplingRequest(rate: Double(number)),
                    delivering: Recorder<Temperature>().sink)
                return nil
            } catch {
                return error
            }
        }
        let id: SensorID = "fixture/refuser"
        let expected: [SensorError] = [
            .unavailable(id, reason: "why 1", hint: "do 1"),
            .denied(id, reason: "why 2", hint: "do 2"), .busy(id, reason: "why 3", hint: ""),
            .disconnected(id, reason: "why 4", hint: "do 4"),
            .timedOut(id, after: .milliseconds(1500), hint: "do 5"), .cancelled(id),
            .malformed("other/sensor", reason: "why 7", hint: "do 7"),
            .unsupported(id, reason: "why 8", hint: "do 8"),
            .incompatible(id, reason: "why 9", hint: "do 9"),
            .pluginFault(id, reason: "wärum 10", hint: "do 10"),
        ]
        #expect(error == expected[number - 1])
        await plugin.stop()
    }

    private func slowOpener(
        _ plugin: LoadedPlugin
    ) async throws -> LoadedSensor<Illuminance> {
        try #require(try await plugin.discover().loaded("fixture/slow-opener"))
    }

    /// Starts to open a sensor; tells what comes of it.
    private func start<Reading: BoundaryReading>(
        _ sensor: LoadedSensor<Reading>, _ recorder: Recorder<Reading>
    ) -> (opening: Task<Void, Never>, outcome: Collected<String>) {
        let outcome = Collected<String>()
        let opening = clock.spawn("open") {
            do throws(SensorError) {
                _ = try await sensor.open(.default, delivering: recorder.sink)
                outcome.append("open")
            } catch {
                outcome.append("\(error)")
            }
        }
        return (opening, outcome)
    }

    @Test("closes what opens after nobody wants it any more, and delivers nothing of it")
    func cancelledOpening() async throws {
        let (clock, test, recorder) = (clock, test, Recorder<Illuminance>())
        let plugin = try await test.load(Files.fixture)
        try await clock.run {
            let (opening, outcome) = start(try await slowOpener(plugin), recorder)
            await clock.settle()
            opening.cancel()
            await clock.settle()
            #expect(outcome.all == ["fixture/slow-opener was cancelled: the task was cancelled"])
            await clock.advance(by: .seconds(1))
            #expect(test.log.all == ["info: opened", "info: closed"])
            await plugin.stop()
        }
        #expect(recorder.events.all.isEmpty)
    }

    @Test("opens again only when what a cancelled opening has opened is closed")
    func openingAgain() async throws {
        let (clock, test, recorder) = (clock, test, Recorder<Illuminance>())
        let plugin = try await test.load(Files.fixture)
        try await clock.run {
            let sensor = try await slowOpener(plugin)
            let (opening, _) = start(sensor, recorder)
            await clock.settle()
            opening.cancel()
            let (again, outcome) = start(sensor, recorder)
            await clock.advance(by: .seconds(2))
            await again.value
            #expect(outcome.all == ["open"])
            #expect(test.log.all == ["info: opened", "info: closed", "info: opened"])
            await plugin.stop()
        }
    }

    @Test("is not asked for a sensor by a task that is cancelled already")
    func cancelledBeforeOpening() async throws {
        let (clock, test, recorder) = (clock, test, Recorder<Illuminance>())
        let plugin = try await test.load(Files.fixture)
        try await clock.run {
            let (opening, outcome) = start(try await slowOpener(plugin), recorder)
            opening.cancel()
            await clock.advance(by: .seconds(1))
            #expect(outcome.all == ["fixture/slow-opener was cancelled: the task was cancelled"])
            #expect(test.log.all.isEmpty)
            await plugin.stop()
        }
    }

    @Test("is not stopped under a sensor that is being opened")
    func stoppedWhileOpening() async throws {
        let (clock, test, recorder) = (clock, test, Recorder<Illuminance>())
        let plugin = try await test.load(Files.fixture)
        try await clock.run {
            let (opening, outcome) = start(try await slowOpener(plugin), recorder)
            await clock.settle()
            async let stopping: Void = plugin.stop()
            await clock.advance(by: .seconds(1))
            await stopping
            await opening.value
            #expect(outcome.all.first?.contains("its plugin was stopped") == true)
        }
        #expect(
            test.log.all == ["info: opened", "info: closed", "info: the fixture has stopped"])
    }

    @Test("asks for authorization, and is asked")
    func authorization() async throws {
        let clock = clock
        let plugin = try await test.load(Files.fixture)
        try await clock.run {
            let sensors = try await plugin.discover()
            let shy = try #require(sensors.loaded("fixture/shy", of: Humidity.self))
            #expect(shy.authorization == .notDetermined)
            async let answer = shy.requestAuthorization()
            await clock.advance(by: .milliseconds(1))
            #expect(await answer == .authorized)
            #expect(shy.authorization == .authorized)
        }
        await plugin.stop()
    }

    @Test("tells of arrivals and departures until it is stopped")
    func arrivals() async throws {
        let (clock, seen) = (clock, Collected<String>())
        let host = TestHost(clock: clock, ["fixture.sensors": "all", "fixture.arrivals": "yes"])
        let plugin = try await host.load(Files.fixture)
        try await clock.run {
            await plugin.watch { change in
                switch change {
                case .arrived(let sensor): seen.append("+\(sensor.descriptor.id)")
                case .departed(let id): seen.append("-\(id)")
                }
            }
            await clock.advance(by: .milliseconds(1500))
            #expect(seen.all == ["+fixture/guest"])
            await clock.advance(by: .seconds(1))
            #expect(seen.all == ["+fixture/guest", "-fixture/guest"])
            await plugin.stop()
        }
        #expect(host.log.all.last == "info: the fixture has stopped")
        #expect(clock.sleeperCount == 0)
    }

    @Test("passes on that it cannot look for sensors")
    func discoveryFails() async throws {
        let host = TestHost(clock: clock, ["fixture.sensors": "failure"])
        let (clock, plugin) = (clock, try await host.load(Files.fixture))
        await #expect(
            throws: SensorError.unavailable(
                "fixture/all", reason: "the test wants a failure", hint: "ask for something else")
        ) {
            try await clock.run { _ = try await plugin.discover() }
        }
        await plugin.stop()
    }

    // PLG-01
    @Test("changes nothing for the host when it casts to the host's types first")
    func castsFirst() async throws {
        let host = TestHost(clock: clock, ["fixture.sensors": "all", "fixture.casts": "yes"])
        let plugin = try await host.load(Files.fixture)
        #expect(host.log.all.count == 1)
        #expect(host.log.all.first?.hasPrefix("info: casts in the plugin:") == true)
        let (clock, registry) = (clock, SensorRegistry(host: host.host))
        try await clock.run {
            try await registry.add(plugin)
            // Every sensor is found by its reading, and is of the host's own types.
            #expect(registry.descriptors.count == 21)
            #expect(registry.sensors(of: Acceleration.self).count == 3)
            #expect(registry.sensors(of: LocationFix.self).count == 1)
            #expect(registry.sensor("fixture/camera", of: CameraFrame.self) != nil)
            let sensor = try #require(
                registry.sensor("fixture/acceleration", of: Acceleration.self))
            var readings: [Acceleration] = []
            do throws(SensorError) {
                for try await reading in sensor.readings() { readings.append(reading) }
            } catch {
                #expect(error.reason == "the script is over")
            }
            #expect(readings == ScriptedReadings.accelerations)
            await registry.removeAll()
        }
    }
}
