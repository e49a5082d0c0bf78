import Sensorium

/// A touch screen that is not there, and a finger that taps it now and then.
final class SimulatedFinger: TouchSensor {
    let descriptor = SensorDescriptor(
        id: "toggle-button/finger", kind: .touch, name: "Simulated finger", isSimulated: true)
    let clock: any SensorClock
    private let point: TouchPoint
    private let taps: Int?

    /// Makes a finger that taps `point` once a second; for ever where no number of `taps` is given.
    init(tapping point: TouchPoint, taps: Int? = nil, clock: any SensorClock = SystemClock()) {
        self.point = point
        self.taps = taps
        self.clock = clock
    }

    func open(
        _ request: SamplingRequest, delivering sink: ReadingSink<TouchEvent>
    ) async throws(SensorError) -> any SensorSession {
        Session(
            hand: clock.spawn("simulated finger") { [self] in
                var touch = 0
                while touch < taps ?? .max {
                    touch += 1
                    guard await clock.pause(for: .milliseconds(700)) else { return }
                    sink.deliver(event(.began, touch))
                    let isHeld = await clock.pause(for: .milliseconds(300))
                    sink.deliver(event(isHeld ? .ended : .cancelled, touch))
                    if !isHeld { return }
                }
                sink.finish()
            })
    }

    private func event(_ phase: TouchEvent.Phase, _ touch: Int) -> TouchEvent {
        TouchEvent(
            time: ReadingTime(clock.now, source: .arrival), phase: phase, touch: touch,
            x: point.x, y: point.y, flags: .simulated)
    }

    private struct Session: SensorSession {
        let hand: Task<Void, Never>

        func close() async {
            hand.cancel()
            await hand.value
        }
    }
}
