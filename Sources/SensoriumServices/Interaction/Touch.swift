import Sensorium

/// One finger or pen on the surface, from the moment it comes down until it is gone.
///
/// The same object from `touchesBegan` to `touchesEnded` or `touchesCancelled`: a responder may keep
/// it and compare it by identity. It belongs to the isolation of its dispatcher.
public final class Touch {
    /// The responder that was hit when the touch began, and that it belongs to until its end.
    public let responder: Responder
    /// What touches.
    public let tool: TouchEvent.Tool
    /// When it came down.
    public let start: SensorInstant
    /// What it did last.
    public internal(set) var phase = TouchEvent.Phase.began
    /// When it did that.
    public internal(set) var time: ReadingTime
    /// How often the finger has tapped here in a row, this touch included.
    ///
    /// 0 for a touch that is no tap, or no longer one: it went too far, or stayed too long.
    public internal(set) var tapCount: Int
    /// 0 to 1; nil where the surface does not measure it.
    public internal(set) var pressure: Double?
    /// Where it is, in the coordinates of the root responder.
    public internal(set) var rootLocation: Point
    /// Where it was before it moved last, in the coordinates of the root responder.
    public internal(set) var previousRootLocation: Point
    /// Where it began, on the surface.
    let startPoint: TouchPoint
    /// Whether its responder was told of it.
    var hasBegun = false

    init(_ event: TouchEvent, on responder: Responder, at location: Point, tapCount: Int) {
        self.responder = responder
        tool = event.tool
        start = event.instant
        time = event.time
        pressure = event.pressure
        startPoint = event.point
        rootLocation = location
        previousRootLocation = location
        self.tapCount = tapCount
    }

    /// Where it is, in the coordinates of `other`; of its own responder where none is named.
    public func location(in other: Responder? = nil) -> Point {
        (other ?? responder).convert(fromRoot: rootLocation)
    }

    /// Where it was before it moved last, in the coordinates of `other`.
    public func previousLocation(in other: Responder? = nil) -> Point {
        (other ?? responder).convert(fromRoot: previousRootLocation)
    }

    /// Whether it is inside its responder now.
    public var isInside: Bool { responder.contains(location()) }
}

extension Touch: Hashable {
    /// Whether the two are one and the same touch.
    public static func == (a: Touch, b: Touch) -> Bool { a === b }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@available(*, unavailable)
extension Touch: Sendable {}

/// What a surface reports at one moment.
public struct InteractionEvent {
    /// When.
    public var time: ReadingTime
    /// Every touch that responders have at the moment, oldest first: also those that this event is
    /// not about, and those that just ended.
    public var touches: [Touch]

    /// The touches that belong to `responder`.
    public func touches(of responder: Responder) -> [Touch] {
        touches.filter { $0.responder === responder }
    }
}

@available(*, unavailable)
extension InteractionEvent: Sendable {}

/// A movement of the whole device.
public enum Motion: Sendable, Hashable, CaseIterable {
    /// It was shaken.
    case shake
}
