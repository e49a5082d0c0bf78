import IIOPlugin
import IIOSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Recovery (IIO-14)", .timeLimit(.minutes(1)))
struct RecoveryTests {
    private let ramp: ScriptedDevice.Feed = .signal { ["accel_x": Int64($0), "accel_z": 1000] }

    private func after(
        _ body: @escaping @Sendable (Bench, Listener<Acceleration>) async throws -> Void
    ) async throws -> Bench {
        let bench = Bench([.accelerometer(feed: ramp)])
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            await bench.clock.advance(by: .milliseconds(105))
            #expect(accelerometer.readings.count == 10)
            try await body(bench, accelerometer)
            await accelerometer.session.close()
            await bench.clock.settle()
            #expect(bench.spy.captureCount == 0)
            #expect(bench.spy.connectionCount == 0)
            #expect(bench.plugin.readerCount == 0)
        }
        return bench
    }

    @Test("rebuilds the buffer after a single time-out, and tells of it once")
    func timeOut() async throws {
        _ = try await after { bench, accelerometer in
            bench.spy.fail(.refill, with: 110)
            await bench.clock.advance(by: .milliseconds(500))
            #expect(accelerometer.states == [.running, .stale, .running])
            #expect(accelerometer.readings.count > 40)
            #expect(bench.spy.commands.filter { $0.hasPrefix("open") }.count == 2)
        }
    }

    @Test(
        "rebuilds everything after any other failure, and tells of it once",
        arguments: [19, 5, 32, 11, 9])
    func failure(number: Int) async throws {
        _ = try await after { bench, accelerometer in
            bench.spy.fail(.refill, with: number)
            await bench.clock.advance(by: .milliseconds(500))
            #expect(accelerometer.states == [.running, .reconnecting, .running])
            #expect(accelerometer.statuses[1].reason.contains("iio:device0"))
            #expect(accelerometer.readings.count > 40)
        }
    }

    @Test("notices a device that goes silent, and takes it back", arguments: [2.0, 30.0])
    func stall(seconds: Double) async throws {
        _ = try await after { bench, accelerometer in
            bench.spy.stall()
            await bench.clock.advance(by: .seconds(seconds))
            #expect(accelerometer.states == [.running, .stale])
            let before = accelerometer.readings.count
            #expect(before <= 11)
            bench.spy.resume()
            await bench.clock.advance(by: .seconds(7))
            #expect(accelerometer.states == [.running, .stale, .running])
            #expect(accelerometer.readings.count > before)
        }
    }

    @Test("waits for a device that was pulled out, calmly, and finds it under its new number")
    func unplug() async throws {
        let ramp = ramp
        let bench = try await after { bench, accelerometer in
            bench.spy.unplug()
            await bench.clock.advance(by: .seconds(60))
            let states = accelerometer.states
            #expect(states.first == .running)
            #expect(states.last == .stale || states.last == .reconnecting)
            #expect(states.count <= 3)
            let before = accelerometer.readings.count
            bench.spy.plug(.accelerometer(id: "iio:device7", feed: ramp))
            await bench.clock.advance(by: .seconds(7))
            #expect(accelerometer.readings.count > before)
            #expect(accelerometer.states.last == .running)
            let instants = accelerometer.readings.map(\.instant)
            #expect(instants == instants.sorted())
        }
        // One attempt in five seconds is no load.
        #expect(bench.spy.commands.filter { $0.hasPrefix("connect") }.count < 30)
    }

    @Test("publishes nothing of a torn refill, counts it, and starts anew")
    func torn() async throws {
        _ = try await after { bench, accelerometer in
            try await bench.spy.suffer(.drop(1))
            let before = accelerometer.readings.count
            await bench.clock.advance(by: .milliseconds(8))
            #expect(accelerometer.readings.count == before)
            #expect(accelerometer.losses == [ReadingLoss(count: 1, reason: .device)])
            await bench.clock.advance(by: .milliseconds(500))
            #expect(accelerometer.readings.count > before)
            #expect(
                Set(accelerometer.readings.map(\.instant)).count == accelerometer.readings.count)
        }
    }

    @Test("a daemon that comes and goes all the time is asked calmly, and floods nobody")
    func flapping() async throws {
        let bench = try await after { bench, accelerometer in
            for _ in 0..<600 {
                try await bench.spy.suffer(.restart(.milliseconds(50)))
                await bench.clock.advance(by: .milliseconds(100))
            }
            let states = accelerometer.states
            #expect(states.count < 40)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
            await bench.clock.advance(by: .seconds(7))
            #expect(accelerometer.states.last == .running)
            let instants = accelerometer.readings.map(\.instant)
            #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
            await bench.clock.advance(by: .seconds(1))
            #expect(accelerometer.readings.count >= instants.count + 99)
        }
        #expect(bench.spy.commands.filter { $0.hasPrefix("connect") }.count < 30)
    }

    @Test("survives a daemon that is restarted")
    func restart() async throws {
        _ = try await after { bench, accelerometer in
            try await bench.spy.suffer(.restart(.seconds(20)))
            await bench.clock.advance(by: .seconds(19))
            #expect(accelerometer.states == [.running, .reconnecting])
            await bench.clock.advance(by: .seconds(7))
            #expect(accelerometer.states == [.running, .reconnecting, .running])
        }
    }

    @Test("closes within two seconds in every state")
    func close() async throws {
        for state in ["running", "stalled", "unplugged", "reconnecting"] {
            let bench = Bench([.accelerometer(feed: ramp)])
            try await bench.clock.run {
                let accelerometer = try await bench.accelerometer()
                await bench.clock.advance(by: .milliseconds(105))
                switch state {
                case "stalled": bench.spy.stall()
                case "unplugged": bench.spy.unplug()
                case "reconnecting": bench.spy.fail(.connect, with: 111, times: 1000)
                default: break
                }
                if state == "reconnecting" { bench.spy.fail(.refill, with: 32) }
                await bench.clock.advance(by: .milliseconds(700))
                let before = bench.clock.now
                await accelerometer.session.close()
                #expect(before.duration(to: bench.clock.now) <= .seconds(2), "\(state)")
                let count = accelerometer.readings.count
                await bench.clock.advance(by: .seconds(20))
                #expect(accelerometer.readings.count == count)
                #expect(bench.spy.captureCount == 0, "\(state)")
                #expect(bench.spy.connectionCount == 0, "\(state)")
                #expect(bench.clock.sleeperCount == 0, "\(state)")
            }
        }
    }

    @Test("opens on a device that is away, and waits for it")
    func away() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        try await bench.clock.run {
            let sensor = try await bench.sensor(of: Acceleration.self)
            bench.spy.unplug()
            let accelerometer = try await bench.open(sensor)
            #expect(accelerometer.session.grantedRate == nil)
            #expect(accelerometer.states == [.reconnecting])
            bench.spy.plug(.accelerometer(id: "iio:device3", feed: ramp))
            await bench.clock.advance(by: .seconds(6))
            #expect(accelerometer.states == [.reconnecting, .running])
            #expect(accelerometer.session.grantedRate == 100)
            await accelerometer.session.close()
        }
    }

    @Test("gives up an open that is cancelled")
    func cancelled() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        try await bench.clock.run {
            let sensor = try await bench.sensor(of: Acceleration.self)
            bench.spy.hold("scale", for: .seconds(5))
            let outcome = Collected<String>()
            let task = bench.clock.spawn("open") {
                do {
                    _ = try await bench.open(sensor)
                    outcome.append("opened")
                } catch {
                    outcome.append("\(error)")
                }
            }
            await bench.clock.advance(by: .milliseconds(100))
            task.cancel()
            await bench.clock.advance(by: .seconds(3))
            #expect(outcome.all.count == 1)
            #expect(outcome.all.first?.contains("cancelled") ?? false)
            await bench.clock.advance(by: .seconds(60))
            #expect(bench.plugin.readerCount == 0)
            #expect(bench.spy.connectionCount == 0)
        }
    }

    @Test("plays 300 faults of all kinds without a leak, and never a stale reading")
    func faults() async throws {
        let bench = Bench([.accelerometer(feed: ramp)])
        let script = FaultScript.random(
            seed: 7, count: 300,
            of: [
                .stall(.seconds(3)), .drop(2), .clockJump(.seconds(100)), .unplug, .replug, .deny,
                .permit,
                .restart(.seconds(4)),
            ], spread: .seconds(5))
        try await bench.clock.run {
            let accelerometer = try await bench.accelerometer()
            let played = bench.clock.spawn("faults") {
                do { try await script.play(on: bench.spy, clock: bench.clock) } catch {
                    Issue.record(error)
                }
            }
            await bench.clock.advance(by: .seconds(1600))
            await played.value
            for cure in [Fault.permit, .replug] { try await bench.spy.suffer(cure) }
            await bench.clock.advance(by: .seconds(20))
            let count = accelerometer.readings.count
            await bench.clock.advance(by: .seconds(1))
            #expect(accelerometer.readings.count >= count + 99)
            let instants = accelerometer.readings.map(\.instant)
            #expect(zip(instants, instants.dropFirst()).allSatisfy { $0 < $1 })
            #expect(!accelerometer.isFinished)
            await accelerometer.session.close()
            #expect(bench.spy.captureCount == 0)
            #expect(bench.spy.connectionCount == 0)
            #expect(bench.plugin.readerCount == 0)
        }
    }
}
