import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Input device unplugged", .timeLimit(.minutes(1)))
struct UnplugTests {
    private let screen = ScriptedInput.screen(size: (1001, 1001))

    private func whileTouched(
        configuration: [String: String] = [:],
        _ body: @escaping @Sendable (Bench, Listener<TouchEvent>) async throws -> Void
    ) async throws {
        let bench = Bench([screen], configuration: configuration)
        try await bench.clock.run {
            let listener = try await bench.openScreen()
            bench.spy.put(at: .center)
            await bench.clock.settle()
            try await body(bench, listener)
            await listener.close()
            await bench.clock.settle()
            #expect(bench.isClean)
        }
    }

    @Test("cancels its touches, is one status, and is back within 2 s, whatever its node")
    func reconnects() async throws {
        var back = screen
        back.node = "/dev/input/event7"
        try await whileTouched { [back] bench, listener in
            bench.spy.unplug()
            await bench.clock.advance(by: .seconds(60))
            #expect(listener.words == ["began 1 (0.5, 0.5)", "cancelled 1 (0.5, 0.5)"])
            #expect(listener.states == [.running, .reconnecting])
            #expect(bench.spy.openCount == 0)
            let commands = bench.spy.commands.count
            await bench.clock.advance(by: .seconds(600))
            #expect(bench.spy.commands.count == commands)

            bench.spy.plug(back)
            await bench.clock.advance(by: .milliseconds(2000))
            #expect(listener.states == [.running, .reconnecting, .running])
            bench.spy.put(at: TouchPoint(x: 0.1, y: 0.2), on: "/dev/input/event7")
            await bench.clock.settle()
            // Numbers of touches are not used again.
            #expect(listener.words.last == "began 2 (0.1, 0.2)")
            let instants = listener.readings.map(\.time.instant)
            #expect(instants == instants.sorted())
        }
    }

    @Test("ends the session where the configuration says so")
    func ends() async throws {
        try await whileTouched(configuration: ["evdev.unplug": "end"]) { bench, listener in
            bench.spy.unplug()
            await bench.clock.settle()
            #expect(listener.words.last == "cancelled 1 (0.5, 0.5)")
            guard case .disconnected? = listener.ends.first ?? nil else {
                throw SpyError("it ended by \(listener.ends)")
            }
            #expect(listener.ends.count == 1)
            #expect(bench.plugin.sessionCount == 0)
        }
    }

    @Test("is opened anew after any other failure, and tells of it once", arguments: [5, 24, 71])
    func failure(number: Int32) async throws {
        try await whileTouched { bench, listener in
            bench.spy.fail(.read, with: number, times: 3)
            bench.spy.lift()
            await bench.clock.advance(by: .seconds(5))
            #expect(listener.states == [.running, .reconnecting, .running])
            #expect(listener.words.last == "cancelled 1 (0.5, 0.5)")
            bench.spy.put(at: .center)
            await bench.clock.advance(by: .seconds(5))
            #expect(listener.words.last == "began 2 (0.5, 0.5)")
        }
    }

    @Test("tells its consumer when the plugin is stopped, after the end of its touches")
    func stop() async throws {
        try await whileTouched { bench, listener in
            await bench.plugin.stop()
            #expect(listener.words.last == "cancelled 1 (0.5, 0.5)")
            #expect(listener.ends == [nil])
            await #expect(throws: SensorError.self) { _ = try await bench.openScreen() }
        }
    }

    @Test("refuses what cannot be opened, with the reason", arguments: [13, 19, 22, 5])
    func refusals(number: Int32) async throws {
        for operation in [EvdevLinkSpy.Operation.open, .capabilities, .state] {
            let bench = Bench([screen])
            try await bench.clock.run {
                bench.spy.fail(operation, with: number)
                let error = await #expect(throws: SensorError.self) {
                    _ = try await bench.openScreen()
                }
                switch (number, error) {
                case (13, .denied), (19, .disconnected), (22, .unsupported), (5, .unavailable):
                    break
                default: Issue.record("\(number) became \(String(describing: error))")
                }
                #expect(error?.hint.isEmpty == false)
                #expect(bench.isClean)
            }
        }
    }

    @Test("leaves the registry when nobody reads it, and stays while a session waits for it")
    func registry() async throws {
        let (spy, screen) = (EvdevLinkSpy(clock: VirtualClock(), inputs: [screen]), screen)
        guard let clock = spy.clock as? VirtualClock else { return }
        try await clock.run {
            let registry = SensorRegistry(host: PluginHost(clock: clock))
            try await registry.add(spy.plugin(for: registry.host))
            #expect(registry.descriptors.count == 1)
            spy.unplug()
            await clock.advance(by: .seconds(1))
            #expect(registry.descriptors.isEmpty)
            spy.plug(screen)
            await clock.advance(by: .seconds(1))
            let sensor = try #require(registry.sensors(of: TouchEvent.self).first)

            let listener = try await Listener(sensor)
            spy.unplug()
            await clock.advance(by: .seconds(1))
            #expect(registry.descriptors.count == 1)
            await listener.close()
            await clock.advance(by: .seconds(1))
            #expect(registry.descriptors.isEmpty)
            await registry.removeAll()
            #expect(clock.sleeperCount == 0)
        }
    }
}
