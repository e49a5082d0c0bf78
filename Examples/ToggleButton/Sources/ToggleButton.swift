import Sensorium
import SensoriumServices

/// A button that changes its colour when it is tapped.
///
/// The play key of a remote control does as a tap does; shaking the device turns it off.
final class ToggleButton: ControlResponder {
    enum Color: Sendable { case inactive, active }

    private(set) var isOn = false
    var color: Color { isOn ? .active : .inactive }
    var whenTurnedOn: (() -> Void)?
    private let canvas: any Canvas

    init(frame: Rectangle, canvas: any Canvas) {
        self.canvas = canvas
        super.init(frame: frame)
    }

    override func activate() {
        isOn.toggle()
        draw()
        if isOn { whenTurnedOn?() }
    }

    override func remoteControlReceived(_ event: RemoteControlEvent) {
        if event.command == .togglePlayPause { activate() }
    }

    override func motionEnded(_ motion: Motion, at instant: SensorInstant) {
        if isOn { activate() }
    }

    override func highlightChanged() { draw() }

    func draw() { canvas.fill(shareOfSurface, with: color, isHighlighted: isHighlighted) }
}
