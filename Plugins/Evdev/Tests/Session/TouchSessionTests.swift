import EvdevPlugin
import EvdevSpy
import Sensorium
import SensoriumTestKit
import Testing

@Suite("Touch session", .timeLimit(.minutes(1)))
struct TouchSessionTests {
    private func onScreen(
        _ input: ScriptedInput = .screen(size: (1001, 1001)), configuration: [String: String] = [:],
        _ body: @escaping @Sendable (Bench, Listener<TouchEvent>) async throws -> Void
    ) async throws {
        let bench = Bench([input], configuration: configuration)
        try await bench.clock.run {
            let listener = try await bench.openScreen()
            try await body(bench, listener)
            await listener.close()
            bench.spy.release()
            await bench.clock.settle()
            #expect(bench.isClean)
        }
    }

    @Test("tells of two fingers, each with the time at which the kernel saw it")
    func fingers() async throws {
        try await onScreen { bench, listener in
            let start = bench.clock.now
            bench.spy.put(finger: 0, at: TouchPoint(x: 0.25, y: 0.5))
            await bench.clock.advance(by: .milliseconds(10))
            bench.spy.put(finger: 1, at: TouchPoint(x: 0.75, y: 1))
            bench.spy.put(finger: 0, at: TouchPoint(x: 0.3, y: 0.5))
            await bench.clock.advance(by: .milliseconds(10))
            bench.spy.lift(finger: 0)
            bench.spy.lift(finger: 1)
            await bench.clock.settle()
            #expect(
                listener.words == [
                    "began 1 (0.25, 0.5)", "began 2 (0.75, 1.0)", "moved 1 (0.3, 0.5)",
                    "ended 1 (0.3, 0.5)", "ended 2 (0.75, 1.0)",
                ])
            let times = listener.readings.map { start.duration(to: $0.instant) }
            #expect(times.first == .zero)
            #expect(times.last == .milliseconds(20))
            #expect(listener.readings.allSatisfy { $0.time.source == .device && $0.endsFrame })
            #expect(listener.readings.first?.time.original?.domain == .boottime)
            #expect(listener.states == [.running])
            #expect(listener.losses.isEmpty)
        }
    }

    @Test("begins the touches of fingers that are down when it is opened (TCH-02)")
    func downAtOpening() async throws {
        let bench = Bench([.screen(size: (1001, 1001))])
        try await bench.clock.run {
            bench.spy.put(finger: 3, at: TouchPoint(x: 0.1, y: 0.2))
            let listener = try await bench.openScreen()
            #expect(listener.words == ["began 1 (0.1, 0.2)"])
            #expect(listener.readings.first?.time.source == .arrival)
            // The slot that events are about is the kernel's.
            bench.spy.send([.x(500)])
            bench.spy.lift(finger: 3)
            await bench.clock.settle()
            #expect(listener.words.dropFirst() == ["moved 1 (0.5, 0.2)", "ended 1 (0.5, 0.2)"])
            await listener.close()
        }
    }

    @Test("goes on with what is true after the kernel has lost events (TCH-05)")
    func overflow() async throws {
        try await onScreen { bench, listener in
            bench.spy.put(finger: 0, at: TouchPoint(x: 0.1, y: 0.1))
            bench.spy.put(finger: 1, at: TouchPoint(x: 0.9, y: 0.9))
            await bench.clock.settle()
            bench.spy.lose(3)
            bench.spy.lift(finger: 0)
            bench.spy.put(finger: 1, at: TouchPoint(x: 0.8, y: 0.8))
            bench.spy.put(finger: 2, at: TouchPoint(x: 0.5, y: 0.5))
            await bench.clock.settle()
            #expect(
                listener.words.dropFirst(2) == [
                    "cancelled 1 (0.1, 0.1)", "moved 2 (0.8, 0.8)", "began 3 (0.5, 0.5)",
                ])
            #expect(listener.losses == [ReadingLoss(count: 1, reason: .device)])
            bench.spy.lift(finger: 2)
            await bench.clock.settle()
            #expect(listener.words.last == "ended 3 (0.5, 0.5)")
            #expect(bench.spy.commands.count { $0.hasPrefix("state") } == 2)
        }
    }

    @Test("notices that nobody has read for too long")
    func flood() async throws {
        try await onScreen { bench, listener in
            for number in 0..<2000 {
                bench.spy.put(finger: 0, at: TouchPoint(x: Double(number) / 2000, y: 0.5))
            }
            await bench.clock.settle()
            #expect(listener.losses == [ReadingLoss(count: 1, reason: .device)])
            #expect(listener.words == ["began 1 (1.0, 0.5)"])
        }
    }

    @Test("counts what makes no sense, and tells the rest")
    func nonsense() async throws {
        try await onScreen { bench, listener in
            bench.spy.send([.slot(99), .id(5), .slot(0), .id(6), .x(10), .y(20)])
            await bench.clock.settle()
            #expect(listener.words == ["began 1 (0.01, 0.02)"])
            #expect(listener.losses == [ReadingLoss(count: 1, reason: .malformed)])
        }
    }

    @Test("lets two sessions read one screen, each all of it")
    func twoSessions() async throws {
        try await onScreen { bench, first in
            let second = try await bench.openScreen()
            bench.spy.put(at: .center)
            await bench.clock.settle()
            #expect(first.words.count == 1)
            #expect(first.words == second.words)
            await second.close()
            bench.spy.lift()
            await bench.clock.settle()
            #expect(first.words.count == 2)
            #expect(second.words.count == 1)
        }
    }

    @Test("maps stamps of UTC, where the kernel would not give others")
    func realtime() async throws {
        let bench = Bench([.screen()])
        bench.spy.stamp(with: .realtime)
        try await bench.clock.run {
            let listener = try await bench.openScreen()
            bench.spy.put(at: .center)
            await bench.clock.settle()
            let time = try #require(listener.readings.first?.time)
            #expect(time.instant == bench.clock.now)
            #expect(time.original?.domain == .realtime)
            #expect(time.source == .device)
            await listener.close()
        }
    }

    @Test(
        "turns and calibrates what a screen says",
        arguments: [
            ([:], nil, 0.2, 0.3),
            (["evdev.rotation": "90"], nil, 0.7, 0.2),
            ([:], "0 -1 1 1 0 0", 0.7, 0.2),
            (["evdev.matrix": "1 0 0 0 1 0"], "0 -1 1 1 0 0", 0.2, 0.3),
            (["evdev.rotation": "180"], "0 -1 1 1 0 0", 0.3, 0.8),
            (
                [
                    "evdev.rotation": "90",
                    "evdev.rotation.Scripted_Screen@spy-Scripted_Screen": "180",
                ],
                nil, 0.8, 0.7
            ),
            ([:], "no matrix", 0.2, 0.3),
        ] as [([String: String], String?, Double, Double)])
    func calibration(
        configuration: [String: String], property: String?, x: Double, y: Double
    ) async throws {
        let screen = ScriptedInput.screen(size: (1001, 1001), calibration: property)
        try await onScreen(screen, configuration: configuration) { bench, listener in
            bench.spy.put(at: TouchPoint(x: 0.2, y: 0.3))
            await bench.clock.settle()
            #expect(listener.words == ["began 1 (\(x), \(y))"])
            #expect(
                bench.diagnostics.all.contains { $0.contains("LIBINPUT_CALIBRATION_MATRIX") }
                    == (property == "no matrix"))
        }
    }

    @Test(
        "refuses settings that it cannot understand, by their names",
        arguments: [
            "evdev.rotation", "evdev.matrix", "evdev.unplug",
        ])
    func settings(key: String) async throws {
        let bench = Bench(configuration: [key: "sideways"])
        try await bench.clock.run {
            let error = await #expect(throws: SensorError.self) {
                _ = try await bench.openScreen()
            }
            guard case .unsupported = error else { throw SpyError("\(String(describing: error))") }
            #expect(error?.reason.contains(key) ?? false)
            #expect(bench.isClean)
        }
    }

    @Test("refuses a screen whose axes have no range (TCH-03)")
    func noRange() async throws {
        var screen = ScriptedInput.screen()
        screen.capabilities.axes[InputCode.contactX] = AxisRange(0, 0)
        let bench = Bench([screen])
        try await bench.clock.run {
            let error = await #expect(throws: SensorError.self) {
                _ = try await bench.openScreen()
            }
            guard case .malformed = error else { throw SpyError("\(String(describing: error))") }
            #expect(bench.isClean)
        }
    }

    @Test(
        "closes within its time though a call never returns",
        arguments: [
            EvdevLinkSpy.Operation.read, .state, .open,
        ])
    func hanging(operation: EvdevLinkSpy.Operation) async throws {
        let bench = Bench()
        try await bench.clock.run {
            if operation != .read { bench.spy.hang(operation) }
            let start = bench.clock.now
            let opened = Collected<Listener<TouchEvent>>()
            bench.clock.spawn("open") {
                if let listener = try? await bench.openScreen() { opened.append(listener) }
            }
            await bench.clock.advance(by: .seconds(5))
            // A slow device counts as open, and is waited for.
            let listener = try #require(opened.all.first)
            bench.spy.hang(.read)
            bench.spy.put(at: .center)
            await bench.clock.settle()
            let closed = Collected<SensorInstant>()
            bench.clock.spawn("close") {
                await listener.close()
                closed.append(bench.clock.now)
            }
            await bench.clock.advance(by: .seconds(3))
            let end = try #require(closed.all.first)
            #expect(start.duration(to: end) <= .seconds(7))
            bench.spy.release()
            await bench.clock.settle()
            #expect(listener.words.isEmpty)
            #expect(bench.isClean)
        }
    }

    @Test("tells which keys are pressed, held and let go, and releases them when it is pulled out")
    func keys() async throws {
        let bench = Bench([.screen(), .remote(), .keyboard()])
        try await bench.clock.run {
            let listener = try await Listener(try await bench.sensor(KeyEvent.self))
            bench.spy.press(.playPause)
            bench.spy.press(.playPause, value: 2)
            bench.spy.press(.playPause, value: 0)
            bench.spy.press(.volumeUp)
            await bench.clock.settle()
            bench.spy.unplug("/dev/input/event1")
            await bench.clock.settle()
            #expect(
                listener.words == [
                    "pressed playPause", "repeated playPause", "released playPause",
                    "pressed volumeUp", "released volumeUp",
                ])
            #expect(listener.states == [.running, .reconnecting])
            await listener.close()
            #expect(bench.isClean)
        }
    }
}
