import Sensorium

/// A place in the coordinates of a responder.
///
/// The unit is the app's: pixels, terminal cells, points. x runs to the right, y down.
public struct Point: Sendable, Hashable {
    /// To the right.
    public var x: Double
    /// Down.
    public var y: Double

    /// Makes a point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The left top corner of a responder's own coordinates.
    public static let zero = Point(x: 0, y: 0)
}

/// How wide and high something is, in the app's unit.
public struct Size: Sendable, Hashable {
    /// To the right.
    public var width: Double
    /// Down.
    public var height: Double

    /// Makes a size; sides below 0, and what is not a number, count as 0.
    public init(width: Double, height: Double) {
        self.width = width > 0 ? width : 0
        self.height = height > 0 ? height : 0
    }
}

/// A rectangle in the app's unit, with its left top corner and its size.
public struct Rectangle: Sendable, Hashable {
    /// The left top corner.
    public var origin: Point
    /// The size.
    public var size: Size

    /// Makes a rectangle.
    public init(origin: Point, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// Makes a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        origin = Point(x: x, y: y)
        size = Size(width: width, height: height)
    }

    /// The middle.
    public var center: Point {
        Point(x: origin.x + size.width / 2, y: origin.y + size.height / 2)
    }

    /// Whether the point lies in it: left and top edge do, right and bottom edge do not.
    public func contains(_ point: Point) -> Bool {
        point.x >= origin.x && point.x < origin.x + size.width
            && point.y >= origin.y && point.y < origin.y + size.height
    }
}

extension Size {
    /// Where on a surface of this size `point` is.
    ///
    /// The far edges belong to the last place on the surface, so that a finger on the very edge
    /// still hits what is drawn there.
    func place(_ point: TouchPoint) -> Point {
        Point(x: Self.place(point.x, width), y: Self.place(point.y, height))
    }

    private static func place(_ share: Double, _ side: Double) -> Double {
        let inside = side * (1 - 1e-12)
        return min(max(0, share) * side, inside)
    }

    /// The share of each side at which `point` is.
    func share(_ point: Point) -> TouchPoint {
        TouchPoint(
            x: width > 0 ? point.x / width : 0.5, y: height > 0 ? point.y / height : 0.5)
    }
}
