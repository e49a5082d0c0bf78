import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@testable import ToggleButton

/// A canvas that remembers what was drawn on it.
final class CanvasSpy: Canvas {
    let pictures = Collected<String>()
    let texts = Collected<String>()

    func fill(_ part: Rectangle, with color: ToggleButton.Color, isHighlighted: Bool) {
        pictures.append("\(color)\(isHighlighted ? " pressed" : "")")
    }

    func show(_ text: String) { texts.append(text) }
}

@Suite("toggle app", .timeLimit(.minutes(1)))
struct ToggleAppTests {
    private let clock = VirtualClock()
    private let screen: TouchSensorSpy
    private let canvas = CanvasSpy()

    init() { screen = TouchSensorSpy(clock: clock) }

    /// Runs the app while a user does `acts`; the colour that the button then has.
    private func color(
        after acts: @escaping @Sendable (TouchSensorSpy, TouchPoint) async throws -> Void
    ) async throws -> ToggleButton.Color {
        let app = ToggleApp(canvas: canvas)
        try await clock.run { [clock, screen] in
            let run = clock.spawn("app") { try? await app.run(touches: screen) }
            try await acts(screen, await app.buttonPoint)
            run.cancel()
            await run.value
        }
        #expect(!screen.isOpen)
        return await app.color
    }

    @Test("draws the button as it is, while it is pressed, and as it becomes")
    func pictures() async throws {
        let color = try await color { screen, button in try await screen.tap(at: button) }
        #expect(color == .active)
        #expect(
            canvas.pictures.all == [
                "inactive", "inactive pressed", "inactive", "active",
            ])
    }

    @Test("a tap beside the button, a swipe off it and a palm on it change nothing")
    func nothing() async throws {
        let color = try await color { screen, button in
            try await screen.tap(at: TouchPoint(x: 0.5, y: 0.9))
            try await screen.swipe(from: button, to: TouchPoint(x: 0.5, y: 0.9))
            try await screen.restPalm(at: button)
        }
        #expect(color == .inactive)
        #expect(!canvas.pictures.all.contains("active"))
    }

    @Test("a swipe that comes from elsewhere and ends on the button changes nothing")
    func swipeOntoIt() async throws {
        let color = try await color { screen, button in
            try await screen.swipe(from: TouchPoint(x: 0.5, y: 0.9), to: button)
        }
        #expect(color == .inactive)
    }

    @Test("a screen that is pulled out under the finger leaves the button as it was")
    func unplugged() async throws {
        let color = try await color { screen, button in
            _ = try await screen.press(at: button)
            try await screen.suffer(.unplug)
        }
        #expect(color == .inactive)
        #expect(canvas.pictures.all.last == "inactive")
    }

    @Test("the play key of a remote control toggles the button, too")
    func remoteControl() async throws {
        let remote = RemoteControlSpy(clock: clock)
        let app = ToggleApp(canvas: canvas)
        try await clock.run { [clock, screen] in
            clock.spawn("app") { try? await app.run(touches: screen, keys: remote) }
            try await remote.hold(.playPause)
            #expect(await app.color == .active)
            try await remote.press(.volumeUp)
            #expect(await app.color == .active)
        }
    }

    @Test("a shake turns the button off, and a knock does not")
    func shake() async throws {
        let accelerometer = MotionSensorSpy<Acceleration>(clock: clock)
        let app = ToggleApp(canvas: canvas)
        try await clock.run { [clock, screen] in
            clock.spawn("app") {
                try? await app.run(touches: screen, accelerations: accelerometer)
            }
            try await screen.tap(at: await app.buttonPoint)
            try await accelerometer.drop()
            #expect(await app.color == .active)
            try await accelerometer.shake()
            #expect(await app.color == .inactive)
        }
    }

    @Test("a simulated finger taps the button once a second, and then is gone")
    func simulatedFinger() async throws {
        let app = ToggleApp(canvas: canvas)
        try await clock.run { [clock] in
            let finger = SimulatedFinger(tapping: await app.buttonPoint, taps: 3, clock: clock)
            let run = clock.spawn("app") { try? await app.run(touches: finger) }
            await clock.advance(by: .milliseconds(1500))
            #expect(await app.color == .active)
            await clock.advance(by: .milliseconds(1500))
            await run.value
        }
        #expect(await app.color == .active)
        #expect(clock.sleeperCount == 0)
    }

    @Test("turning the button on asks where the user is")
    func location() async throws {
        let gps = LocationSensorSpy(clock: clock)
        let presenter = LocationPresenter(service: LocationService(sensor: gps), view: canvas)
        let app = ToggleApp(canvas: canvas, location: presenter)
        try await clock.run { [clock, screen] in
            clock.spawn("app") { try? await app.run(touches: screen) }
            try await screen.tap(at: await app.buttonPoint)
            try await gps.deliver(latitude: 48.13713, longitude: 11.57538)
            try await screen.tap(at: await app.buttonPoint)
        }
        #expect(canvas.texts.all == ["Looking for your position...", "48.1371 N, 11.5754 E"])
        #expect(gps.openCount == 1)
    }
}
