import Sensorium

/// What a touch may do and still be a tap, and what two taps may do and still be a double tap.
public struct TapLimits: Sendable, Hashable {
    /// How long a tap may take.
    public var duration: Duration
    /// How long the finger may be away between two taps.
    public var pause: Duration
    /// How far a finger may move, and how far the next tap may be, as a share of the surface's sides.
    ///
    /// A share and not a length, since many surfaces do not know their size.
    public var distance: Double

    /// Makes limits.
    public init(
        duration: Duration = .milliseconds(500), pause: Duration = .milliseconds(350),
        distance: Double = 0.05
    ) {
        self.duration = duration
        self.pause = pause
        self.distance = distance
    }

    /// 500 ms a tap, 350 ms between two, a twentieth of the surface.
    public static let `default` = TapLimits()
}

/// Counts the taps at one place.
struct TapCounter {
    private struct Tap {
        var end: SensorInstant
        var point: TouchPoint
        var count: Int
        weak var responder: Responder?
    }

    var limits = TapLimits.default
    private var taps: [Tap] = []

    /// The count that a touch begins with: one more than that of the tap before it.
    mutating func count(_ event: TouchEvent, on responder: Responder) -> Int {
        taps.removeAll { $0.end.duration(to: event.instant) > limits.pause }
        let before = taps.firstIndex { tap in
            tap.responder === responder
                && tap.point.distance(to: event.point) <= limits.distance
        }
        guard let before else { return 1 }
        return taps.remove(at: before).count + 1
    }

    /// Whether a touch that was at `event` is still a tap.
    func isTap(_ touch: Touch, at event: TouchEvent) -> Bool {
        touch.tapCount > 0 && touch.startPoint.distance(to: event.point) <= limits.distance
            && touch.start.duration(to: event.instant) <= limits.duration
    }

    /// Remembers a touch that ended as a tap.
    mutating func remember(_ touch: Touch) {
        taps.append(
            Tap(
                end: touch.time.instant, point: touch.startPoint, count: touch.tapCount,
                responder: touch.responder))
    }
}
