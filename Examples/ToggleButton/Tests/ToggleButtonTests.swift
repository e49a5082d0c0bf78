// The article's test: tap, look, tap again, look.

import Sensorium
import SensoriumTestKit
import Testing

@testable import ToggleButton

@Test("the button changes its colour when it is tapped, and back when it is tapped again")
func toggles() async throws {
    let clock = VirtualClock()
    let screen = TouchSensorSpy(clock: clock)
    let app = ToggleApp(canvas: CanvasSpy())
    try await clock.run {
        clock.spawn("app") { try? await app.run(touches: screen) }
        let button = await app.buttonPoint
        #expect(await app.color == .inactive)

        try await screen.tap(at: button)
        #expect(await app.color == .active)

        try await screen.tap(at: button)
        #expect(await app.color == .inactive)
    }
}
