import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("interaction run", .timeLimit(.minutes(1)))
struct InteractionRunTests {
    private let clock = VirtualClock()
    private let screen: TouchSensorSpy
    private let remote: RemoteControlSpy

    init() {
        screen = TouchSensorSpy(clock: clock)
        remote = RemoteControlSpy(clock: clock)
    }

    @Test("a tap toggles a button, and another one toggles it back")
    func toggles() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            clock.spawn("app") { await app.run(touches: screen) }
            let button = await app.buttonPoint
            try await screen.tap(at: button)
            #expect(await app.isOn)
            try await screen.tap(at: button)
            #expect(await !app.isOn)
            try await screen.tap(at: TouchPoint(x: 0.1, y: 0.9))
            #expect(await !app.isOn)
        }
        #expect(await app.statistics.taps == 3)
    }

    @Test("an app on the main actor has its responders called there")
    func mainActor() async throws {
        let app = await MainActorApp()
        let clock = VirtualClock(followsMainActor: true)
        let screen = TouchSensorSpy(clock: clock)
        try await clock.run {
            let run = clock.spawn("app") { try? await app.run(touches: screen) }
            try await screen.tap(at: .center)
            #expect(await app.presses == 1)
            try await screen.doubleTap(at: .center)
            #expect(await app.presses == 3)
            run.cancel()
            await run.value
        }
        #expect(!screen.isOpen)
    }

    @Test(
        "a screen that is unplugged in mid-swipe cancels the touch, and ends the run by its error")
    func unplug() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            let run = clock.spawn("app") { await app.run(touches: screen) }
            clock.spawn("faults") {
                let script = FaultScript().after(.milliseconds(305), .unplug)
                try? await script.play(on: screen, clock: clock)
            }
            let button = await app.buttonPoint
            try await screen.swipe(
                from: button, to: TouchPoint(x: button.x + 0.1, y: button.y), over: .seconds(1))
            await run.value
        }
        #expect(await !app.isOn)
        #expect(await !app.isHighlighted)
        let statistics = await app.statistics
        #expect(statistics.began == 1 && statistics.ended == 0)
        #expect(statistics.cancelled == [.sensor: 1])
        #expect(screen.touchTally == TouchTally(began: 1, cancelled: 1))
        guard case .disconnected = await app.failure else {
            Issue.record("the run did not end by the sensor's error")
            return
        }
    }

    @Test("a sensor that breaks its word and ends without cancelling leaves no touch behind")
    func endsWithoutCancelling() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            // A shared sensor ends its consumers when the device leaves the machine.
            let shared = SharedSensor(screen)
            let run = clock.spawn("app") { await app.run(touches: shared) }
            _ = try await screen.press(at: await app.buttonPoint)
            #expect(await app.isHighlighted)
            shared.end(with: .disconnected(screen.id, reason: "it left", hint: "plug it in"))
            await run.value
        }
        #expect(await app.statistics.cancelled == [.disconnected: 1])
        #expect(await !app.isHighlighted)
    }

    @Test(
        "a sensor that loses its source cancels what is under way, and touches go on after",
        arguments: [SensorStatus.State.reconnecting, .waiting, .stale])
    func statusLost(state: SensorStatus.State) async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            clock.spawn("app") { await app.run(touches: screen) }
            let button = await app.buttonPoint
            let finger = try await screen.press(at: button)
            try await screen.report(SensorStatus(state, reason: "the cable is loose"))
            #expect(await !app.isHighlighted)
            try await screen.report(SensorStatus(.running))
            try await finger.lift()
            #expect(await !app.isOn)
            try await screen.tap(at: button)
            #expect(await app.isOn)
        }
        #expect(await app.statistics.cancelled == [.disconnected: 1])
    }

    @Test("events lost on the way cancel the touch whose end may be among them")
    func eventsLost() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            clock.spawn("app") { await app.run(touches: screen) }
            let button = await app.buttonPoint
            let finger = try await screen.press(at: button)
            try await screen.suffer(.drop(1))
            try await finger.lift()
            #expect(await !app.isHighlighted)
            #expect(await !app.isOn)
            try await screen.tap(at: button)
            #expect(await app.isOn)
        }
        #expect(await app.statistics.cancelled == [.eventsLost: 1])
        // The screen made up for the lost end before the next touch.
        #expect(screen.touchTally == TouchTally(began: 2, ended: 1, cancelled: 1))
    }

    @Test("what the device lost is the sensor's affair, and cancels nothing here")
    func deviceLoss() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen] in
            clock.spawn("app") { await app.run(touches: screen) }
            let finger = try await screen.press(at: await app.buttonPoint)
            try await screen.lose(3, .device)
            try await finger.lift()
        }
        #expect(await app.isOn)
    }

    @Test("cancelling the task closes the sensors and cancels the touch")
    func cancelling() async throws {
        let app = SurfaceApp()
        try await clock.run { [clock, screen, remote] in
            let run = clock.spawn("app") { await app.run(touches: screen, keys: remote) }
            _ = try await screen.press(at: await app.buttonPoint)
            run.cancel()
            await run.value
        }
        #expect(!screen.isOpen && !remote.isOpen)
        #expect(await app.failure == nil)
        #expect(await app.statistics.cancelled == [.stopped: 1])
        #expect(await !app.isHighlighted)
    }

    @Test("a sensor that may not be opened ends the run, and closes the others")
    func denied() async throws {
        let app = SurfaceApp()
        remote.authorization(.denied)
        try await clock.run { [clock, screen, remote] in
            await clock.spawn("app") { await app.run(touches: screen, keys: remote) }.value
        }
        #expect(!screen.isOpen)
        #expect(screen.openCount == 1)
        guard case .denied = await app.failure else {
            Issue.record("the run did not end by the denial")
            return
        }
    }

    @Test("two screens may number their touches alike")
    func twoScreens() async throws {
        let log = Collected<String>()
        let other = TouchSensorSpy("spy/other", clock: clock)
        try await clock.run { [clock, screen] in
            clock.spawn("app") {
                let root = RecordingResponder(
                    "root", Rectangle(x: 0, y: 0, width: 10, height: 10), log: log)
                root.takesSeveralTouches = true
                let dispatcher = InteractionDispatcher(root: root)
                try? await dispatcher.run(touches: screen)
                try? await dispatcher.run(touches: other)
            }
            _ = try await screen.press(at: .center)
            try await screen.suffer(.unplug)
            try await other.tap(at: .center)
        }
        #expect(
            log.all == [
                "root began 5.0,5.0 x1", "root cancelled 5.0,5.0 x0", "root began 5.0,5.0 x1",
                "root ended 5.0,5.0 x1",
            ])
    }

    @Test("a remote control that is unplugged ends the seeking that it began")
    func remoteUnplugged() async throws {
        let log = Collected<String>()
        try await clock.run { [clock, remote] in
            let run = clock.spawn("app") {
                let root = RecordingResponder(
                    "root", Rectangle(x: 0, y: 0, width: 10, height: 10), log: log)
                try? await InteractionDispatcher(root: root).run(keys: remote)
            }
            clock.spawn("faults") {
                let script = FaultScript().after(.milliseconds(500), .unplug)
                try? await script.play(on: remote, clock: clock)
            }
            try await remote.press(.playPause)
            try await remote.hold(.fastForward)
            await run.value
        }
        #expect(
            log.all == [
                "root togglePlayPause", "root beginSeekingForward", "root endSeekingForward",
            ])
    }

    @Test("a shake is told to the first responder, and cancelled when the accelerometer is lost")
    func shakes() async throws {
        // The hand that goes on shaking what was pulled out need not wait long for its failure.
        let clock = VirtualClock(patience: .milliseconds(50))
        let accelerometer = MotionSensorSpy<Acceleration>(clock: clock)
        let log = Collected<String>()
        try await clock.run {
            let run = clock.spawn("app") {
                let root = RecordingResponder(
                    "root", Rectangle(x: 0, y: 0, width: 10, height: 10), log: log)
                try? await InteractionDispatcher(root: root).run(accelerations: accelerometer)
            }
            try await accelerometer.rest()
            try await accelerometer.shake()
            #expect(log.all == ["root shake began", "root shake ended"])
            clock.spawn("faults") {
                let script = FaultScript().after(.milliseconds(900), .unplug)
                try? await script.play(on: accelerometer, clock: clock)
            }
            try? await accelerometer.shake()
            await run.value
        }
        #expect(log.all.suffix(2) == ["root shake began", "root shake cancelled"])
        #expect(accelerometer.events.first == .opened(SamplingRequest(rate: 50)))
    }

    // MOK-05: nothing of two thousand runs is left.
    @Test("two thousand runs that begin, take a touch and are cancelled leave nothing behind")
    func manyRuns() async throws {
        let app = SurfaceApp()
        let shared = SharedSensor(screen)
        try await clock.run { [clock, screen] in
            for _ in 0..<2000 {
                let run = clock.spawn("app") { await app.run(touches: shared) }
                _ = try await screen.press(at: .center)
                run.cancel()
                await run.value
            }
            await shared.closed()
        }
        #expect(shared.consumerCount == 0)
        #expect(!screen.isOpen)
        #expect(screen.openCount == 2000)
        #expect(clock.sleeperCount == 0)
        #expect(await app.statistics.cancelled == [.stopped: 2000])
    }

    @Test("more events than an app can take are counted, and cancel what they were about")
    func overflow() async throws {
        let log = Collected<InteractionStatistics>()
        let time = ReadingTime(clock.now)
        try await clock.run { [clock, screen] in
            let run = clock.spawn("app") {
                let dispatcher = InteractionDispatcher(
                    root: Responder(size: Size(width: 1, height: 1)))
                try? await dispatcher.run(touches: screen)
                log.append(dispatcher.statistics)
            }
            var events = [TouchEvent(time: time, phase: .began, touch: 1, x: 0, y: 0)]
            for step in 1...5000 {
                events.append(
                    TouchEvent(
                        time: time, phase: .moved, touch: 1, x: Double(step) / 5000, y: 0))
            }
            events.append(TouchEvent(time: time, phase: .ended, touch: 1, x: 1, y: 0))
            try await screen.deliver(events)
            run.cancel()
            await run.value
        }
        #expect(log.all.first?.cancelled == [.eventsLost: 1])
        #expect(log.all.first?.began == 1)
    }
}
