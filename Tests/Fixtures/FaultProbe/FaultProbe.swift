import CHeap
import EvdevPlugin
import EvdevSpy
import GPSDPlugin
import GPSDSpy
import Glibc
import IIOPlugin
import IIOSpy
import NMEAPlugin
import NMEASpy
import ReplayPlugin
import ReplaySpy
import Sensorium
import SensoriumRecording
import SensoriumTestKit
import SimulatedPlugin
import SimulatedSpy
import V4L2Plugin
import V4L2Spy

/// Plays every fault many times, a thousand by default, through every spy, and prints what the process has then that
/// it had not before: `gpsd restart: 0 threads, 0 files, 1284 bytes`.
///
/// It is a program of its own, so that nothing else of a test run is counted. Each line is of a world
/// that is made anew and is gone when the line is printed; whatever is made once is made before.
@main
struct FaultProbe {
    static func main() async throws {
        // Under a sanitizer all is slower, and the heap is another one.
        let wanted = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000
        let cycles = Campaign.isSanitized ? 50 : wanted
        for (name, play) in worlds {
            for (fault, cure) in faults {
                guard try await play(Cycle(fault, cure, 20)) else { continue }
                let before = Holdings.now
                guard try await play(Cycle(fault, cure, cycles)) else { continue }
                print("\(name), \(fault): \(Holdings.now.more(than: before))")
            }
        }
    }

    private typealias Play = @Sendable (Cycle) async throws -> Bool

    private static let faults: [(Fault, Fault?)] = [
        (.stall(.seconds(7)), nil), (.drop(1), nil), (.notANumber, nil),
        (.clockJump(.seconds(3600)), nil), (.unplug, .replug), (.deny, .permit),
        (.restart(.seconds(3)), nil),
    ]

    private static let worlds: [(String, Play)] = [
        ("sensor spy", playSensor), ("gpsd", playGPSD), ("iio", playCapture),
        ("iio polled", playPolling), ("simulated", playSimulated), ("v4l2", playCamera),
        ("evdev", playScreen), ("nmea", playNMEA), ("recording spy", playRecording),
        ("replay", playFile),
    ]

    @Sendable
    private static func playSensor(_ cycle: Cycle) async throws -> Bool {
        let spy = LocationSensorSpy(clock: cycle.clock)
        return try await cycle.play(SharedSensor(spy), on: spy) {
            await cycle.clock.advance(by: .milliseconds(100))
            if spy.isOpen { try await spy.deliver(latitude: 48.1, longitude: 11.5) }
        }
    }

    @Sendable
    private static func playGPSD(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let daemon = GPSDDaemonSpy(clock: clock)
        let sensors = try await daemon.plugin(host: PluginHost(clock: clock)).discover()
        return try await cycle.play(sensors.first { $0 as? GPSDSensor<LocationFix> }, on: daemon) {
            if daemon.isHeard {
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await daemon.say(
                    .line(
                        GPSDLine.position(
                            latitude: 48.1, longitude: 11.5, utc: utc, device: "/dev/spy")))
            }
            await clock.advance(by: .seconds(1))
        }
    }

    @Sendable
    private static func playCapture(_ cycle: Cycle) async throws -> Bool {
        try await playIIO(cycle, .signal { ["accel_x": Int64($0 % 1000)] })
    }

    @Sendable
    private static func playPolling(_ cycle: Cycle) async throws -> Bool {
        // The others are the same to it as to a capture.
        guard [.notANumber, .deny].contains(cycle.fault) else { return false }
        return try await playIIO(cycle, .none)
    }

    private static func playIIO(_ cycle: Cycle, _ feed: ScriptedDevice.Feed) async throws -> Bool {
        let clock = cycle.clock
        let spy = IIOLinkSpy(
            clock: clock,
            devices: [.accelerometer(frequency: "10", available: nil, feed: feed)])
        let sensors = try await spy.plugin(for: PluginHost(clock: clock)).discover()
        return try await cycle.play(
            sensors.first { $0 as? IIOMotionSensor<Acceleration> }, on: spy
        ) {
            await clock.advance(by: .milliseconds(100))
        }
    }

    @Sendable
    private static func playSimulated(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let world = SimulatedWorldSpy(clock: clock)
        let sensors = try await world.plugin(for: PluginHost(clock: clock)).discover()
        return try await cycle.play(
            sensors.first { $0 as? SimulatedSensor<Temperature> }, on: world
        ) {
            await clock.advance(by: .seconds(1))
        }
    }
}

extension FaultProbe {
    @Sendable
    private static func playCamera(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let spy = V4L2LinkSpy(
            clock: clock, cameras: [.fixed(.grey, 8, 4, rates: [10], feed: .steady)])
        let sensors = try await spy.plugin(for: PluginHost(clock: clock)).discover()
        return try await cycle.play(sensors.first { $0 as? V4L2Camera }, on: spy) {
            await clock.advance(by: .milliseconds(100))
        }
    }

    @Sendable
    private static func playScreen(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let spy = EvdevLinkSpy(clock: clock, inputs: [.screen(feed: .steady(10))])
        let sensors = try await spy.plugin(for: PluginHost(clock: clock)).discover()
        return try await cycle.play(
            sensors.first { $0 as? EvdevSensor<TouchEvent> }, on: spy
        ) {
            await clock.advance(by: .milliseconds(100))
        }
    }
}

extension FaultProbe {
    @Sendable
    private static func playNMEA(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let receiver = NMEALineSpy(clock: clock)
        let sensors = try await receiver.plugin(host: PluginHost(clock: clock)).discover()
        return try await cycle.play(
            sensors.first { $0 as? NMEASensor<LocationFix> }, on: receiver
        ) {
            if receiver.isHeard {
                let utc = clock.sample(.realtime)?.time.nanoseconds
                await receiver.say(
                    .line(NMEALine.position(latitude: 48.1, longitude: 11.5, utc: utc)))
            }
            await clock.advance(by: .seconds(1))
        }
    }

    /// Ten seconds of a receiver.
    private static var walk: MemoryRecording {
        let sensor = SensorDescriptor(id: "gpsd/location", kind: .location, name: "receiver")
        var walk = MemoryRecording(sensors: [RecordedSensor(sensor)])
        for second in 1...10 {
            let time = ReadingTime(SensorInstant(nanoseconds: Int64(second) * 1_000_000_000))
            walk.append(LocationFix(time: time, latitude: 48.1, longitude: 11.5), of: sensor.id)
        }
        return walk
    }

    @Sendable
    private static func playRecording(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let spy = try RecordingSpy(walk, clock: clock, options: PlaybackOptions(loops: true))
        return try await cycle.play(spy.sensor(of: LocationFix.self), on: spy) {
            await clock.advance(by: .seconds(1))
        }
    }

    @Sendable
    private static func playFile(_ cycle: Cycle) async throws -> Bool {
        let clock = cycle.clock
        let files = RecordingFileSpy(["walk.mcap": walk], clock: clock)
        let host = files.host(playing: "walk.mcap", ["replay.loop": "1"])
        let sensors = try await files.plugin(for: host).discover()
        return try await cycle.play(
            sensors.first { $0 as? PlaybackSensor<LocationFix> }, on: files
        ) {
            await clock.advance(by: .seconds(1))
        }
    }
}

/// A fault, played so many times in a world of its own.
private struct Cycle: Sendable {
    let clock = VirtualClock()
    private let endurance: FaultEndurance
    var fault: Fault { endurance.fault }

    init(_ fault: Fault, _ cure: Fault?, _ cycles: Int) {
        endurance = FaultEndurance(
            fault, curedBy: cure, cycles: cycles, clock: clock, staleAfter: .seconds(1))
    }

    /// Plays it; false for a fault that cannot happen there.
    func play<Reading: SensorReading>(
        _ sensor: (any Sensor<Reading>)?, on target: some FaultTarget,
        measure: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        guard target.canSuffer(endurance.fault), let sensor else { return false }
        let outcome = try await endurance.run(SharedSensor(sensor), on: target, measure: measure)
        for problem in outcome.problems { print("problem: \(problem)") }
        return true
    }
}

/// What a process holds that can leak.
private struct Holdings {
    var threads: Int
    var files: Int
    var bytes: Int

    static var now: Holdings {
        Holdings(
            threads: count("/proc/self/task"), files: count("/proc/self/fd"),
            bytes: Int(heap_bytes_in_use()))
    }

    func more(than before: Holdings) -> String {
        "\(threads - before.threads) threads, \(files - before.files) files, "
            + "\(bytes - before.bytes) bytes"
    }

    private static func count(_ path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}

extension Array where Element == any Sensor {
    /// The first sensor of a type.
    fileprivate func first<Found>(_ cast: (any Sensor) -> Found?) -> Found? {
        lazy.compactMap(cast).first
    }
}
