import Sensorium
import SensoriumServices

/// A window with the button in its upper half.
///
/// It does not know which screen it is touched on, nor what it is drawn on.
actor ToggleApp {
    private let button: ToggleButton
    private let dispatcher: InteractionDispatcher

    init(canvas: any Canvas, location: LocationPresenter? = nil) {
        let window = Responder(size: Size(width: 320, height: 568))
        button = ToggleButton(
            frame: Rectangle(x: 60, y: 92, width: 200, height: 100), canvas: canvas)
        window.add(button)
        dispatcher = InteractionDispatcher(root: window)
        dispatcher.firstResponder = button
        button.whenTurnedOn = { location?.showLocation() }
    }

    /// Lets the user act until the screen goes away, or the task is cancelled.
    func run(
        touches: any Sensor<TouchEvent>, keys: (any Sensor<KeyEvent>)? = nil,
        accelerations: (any Sensor<Acceleration>)? = nil
    ) async throws(SensorError) {
        button.draw()
        try await dispatcher.run(touches: touches, keys: keys, accelerations: accelerations)
    }

    var color: ToggleButton.Color { button.color }
    var buttonPoint: TouchPoint { button.touchPoint }
}
