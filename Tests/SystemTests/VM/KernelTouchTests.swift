import EvdevPlugin
import Glibc
import Sensorium
import SensoriumTestKit
import Testing

/// The Evdev plugin, loaded, over the kernel's hid-multitouch and a screen for five fingers.
@Suite(
    "a touch screen on a real kernel", .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Guest.isHere, Guest.absence))
struct KernelTouchTests {
    private static let (width, height) = (1919.0, 1079.0)

    private func words(_ events: [TouchEvent]) -> [String] {
        events.map { event in
            let x = Int((event.x * Self.width).rounded())
            let y = Int((event.y * Self.height).rounded())
            return "\(event.phase) \(event.touch) (\(x), \(y))"
        }
    }

    @Test("tells of two fingers, with the times at which the kernel saw them")
    func fingers() async throws {
        let app = try await GuestApp(loading: "Evdev")
        let sensor = try await app.sensor(TouchEvent.self, "Test_Screen")
        #expect(sensor.descriptor.isPreferred)
        var reader = UpdateReader(sensor)
        _ = try await reader.status(.running)
        let start = SystemClock().now
        try Guest.hid("finger 0 200 300 1", "frame")
        _ = try await reader.reading()
        try Guest.hid("finger 1 1000 800 1", "finger 0 210 300 1", "frame")
        while reader.readings.count < 3 { _ = try await reader.reading() }
        try Guest.hid("finger 0 210 300 0", "finger 1 1010 800 1", "frame")
        while reader.readings.count < 5 { _ = try await reader.reading() }
        try Guest.hid("finger 1 1010 800 0", "frame")
        while reader.readings.count < 6 { _ = try await reader.reading() }
        let end = SystemClock().now
        let events = reader.readings
        #expect(words(Array(events.prefix(1))) == ["began 1 (200, 300)"])
        #expect(
            Set(words(Array(events[1..<3]))) == ["moved 1 (210, 300)", "began 2 (1000, 800)"])
        #expect(
            Set(words(Array(events[3..<5]))) == ["ended 1 (210, 300)", "moved 2 (1010, 800)"])
        #expect(words(Array(events.suffix(1))) == ["ended 2 (1010, 800)"])
        for event in events {
            #expect(event.time.source == .device)
            #expect(event.time.original?.domain == .boottime)
            #expect(event.instant >= start && event.instant <= end, "\(event)")
            #expect(event.tool == .finger)
        }
        #expect(events[1].instant == events[2].instant)
        #expect(!events[1].endsFrame && events[2].endsFrame)
        // 2048 hundredths of a centimetre across.
        let place = try #require(events.first?.xMillimetres)
        #expect(abs(place - 200.0 / 1919 * 204.8) < 3, "\(place)")
        await app.registry.removeAll()
    }

    @Test("begins with the finger that is there already (TCH-02)")
    func alreadyThere() async throws {
        try Guest.hid("finger 2 700 400 1", "frame")
        let app = try await GuestApp(loading: "Evdev")
        let sensor = try await app.sensor(TouchEvent.self, "Test_Screen")
        var reader = UpdateReader(sensor)
        #expect(words([try await reader.reading()]) == ["began 1 (700, 400)"])
        try Guest.hid("finger 2 700 400 0", "frame")
        #expect(words([try await reader.reading()]) == ["ended 1 (700, 400)"])
        await app.registry.removeAll()
    }

    @Test("goes on with what is true after the kernel has lost events (TCH-05)")
    func overflow() async throws {
        // Below the sensor, since there reading can be left off.
        let node = try #require(
            LibevdevLink().nodes().first { $0.name.contains("Test Screen") })
        let device = try await LibevdevLink().open(node.path)
        var decoder = TouchDecoder(try TouchLayout(try await device.capabilities()))
        decoder.resync(to: try await device.state())
        // More than the kernel keeps, and the last of it is two fingers.
        for number in 0..<400 {
            try Guest.hid("finger 0 \(number) 100 1", "finger 1 \(number) 900 1", "frame")
        }
        try Guest.hid("finger 0 500 100 0", "finger 3 1500 1000 1", "frame")
        try await Guest.wait(for: "the last frame") {
            let other = try? await LibevdevLink().open(node.path)
            let slots = try? await other?.state().slots
            await other?.close()
            return slots?.contains { $0.x == 1500 } ?? false
        }
        var losses = 0
        var events: [InputEvent] = []
        repeat {
            events.removeAll()
            try await device.read(into: &events)
            for event in events where decoder.take(event) == .mustResync {
                losses += 1
                decoder.resync(to: try await device.state())
            }
        } while !events.isEmpty
        #expect(losses == 1)
        #expect(decoder.touchCount == 2)
        await device.close()
        try Guest.hid("finger 1 399 900 0", "finger 3 1500 1000 0", "frame")
    }

    @Test("cancels the touch of a screen that is pulled out, and reads it again when it is back")
    func replug() async throws {
        let app = try await GuestApp(loading: "Evdev")
        let sensor = try await app.sensor(TouchEvent.self, "Test_Screen")
        var reader = UpdateReader(sensor)
        _ = try await reader.status(.running)
        try Guest.hid("finger 0 200 300 1", "frame")
        _ = try await reader.reading { $0.phase == .began }
        try Guest.hid("unplug screen")
        #expect(words([try await reader.reading()]) == ["cancelled 1 (200, 300)"])
        let told = try await reader.status(.reconnecting)
        #expect(!told.hint.isEmpty)
        try Guest.hid("plug screen")
        _ = try await reader.status(.running)
        try Guest.hid("finger 4 20 30 1", "frame")
        #expect(words([try await reader.reading()]) == ["began 2 (20, 30)"])
        try Guest.hid("finger 4 20 30 0", "frame")
        #expect(words([try await reader.reading()]) == ["ended 2 (20, 30)"])
        await app.registry.removeAll()
    }

    @Test("ends by disconnection where the configuration says so")
    func ends() async throws {
        let app = try await GuestApp(loading: "Evdev", ["evdev.unplug": "end"])
        let sensor = try await app.sensor(TouchEvent.self, "Test_Screen")
        var reader = UpdateReader(sensor)
        _ = try await reader.status(.running)
        try Guest.hid("unplug screen")
        let error = await #expect(throws: SensorError.self) {
            while true { _ = try await reader.reading() }
        }
        guard case .disconnected = error else { throw SpyError("\(String(describing: error))") }
        try await Guest.wait(for: "the screen's departure") { !app.has("Test_Screen") }
        try Guest.hid("plug screen")
        _ = try await app.sensor(TouchEvent.self, "Test_Screen")
        await app.registry.removeAll()
    }
}
