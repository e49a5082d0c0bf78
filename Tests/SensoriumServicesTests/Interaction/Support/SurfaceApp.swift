import Sensorium
import SensoriumServices
import SensoriumTestKit

/// An app with a button on a surface, as small as can be: an actor, as an app may be one.
///
/// Its responders are made, called and looked at in its own isolation; there is no lock.
actor SurfaceApp {
    private let root = Responder(size: Size(width: 320, height: 568))
    private let button = ControlResponder(
        frame: Rectangle(x: 60, y: 100, width: 200, height: 100))
    private let dispatcher: InteractionDispatcher
    private(set) var isOn = false
    private(set) var failure: SensorError?
    private(set) var runs = 0

    init() {
        root.add(button)
        dispatcher = InteractionDispatcher(root: root)
    }

    func run(
        touches: any Sensor<TouchEvent>, keys: (any Sensor<KeyEvent>)? = nil
    ) async {
        button.action = { [weak self] in self?.assumeIsolated { $0.isOn.toggle() } }
        do throws(SensorError) {
            try await dispatcher.run(touches: touches, keys: keys)
        } catch {
            failure = error
        }
        runs += 1
    }

    var statistics: InteractionStatistics { dispatcher.statistics }
    var isHighlighted: Bool { button.isHighlighted }
    var buttonPoint: TouchPoint { button.touchPoint }

    func removeButton() { button.remove() }
    func disableButton() { button.isEnabled = false }
}

/// An app on the main actor.
@MainActor
final class MainActorApp {
    private let button = ControlResponder(size: Size(width: 1, height: 1))
    private(set) var presses = 0

    func run(touches: any Sensor<TouchEvent>) async throws(SensorError) {
        button.action = { [unowned self] in
            MainActor.preconditionIsolated()
            presses += 1
        }
        try await InteractionDispatcher(root: button).run(touches: touches)
    }
}
