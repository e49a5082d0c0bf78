import Glibc
import Sensorium

/// What some fingers do on a surface.
///
/// Times count from the beginning of the gesture. A path is asked for the place at each progress
/// from 0 to 1; places beyond the edges are moved to the edge.
public struct TouchGesture: Sendable {
    /// The way of one finger, from the moment at which it comes down.
    public struct Finger: Sendable {
        /// When it comes down.
        public var start: Duration
        /// How long it stays.
        public var duration: Duration
        /// How its touch ends: `.ended`, or `.cancelled` for a palm.
        public var ending: TouchEvent.Phase
        /// Where it is.
        public var path: @Sendable (Double) -> TouchPoint

        /// Makes a finger that goes along `path`.
        public init(
            start: Duration = .zero, duration: Duration, ending: TouchEvent.Phase = .ended,
            path: @escaping @Sendable (Double) -> TouchPoint
        ) {
            self.start = start
            self.duration = duration
            self.ending = ending
            self.path = path
        }

        /// Makes a finger that goes straight and evenly from one point to another.
        public init(
            start: Duration = .zero, duration: Duration, ending: TouchEvent.Phase = .ended,
            from: TouchPoint, to: TouchPoint
        ) {
            self.init(start: start, duration: duration, ending: ending) { progress in
                TouchPoint(
                    x: from.x + (to.x - from.x) * progress, y: from.y + (to.y - from.y) * progress)
            }
        }

        /// Where it is after `time` of the gesture; nil before it comes down.
        func point(after time: Duration) -> TouchPoint? {
            if time < start { return nil }
            let progress = duration > .zero ? min(1, (time - start) / duration) : 1
            let point = path(progress)
            return TouchPoint(x: min(max(0, point.x), 1), y: min(max(0, point.y), 1))
        }

        /// When it is lifted.
        var end: Duration { start + duration }
    }

    /// The fingers, in the order in which they come down.
    public var fingers: [Finger]

    /// Makes a gesture.
    public init(_ fingers: [Finger]) { self.fingers = fingers }

    /// The gesture with `others` beside its own fingers.
    public func with(_ others: TouchGesture) -> TouchGesture {
        TouchGesture(fingers + others.fingers)
    }

    /// The gesture, `delay` later.
    public func after(_ delay: Duration) -> TouchGesture {
        TouchGesture(
            fingers.map { finger in
                var later = finger
                later.start += delay
                return later
            })
    }
}

extension TouchGesture {
    /// How far apart the fingers of one hand come down, as a share of the surface's width.
    private static var fingerSpacing: Double { 0.08 }

    /// `count` places beside each other, around `point`.
    private static func places(_ count: Int, around point: TouchPoint) -> [TouchPoint] {
        (0..<max(1, count)).map { index in
            let offset = (Double(index) - Double(max(1, count) - 1) / 2) * fingerSpacing
            return TouchPoint(x: point.x + offset, y: point.y)
        }
    }

    /// Fingers come down, stay, and are lifted.
    public static func tap(
        at point: TouchPoint, fingers: Int = 1, for duration: Duration = .milliseconds(60)
    ) -> TouchGesture {
        swipe(from: point, to: point, over: duration, fingers: fingers)
    }

    /// Fingers go from one place to another.
    public static func swipe(
        from: TouchPoint, to: TouchPoint, over duration: Duration = .milliseconds(250),
        fingers: Int = 1
    ) -> TouchGesture {
        let starts = places(fingers, around: from)
        let ends = places(fingers, around: to)
        return TouchGesture(
            zip(starts, ends).map { Finger(duration: duration, from: $0, to: $1) })
    }

    /// Two fingers beside each other change their distance: apart where `to` is more than `from`.
    ///
    /// - Parameters:
    ///   - from: the distance at the beginning, as a share of the surface's width.
    ///   - to: the distance at the end.
    public static func pinch(
        at center: TouchPoint, from: Double, to: Double,
        over duration: Duration = .milliseconds(400)
    ) -> TouchGesture {
        TouchGesture(
            [-0.5, 0.5].map { side in
                Finger(
                    duration: duration,
                    from: TouchPoint(x: center.x + side * from, y: center.y),
                    to: TouchPoint(x: center.x + side * to, y: center.y))
            })
    }

    /// Two fingers turn around the point between them.
    ///
    /// - Parameters:
    ///   - degrees: clockwise as the user sees it.
    ///   - radius: of the circle, as a share of the surface's sides.
    public static func rotate(
        around center: TouchPoint, by degrees: Double, radius: Double = 0.2,
        over duration: Duration = .milliseconds(600)
    ) -> TouchGesture {
        TouchGesture(
            [Double.pi, 0].map { phase in
                Finger(duration: duration) { progress in
                    let angle = phase + degrees / 180 * .pi * progress
                    return TouchPoint(
                        x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
                }
            })
    }

    /// A palm comes to rest, slides a little, and is then known to be no finger.
    public static func palm(
        at point: TouchPoint, for duration: Duration = .milliseconds(120)
    ) -> TouchGesture {
        TouchGesture([
            Finger(
                duration: duration, ending: .cancelled, from: point,
                to: TouchPoint(x: point.x, y: point.y + 0.01))
        ])
    }
}
