import Sensorium
import SensoriumServices
import SensoriumTestKit

/// Writes down what it is told, and handles it unless it is to pass it on.
final class RecordingResponder: Responder {
    let name: String
    private let log: Collected<String>
    var passesOn = false
    /// What it does when touches of it begin.
    var whenBegan: (() -> Void)?

    init(_ name: String, _ frame: Rectangle, log: Collected<String>) {
        self.name = name
        self.log = log
        super.init(frame: frame)
    }

    private func note(_ what: String, _ touches: [Touch]) {
        let places = touches.map { touch in
            let place = touch.location(in: self)
            return "\(place.x.rounded()),\(place.y.rounded()) x\(touch.tapCount)"
        }
        log.append("\(name) \(what) \(places.joined(separator: "; "))")
    }

    override func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
        note("began", touches)
        if passesOn { super.touchesBegan(touches, with: event) }
        whenBegan?()
    }

    override func touchesMoved(_ touches: [Touch], with event: InteractionEvent) {
        note("moved", touches)
        if passesOn { super.touchesMoved(touches, with: event) }
    }

    override func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
        note("ended", touches)
        if passesOn { super.touchesEnded(touches, with: event) }
    }

    override func touchesCancelled(_ touches: [Touch], with event: InteractionEvent) {
        note("cancelled", touches)
        if passesOn { super.touchesCancelled(touches, with: event) }
    }

    override func motionBegan(_ motion: Motion, at instant: SensorInstant) {
        log.append("\(name) \(motion) began")
    }

    override func motionEnded(_ motion: Motion, at instant: SensorInstant) {
        log.append("\(name) \(motion) ended")
    }

    override func motionCancelled(_ motion: Motion, at instant: SensorInstant) {
        log.append("\(name) \(motion) cancelled")
    }

    override func remoteControlReceived(_ event: RemoteControlEvent) {
        log.append("\(name) \(event.command)\(event.isRepeat ? " again" : "")")
    }
}

/// A surface of 100 by 200 with two parts side by side, and the means to touch it by hand.
final class HandTable {
    let log = Collected<String>()
    let root: RecordingResponder
    let left: RecordingResponder
    let right: RecordingResponder
    let dispatcher: InteractionDispatcher
    /// Milliseconds.
    var now: Int64 = 1000

    init() {
        root = RecordingResponder("root", Rectangle(x: 0, y: 0, width: 100, height: 200), log: log)
        left = RecordingResponder("left", Rectangle(x: 10, y: 20, width: 30, height: 50), log: log)
        right = RecordingResponder(
            "right", Rectangle(x: 60, y: 20, width: 30, height: 50), log: log)
        root.add(left)
        root.add(right)
        dispatcher = InteractionDispatcher(root: root)
    }

    /// An event at a place in the root's coordinates.
    func event(
        _ phase: TouchEvent.Phase, _ touch: Int, _ x: Double, _ y: Double, endsFrame: Bool = true
    ) -> TouchEvent {
        TouchEvent(
            time: ReadingTime(SensorInstant(nanoseconds: now * 1_000_000)), phase: phase,
            touch: touch, x: x / 100, y: y / 200, endsFrame: endsFrame)
    }

    func touch(_ phase: TouchEvent.Phase, _ touch: Int, _ x: Double, _ y: Double) {
        dispatcher.dispatch([event(phase, touch, x, y)])
    }

    /// Dispatches events that happened at once.
    func frame(_ events: (TouchEvent.Phase, Int, Double, Double)...) {
        dispatcher.dispatch(
            events.enumerated().map { index, one in
                event(one.0, one.1, one.2, one.3, endsFrame: index == events.count - 1)
            })
    }

    func tap(_ touch: Int, _ x: Double, _ y: Double, for milliseconds: Int64 = 60) {
        self.touch(.began, touch, x, y)
        now += milliseconds
        self.touch(.ended, touch, x, y)
    }

    func press(_ key: RemoteKey, _ phase: KeyEvent.Phase) {
        dispatcher.dispatch(
            KeyEvent(
                time: ReadingTime(SensorInstant(nanoseconds: now * 1_000_000)), key: key,
                phase: phase))
    }
}
