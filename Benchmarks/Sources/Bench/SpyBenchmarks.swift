import Sensorium
import SensoriumServices
import SensoriumTestKit

/// What tests with spies cost.
enum SpyBenchmarks {
    static func rows() async throws -> [Row] {
        try await [
            thousand("spy.1000-tests", oneTest), thousand("spy.1000-app-tests", oneAppTest),
        ]
    }

    private static func thousand(
        _ name: String, _ test: () async throws -> Void
    ) async throws -> Row {
        var samples = Samples()
        for _ in 0..<5 {
            samples.add(
                try await nanoseconds {
                    for _ in 0..<1000 { try await test() }
                }, items: 1_000_000_000)
        }
        return Row(name: name, value: samples.median, unit: "s", goal: 1)
    }

    /// An app reads a fix and an acceleration, and gives up on a second fix after 5 s.
    private static func oneTest() async throws {
        let clock = VirtualClock()
        let gps = LocationSensorSpy(clock: clock)
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        try await clock.run {
            async let fix = gps.latest(timeout: .seconds(5))
            async let force = imu.latest(timeout: .seconds(5))
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            try await imu.deliver(x: 0, y: 0, z: 9.81)
            keep(try await (fix, force))
            async let late = try? gps.latest(timeout: .seconds(5))
            await clock.advance(by: .seconds(5))
            let missed = await late
            precondition(missed == nil, "the time-out did not come")
            try await gps.stopped()
        }
    }

    /// A user taps a button twice, swipes, presses a key of a remote control, and is told where he is.
    private static func oneAppTest() async throws {
        let clock = VirtualClock()
        let screen = TouchSensorSpy(clock: clock)
        let remote = RemoteControlSpy(clock: clock)
        let gps = LocationSensorSpy(clock: clock)
        let presses = Guarded(0)
        try await clock.run {
            clock.spawn("app") {
                let window = Responder(size: Size(width: 320, height: 568))
                let button = ControlResponder(
                    frame: Rectangle(x: 60, y: 92, width: 200, height: 100))
                button.action = { presses.withLock { $0 += 1 } }
                window.add(button)
                try? await InteractionDispatcher(root: window).run(touches: screen, keys: remote)
            }
            let service = LocationService(sensor: gps)
            let position = clock.spawn("presenter") { keep(try? await service.currentLocation()) }
            let button = TouchPoint(x: 0.5, y: 0.25)
            try await screen.tap(at: button)
            try await screen.tap(at: button)
            try await screen.swipe(from: button, to: TouchPoint(x: 0.5, y: 0.9))
            try await remote.press(.playPause)
            try await gps.deliver(latitude: 48.1, longitude: 11.5)
            await position.value
        }
        let count = presses.withLock { $0 }
        precondition(count == 2, "the button was pressed \(count) times")
    }
}
