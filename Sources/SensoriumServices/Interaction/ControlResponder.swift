import Sensorium

/// Something to press, like a button: acts when a finger that came down on it is lifted on it.
///
/// A finger that slides off and is lifted elsewhere does nothing, nor does one that is cancelled.
open class ControlResponder: Responder {
    /// Whether it can be pressed; if not, it swallows touches, and nothing behind it gets them.
    public var isEnabled = true {
        didSet { if !isEnabled { stopTracking() } }
    }
    /// Whether a finger is on it that would activate it if it were lifted now.
    public private(set) var isHighlighted = false {
        didSet { if isHighlighted != oldValue { highlightChanged() } }
    }
    /// What it does when it is activated.
    public var action: (() -> Void)?
    /// Whether the finger that is down came down while it was enabled.
    private var isTracking = false

    private func stopTracking() {
        isTracking = false
        isHighlighted = false
    }

    /// Does what it is for; by default calls `action`.
    open func activate() { action?() }

    /// `isHighlighted` has changed; for what is drawn.
    open func highlightChanged() {}

    /// Lights up.
    open override func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
        isTracking = isEnabled
        isHighlighted = isTracking
    }

    /// Lights up while the finger is on it.
    open override func touchesMoved(_ touches: [Touch], with event: InteractionEvent) {
        isHighlighted = isTracking && touches.contains { $0.isInside }
    }

    /// Activates it if the finger is on it.
    open override func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
        let isPressed = isTracking && touches.contains { $0.isInside }
        stopTracking()
        if isPressed { activate() }
    }

    /// Goes out, and does nothing.
    open override func touchesCancelled(_ touches: [Touch], with event: InteractionEvent) {
        stopTracking()
    }
}
