import Sensorium
import SensoriumRecording
import SensoriumTestKit
import Testing

@Suite("recording spy", .timeLimit(.minutes(1)))
struct RecordingSpyTests {
    /// A recorder's boot time at which the recordings here begin.
    private static let start: Int64 = 5_000_000_000_000

    /// An accelerometer of 100 Hz and a receiver of 1 Hz, for `seconds`.
    static func walk(_ seconds: Int) -> MemoryRecording {
        let gps = SensorDescriptor(id: "gpsd/location", kind: .location, name: "Receiver")
        let imu = SensorDescriptor(id: "iio/imu/acceleration", kind: .acceleration, name: "IMU")
        var recording = MemoryRecording(
            sensors: [RecordedSensor(gps), RecordedSensor(imu)],
            metadata: RecordingMetadata(
                clock: RecordingClock(
                    domain: .boottime, utcOffset: 1_600_000_000_000_000_000 - start)))
        for tick in 0..<(seconds * 100) {
            let instant = SensorInstant(nanoseconds: start + Int64(tick) * 10_000_000)
            if tick % 100 == 0 {
                recording.append(
                    LocationFix(
                        time: ReadingTime(
                            instant,
                            original: ClockTime(nanoseconds: Int64(tick), domain: .realtime)),
                        latitude: 48 + Double(tick) * 1e-6, longitude: 11), of: gps.id)
            }
            recording.append(
                Acceleration(time: ReadingTime(instant), x: Double(tick), y: 0, z: 9.8), of: imu.id)
        }
        return recording
    }

    /// What an app gets of all of a recording's accelerations.
    private func played(
        _ recording: MemoryRecording, _ options: PlaybackOptions = PlaybackOptions(),
        faults: FaultScript = FaultScript()
    ) async throws -> (spy: RecordingSpy, readings: [Acceleration]) {
        let spy = try RecordingSpy(recording, options: options)
        let got = Collected<Acceleration>()
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            spy.clock.spawn("app") {
                do {
                    for try await reading in imu.readings() { got.append(reading) }
                } catch {}
            }
            spy.clock.spawn("faults") { try? await faults.play(on: imu, clock: spy.clock) }
            await spy.playAll()
        }
        return (spy, got.all)
    }

    @Test("gives every reading at its moment, with its time on the test's clock")
    func moments() async throws {
        let spy = try RecordingSpy(Self.walk(3))
        let began = spy.clock.now
        let late = Collected<Duration>()
        let got = Collected<Acceleration>()
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            spy.clock.spawn("app") {
                do {
                    for try await reading in imu.readings() {
                        late.append(reading.instant.duration(to: spy.clock.now))
                        got.append(reading)
                    }
                } catch {}
            }
            await spy.play(for: .seconds(10))
        }
        #expect(got.all.map(\.x) == (0..<300).map(Double.init))
        #expect(late.all.allSatisfy { $0 == .zero })
        let first = try #require(got.all.first).instant
        let last = try #require(got.all.last).instant
        #expect(began.duration(to: first) == .milliseconds(100))
        #expect(first.duration(to: last) == .milliseconds(2990))
        #expect(spy.deliveredCount(of: "iio/imu/acceleration") == 300)
        #expect(spy.deliveredCount(of: "gpsd/location") == 0)
        #expect(spy.clock.sleeperCount == 0)
    }

    @Test("keeps the time that the source gave, and else the recorded one, in UTC")
    func originals() async throws {
        let spy = try RecordingSpy(Self.walk(2))
        try await spy.clock.run {
            let gps = try #require(spy.sensor(of: LocationFix.self))
            let imu = try #require(spy.sensor(of: Acceleration.self))
            let fix = try await spy.clock.advance { try await gps.latest(timeout: .seconds(2)) }
            #expect(fix.time.original == ClockTime(nanoseconds: 0, domain: .realtime))
            let pull = try await spy.clock.advance { try await imu.latest(timeout: .seconds(2)) }
            let recorded: Int64 = 1_600_000_000_000_000_000 + Int64(pull.x) * 10_000_000
            #expect(pull.time.utcNanoseconds == recorded)
            // The clock of the test shows the recording's UTC.
            let utc = try #require(spy.clock.sample(.realtime)).time.nanoseconds
            #expect(utc == pull.time.utcNanoseconds)
        }
    }

    @Test("remembers what the app asked, in one order over all sensors")
    func journal() async throws {
        let spy = try RecordingSpy(Self.walk(1))
        try await spy.clock.run {
            let registry = SensorRegistry(host: PluginHost(clock: spy.clock))
            spy.add(to: registry)
            let gps = try #require(registry.preferred(of: LocationFix.self))
            #expect(gps.descriptor.name == "Receiver")
            _ = await gps.requestAuthorization()
            _ = try await spy.clock.advance { try await gps.latest(timeout: .seconds(2)) }
            let imu = try #require(registry.preferred(of: Acceleration.self))
            try await spy.clock.advance {
                for try await _ in imu.readings(SamplingRequest(rate: 50)) { break }
            }
            await imu.closed()
        }
        #expect(
            spy.journal.all.map { "\($0.spy) \($0.event)" } == [
                "gpsd/location was asked for authorization", "gpsd/location was opened",
                "gpsd/location was closed", "iio/imu/acceleration was opened at 50.0 Hz",
                "iio/imu/acceleration was closed",
            ])
    }

    @Test("two runs give the same, byte for byte")
    func same() async throws {
        func run() async throws -> String {
            let spy = try RecordingSpy(Self.walk(30))
            let text = Collected<String>()
            try await spy.clock.run {
                let gps = try #require(spy.sensor(of: LocationFix.self))
                let imu = try #require(spy.sensor(of: Acceleration.self))
                spy.clock.spawn("app") {
                    do {
                        let pairs = joined(
                            gps, with: imu, matching: .nearest(within: .milliseconds(20)))
                        for try await pair in pairs { text.append("\(pair)") }
                        text.append("\(pairs.statistics)")
                    } catch { text.append("\(error)") }
                }
                let script = FaultScript.random(
                    seed: 3, count: 20, of: [.drop(3), .stall(.milliseconds(300)), .noise(0.1)],
                    spread: .seconds(1))
                spy.clock.spawn("faults") { try? await script.play(on: spy, clock: spy.clock) }
                await spy.playAll()
            }
            return text.all.joined(separator: "\n")
        }
        let first = try await run()
        #expect(first.utf8.count > 1000)
        #expect(try await run() == first)
    }

    @Test("plays faster and slower, with times that fit")
    func speed() async throws {
        let fast = try await played(Self.walk(2), PlaybackOptions(speed: 4)).readings
        try #require(fast.count == 200)
        #expect(fast[0].instant.duration(to: fast[4].instant) == .milliseconds(10))
        let slow = try await played(Self.walk(1), PlaybackOptions(speed: 0.5)).readings
        try #require(slow.count == 100)
        #expect(slow[0].instant.duration(to: slow[1].instant) == .milliseconds(20))
    }

    @Test("begins where it is told")
    func start() async throws {
        let readings = try await played(Self.walk(3), PlaybackOptions(start: .seconds(2))).readings
        #expect(readings.first?.x == 200)
        #expect(readings.count == 100)
    }

    @Test("starts again at the end, with instants that go on")
    func loop() async throws {
        let spy = try RecordingSpy(Self.walk(1), options: PlaybackOptions(loops: true))
        let got = Collected<Acceleration>()
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            let app = spy.clock.spawn("app") {
                do {
                    for try await reading in imu.readings() { got.append(reading) }
                } catch {}
            }
            await spy.play(for: .milliseconds(3095))
            app.cancel()
        }
        try #require(got.all.count == 300)
        #expect(got.all[100].x == 0)
        let steps = zip(got.all, got.all.dropFirst()).map { $0.instant.duration(to: $1.instant) }
        #expect(steps.allSatisfy { $0 == .milliseconds(10) })
    }

    @Test("goes where the test sends it, and publishes nothing of before")
    func seek() async throws {
        let spy = try RecordingSpy(Self.walk(10))
        let got = Collected<Double>()
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            spy.clock.spawn("app") {
                do {
                    for try await reading in imu.readings() { got.append(reading.x) }
                } catch {}
            }
            await spy.play(for: .milliseconds(125))
            await spy.seek(to: .seconds(8))
            await spy.play(for: .milliseconds(20))
            await spy.seek(to: .seconds(1))
            await spy.play(for: .milliseconds(10))
        }
        #expect(got.all == [0, 1, 2, 800, 801, 802, 100, 101])
    }

    @Test("what passed while nobody listened is gone")
    func missed() async throws {
        let spy = try RecordingSpy(Self.walk(10))
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            let first = try await spy.clock.advance { try await imu.latest(timeout: .seconds(1)) }
            #expect(first.x == 0)
            #expect(spy.clock.sleeperCount == 0)
            await spy.play(for: .seconds(5))
            let later = try await spy.clock.advance { try await imu.latest(timeout: .seconds(1)) }
            #expect(later.x == 500 && later.instant >= spy.clock.now)
        }
    }

    @Test("suffers faults at their times, and counts what is lost")
    func faults() async throws {
        let script = FaultScript()
            .after(.milliseconds(200), .drop(5))
            .after(.milliseconds(200), .notANumber)
            .after(.milliseconds(200), .duplicate(2))
            .after(.milliseconds(200), .stall(.milliseconds(100)))
        let (spy, readings) = try await played(Self.walk(2), faults: script)
        // 5 dropped, 1 spoiled, 10 of the stall; 2 twice.
        #expect(readings.count == 186)
        #expect(spy.deliveredCount(of: "iio/imu/acceleration") == readings.count)
    }

    @Test("is pulled out and put back in the middle")
    func unplug() async throws {
        let spy = try RecordingSpy(Self.walk(10))
        try await spy.clock.run {
            let imu = try #require(spy.sensor(of: Acceleration.self))
            let failure = Collected<SensorError>()
            spy.clock.spawn("app") {
                do throws(SensorError) {
                    for try await _ in imu.readings() {}
                } catch { failure.append(error) }
            }
            await spy.play(for: .seconds(1))
            try await imu.suffer(.unplug)
            #expect(failure.all.map(\.reason) == ["it was pulled out"])
            await #expect(throws: SensorError.self) {
                try await spy.clock.advance { try await imu.latest(timeout: .seconds(1)) }
            }
            try await imu.suffer(.replug)
            let reading = try await spy.clock.advance { try await imu.latest(timeout: .seconds(1)) }
            #expect(reading.instant >= spy.clock.now)
        }
    }

    @Test("a file whose events have no times needs a rate")
    func untimed() async throws {
        var recording = Self.walk(1)
        for place in recording.events.indices { recording.events[place].instant = nil }
        let error = #expect(throws: RecordingError.self) { try RecordingSpy(recording) }
        #expect(error?.hint.contains("replay.rate") == true)
        let readings = try await played(recording, PlaybackOptions(rate: 10)).readings
        #expect(readings.count == 100)
    }

    @Test("time that goes back is played at once, and nothing waits for it")
    func backwards() async throws {
        var recording = Self.walk(1)
        let back = SensorInstant(nanoseconds: Self.start - 1_000_000_000)
        recording.events.insert(
            RecordedEvent(
                sensor: "iio/imu/acceleration", instant: back,
                content: .reading(
                    .acceleration(Acceleration(time: ReadingTime(back), x: -1, y: 0, z: 0)))),
            at: 50)
        let readings = try await played(recording).readings
        #expect(readings.count == 101)
    }
}
