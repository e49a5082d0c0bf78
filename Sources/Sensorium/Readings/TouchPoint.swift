/// A place on a touch surface, whatever its size.
///
/// ## Frame
/// From 0 (left, top) to 1 (right, bottom) of the surface as a user sees it, as in `TouchEvent`.
public struct TouchPoint: Sendable, Hashable {
    /// From the left edge, 0 to 1.
    public var x: Double
    /// From the top edge, 0 to 1.
    public var y: Double

    /// Makes a point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The middle of the surface.
    public static let center = TouchPoint(x: 0.5, y: 0.5)

    /// How far it is to `other`, as a share of the surface's sides.
    public func distance(to other: TouchPoint) -> Double {
        let (dx, dy) = (other.x - x, other.y - y)
        return (dx * dx + dy * dy).squareRoot()
    }
}

extension TouchPoint: CustomStringConvertible {
    /// `(0.5, 0.25)`.
    public var description: String { "(\(x), \(y))" }
}

extension TouchEvent {
    /// Where the touch is.
    public var point: TouchPoint { TouchPoint(x: x, y: y) }
}
