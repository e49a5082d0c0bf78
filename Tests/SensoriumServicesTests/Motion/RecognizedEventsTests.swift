import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("Recognized events", .timeLimit(.minutes(1)))
struct RecognizedEventsTests {
    private let clock = VirtualClock()
    private let imu: MotionSensorSpy<Acceleration>

    init() { imu = MotionSensorSpy("spy/imu", clock: clock) }

    /// What an app hears of a stream, and how the stream ends.
    private struct Heard<Recognizer: MotionRecognizer>: Sendable {
        let events = Collected<Recognizer.Event>()
        let endings = Collected<SensorError?>()

        func listen(
            to events: RecognizedEvents<Recognizer>, on clock: VirtualClock
        ) -> Task<Void, Never> {
            clock.spawn("app") {
                do throws(SensorError) {
                    for try await event in events { self.events.append(event) }
                    endings.append(nil)
                } catch {
                    endings.append(error)
                }
            }
        }
    }

    @Test("a shake of the spy is one shake", arguments: [25.0, 50, 100, 200])
    func shake(rate: Double) async throws {
        let heard = Heard<ShakeRecognizer>()
        try await clock.run {
            let app = heard.listen(to: imu.shakes(), on: clock)
            try await imu.rest(rate: rate)
            try await imu.shake(rate: rate)
            #expect(heard.events.all.map(\.phase) == [.began, .ended])
            app.cancel()
            await app.value
        }
        #expect(heard.endings.all == [nil])
        #expect(imu.events.first == .opened(SamplingRequest(rate: 50)))
        #expect(!imu.isOpen)
    }

    @Test("a drop, a tilt and rest are none", arguments: [25.0, 50, 100, 200])
    func noShake(rate: Double) async throws {
        let heard = Heard<ShakeRecognizer>()
        try await clock.run {
            let app = heard.listen(to: imu.shakes(), on: clock)
            for height in [0.2, 1, 2] { try await imu.drop(from: height, rate: rate) }
            for orientation in DeviceOrientation.allCases {
                try await imu.tilt(to: orientation, rate: rate)
            }
            app.cancel()
            await app.value
        }
        #expect(heard.events.all.isEmpty)
    }

    @Test("each tilt of the spy is a change, and a drop is none", arguments: [10.0, 100, 400])
    func tilt(rate: Double) async throws {
        let heard = Heard<OrientationRecognizer>()
        let ways: [DeviceOrientation] = [
            .portrait, .landscapeLeft, .faceUp, .faceDown, .portraitUpsideDown, .portrait,
            .landscapeRight, .landscapeLeft,
        ]
        try await clock.run {
            let app = heard.listen(to: imu.orientations(), on: clock)
            try await imu.rest(rate: rate)
            for way in ways { try await imu.tilt(to: way, rate: rate) }
            try await imu.drop(rate: rate)
            app.cancel()
            await app.value
        }
        #expect(heard.events.all.map(\.orientation) == [.faceUp] + ways)
        #expect(heard.events.all.dropFirst().map(\.previous) == ([.faceUp] + ways).dropLast())
    }

    @Test("an error first cancels the shake under way, then ends the stream")
    func error() async throws {
        let heard = Heard<ShakeRecognizer>()
        try await clock.run {
            let app = heard.listen(to: imu.shakes(), on: clock)
            for reading in Movement().rest(1).swing(1, frequency: 4, strength: 20).sampled(100) {
                try await imu.deliver(reading)
            }
            try await imu.suffer(.unplug)
            await app.value
        }
        #expect(heard.events.all.map(\.phase) == [.began, .cancelled])
        guard case .disconnected = heard.endings.all.first else {
            Issue.record("\(heard.endings.all)")
            return
        }
    }

    @Test(
        "the sensor's end, and its silence, cancel the shake under way", arguments: [false, true])
    func silence(ends: Bool) async throws {
        let heard = Heard<ShakeRecognizer>()
        try await clock.run {
            let app = heard.listen(to: imu.shakes(), on: clock)
            try await imu.deliver(
                Movement().rest(1).swing(1, frequency: 4, strength: 20).sampled(100))
            if ends {
                try await imu.finish()
            } else {
                try await imu.report(SensorStatus(.running))
                #expect(heard.events.all.count == 1)
                try await imu.report(SensorStatus(.stale, reason: "nothing for 2 s"))
            }
            #expect(heard.events.all.map(\.phase) == [.began, .cancelled])
            app.cancel()
            await app.value
        }
        #expect(heard.endings.all == [nil])
    }

    @Test("lost readings are gaps, and are counted")
    func losses() async throws {
        let shakes = imu.shakes(request: SamplingRequest(buffering: .newest(16)))
        let heard = Heard<ShakeRecognizer>()
        try await clock.run {
            let app = heard.listen(to: shakes, on: clock)
            // More at once than the buffer holds.
            try await imu.deliver(
                Movement().rest(1).swing(1, frequency: 4, strength: 20).sampled(100))
            try await imu.lose(3)
            app.cancel()
            await app.value
        }
        #expect(shakes.losses == [.slowConsumer: 184, .injected: 3])
        #expect(heard.events.all.isEmpty)
    }

    @Test("each loop has a recognizer of its own")
    func loops() async throws {
        let shakes = imu.shakes()
        let (first, second) = (Heard<ShakeRecognizer>(), Heard<ShakeRecognizer>())
        try await clock.run {
            let apps = [first.listen(to: shakes, on: clock), second.listen(to: shakes, on: clock)]
            await clock.settle()
            try await imu.shake()
            for app in apps {
                app.cancel()
                await app.value
            }
        }
        #expect(first.events.all.map(\.phase) == [.began, .ended])
        #expect(first.events.all == second.events.all)
    }

    @Test("a movement that nobody watches fails loudly")
    func unwatched() async {
        let clock = VirtualClock(patience: .milliseconds(20))
        let imu = MotionSensorSpy<Acceleration>(clock: clock)
        await #expect(throws: VirtualClockError.self) {
            try await clock.run { try await imu.shake() }
        }
    }
}
