import ReplayPlugin
import ReplaySpy
import Sensorium
import SensoriumPluginKit
import SensoriumRecording
import SensoriumTestKit
import Testing

/// Ten seconds of a receiver, an accelerometer, and a finger that comes down and stays.
func shortTrip(touching: Bool = false) -> MemoryRecording {
    let sensors: [SensorDescriptor] = [
        SensorDescriptor(id: "gpsd/location", kind: .location, name: "Receiver"),
        SensorDescriptor(id: "iio/imu/acceleration", kind: .acceleration, name: "IMU"),
        SensorDescriptor(id: "evdev/screen/touch", kind: .touch, name: "Screen"),
    ]
    var trip = MemoryRecording(
        sensors: sensors.map { RecordedSensor($0) },
        metadata: RecordingMetadata(clock: RecordingClock(domain: .boottime)))
    for tick in 0..<100 {
        let instant = SensorInstant(nanoseconds: 1_000_000_000 + Int64(tick) * 100_000_000)
        let time = ReadingTime(instant)
        if tick % 10 == 0 {
            trip.append(
                LocationFix(time: time, latitude: 10, longitude: Double(tick)), of: "gpsd/location")
        }
        trip.append(
            Acceleration(time: time, x: Double(tick), y: 0, z: 9.8), of: "iio/imu/acceleration")
        if touching, tick >= 50 {
            trip.append(
                TouchEvent(
                    time: time, phase: tick == 50 ? .began : .moved, touch: 7, x: 0.5,
                    y: Double(tick) / 100), of: "evdev/screen/touch")
        }
    }
    return trip
}

@Suite("replay plugin", .timeLimit(.minutes(1)))
struct ReplayTests {
    @Test("passes the conformance checks over a recording in memory, in virtual time")
    func linked() async {
        let clock = VirtualClock()
        let files = RecordingFileSpy(["trip.mcap": shortTrip(touching: true)], clock: clock)
        let conformance = SensorConformance(
            clock: clock,
            configuration: ["replay.file": "trip.mcap", "replay.loop": "1"],
            world: .init(tellsTime: [.location]))
        let report = await conformance.check { files.plugin(for: $0) }
        #expect(report.passed, "\(report)")
        #expect(Set(report.findings.compactMap(\.sensor)).count == 3)
        #expect(clock.sleeperCount == 0)
    }

    @Test("says the same before it is loaded as after")
    func manifest() async throws {
        let loader = PluginLoader(host: PluginHost(), crashMarkers: nil)
        let file = await loader.load(file: BuiltPlugins.file(of: "Replay"))
        let note = try #require(file.note)
        #expect(note.id == Replay.manifest.id)
        #expect(note.version == Replay.manifest.version)
        #expect(Set(note.kinds) == Set(Replay.manifest.kinds))
    }

    @Test("has no sensors, and no complaint, without a file")
    func none() async throws {
        let files = RecordingFileSpy([:])
        let plugin = files.plugin(for: PluginHost(clock: files.clock))
        #expect(try await plugin.discover().isEmpty)
    }

    @Test("gives the sensors of the file under its own name, with what was known of them")
    func sensors() async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip()])
        let host = files.host(playing: "trip.mcap")
        try await files.clock.run {
            let registry = SensorRegistry(host: host)
            try await registry.add(files.plugin(for: host))
            #expect(
                registry.descriptors.map(\.id) == [
                    "replay/gpsd/location", "replay/iio/imu/acceleration",
                    "replay/evdev/screen/touch",
                ])
            let gps = try #require(registry.preferred(of: LocationFix.self))
            #expect(gps.descriptor.name == "Receiver")
            #expect(gps.descriptor.needs == "trip.mcap")
            let fix = try await files.clock.advance { try await gps.latest(timeout: .seconds(1)) }
            #expect(fix.latitude == 10)
            await registry.removeAll()
            #expect(files.clock.sleeperCount == 0)
        }
    }

    @Test("plays as it is configured")
    func configuration() async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip()])
        let host = files.host(
            playing: "trip.mcap",
            ["replay.speed": "10", "replay.start": "5", "replay.lead": "1"])
        try await files.clock.run {
            let registry = SensorRegistry(host: host)
            try await registry.add(files.plugin(for: host))
            let imu = try #require(registry.preferred(of: Acceleration.self))
            let start = files.clock.now
            let readings = try await files.clock.advance {
                var readings: [Acceleration] = []
                for try await reading in imu.readings() { readings.append(reading) }
                return readings
            }
            try #require(readings.map(\.x) == (50..<100).map(Double.init))
            #expect(start.duration(to: readings[0].instant) == .seconds(1))
            #expect(readings[0].instant.duration(to: readings[10].instant) == .milliseconds(100))
            await registry.removeAll()
        }
    }

    @Test(
        "refuses a setting that makes no sense, and says which",
        arguments: [
            ("replay.speed", "0"), ("replay.speed", "-1"), ("replay.speed", "nan"),
            ("replay.speed", "fast"), ("replay.start", "-1"), ("replay.lead", "1e300"),
            ("replay.rate", "0"), ("replay.loop", "maybe"),
        ])
    func nonsense(key: String, value: String) async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip()])
        let plugin = files.plugin(for: files.host(playing: "trip.mcap", [key: value]))
        let error = await #expect(throws: SensorError.self) { try await plugin.discover() }
        #expect(error?.reason == "\(key) is '\(value)'")
    }

    @Test("a missing file is unavailable, one that may not be read is denied")
    func absent() async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip()])
        let lost = files.plugin(for: files.host(playing: "lost.mcap"))
        var error = await #expect(throws: SensorError.self) { try await lost.discover() }
        guard case .unavailable? = error else { return #expect(Bool(false), "\(error as Any)") }
        try await files.suffer(.deny)
        let denied = files.plugin(for: files.host(playing: "trip.mcap"))
        error = await #expect(throws: SensorError.self) { try await denied.discover() }
        guard case .denied? = error else { return #expect(Bool(false), "\(error as Any)") }
    }

    @Test("a touch that is down at the end is cancelled, and is another one in the next round")
    func touches() async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip(touching: true)])
        let host = files.host(playing: "trip.mcap", ["replay.loop": "1"])
        let events = Collected<TouchEvent>()
        try await files.clock.run {
            let registry = SensorRegistry(host: host)
            try await registry.add(files.plugin(for: host))
            let screen = try #require(registry.preferred(of: TouchEvent.self))
            let app = files.clock.spawn("app") {
                do {
                    for try await event in screen.readings() { events.append(event) }
                } catch {}
            }
            await files.clock.advance(by: .seconds(25))
            app.cancel()
            await app.value
            await registry.removeAll()
        }
        let phases = Dictionary(grouping: events.all, by: \.touch).mapValues { $0.map(\.phase) }
        #expect(phases.count == 2)
        for (_, phases) in phases {
            #expect(phases.first == .began)
            #expect(phases.dropFirst().dropLast().allSatisfy { $0 == .moved })
            #expect(phases.last == .cancelled)
        }
    }

    @Test(
        "a thousand of each fault of a file leave nothing, and are counted exactly",
        arguments: [Fault.drop(3), .notANumber, .clockJump(.seconds(-100))])
    func endurance(fault: Fault) async throws {
        let files = RecordingFileSpy(["trip.mcap": shortTrip()])
        let host = files.host(playing: "trip.mcap", ["replay.loop": "1"])
        let registry = SensorRegistry(host: host)
        try await registry.add(files.plugin(for: host))
        let imu = try #require(registry.preferred(of: Acceleration.self))
        let test = FaultEndurance(fault, clock: files.clock)
        let outcome = try await test.run(imu, on: files) {
            await files.clock.advance(by: .seconds(1))
        }
        #expect(outcome.problems.isEmpty, "\(outcome.problems)")
        #expect(outcome.ends.isEmpty)
        let many = FaultEndurance.many
        switch fault {
        case .drop:
            // A dropped event may be one of the receiver's, whose loss the accelerometer does not hear of.
            let lost = outcome.losses[.injected] ?? 0
            #expect(lost > 25 * many / 10 && lost <= 3 * many)
        case .notANumber:
            let lost = outcome.losses[.implausible] ?? 0
            #expect(lost > 8 * many / 10 && lost <= many)
        default: #expect(outcome.losses == [:])
        }
        await registry.removeAll()
        #expect(files.clock.sleeperCount == 0)
    }
}
