import Sensorium

/// A part of a surface that takes what users do to it: a window, a view, a button.
///
/// Responders form a tree. A touch belongs to the deepest one at the place where it came down, the
/// front one where several lie there: the last child is in front. What a responder does not override
/// goes on to `next`, which is its parent, and so up to the root; an override that does not call
/// `super` has handled it.
///
/// ## Isolation
/// A responder has no lock and is not sendable: it belongs to the isolation that made it, the main
/// actor in most apps, and its dispatcher runs and calls it there.
open class Responder {
    /// Where it lies, in the coordinates of its parent.
    ///
    /// The size of the root is that of the surface; where the root lies does not matter.
    public var frame: Rectangle
    /// Whether it and its children are not there for touches.
    public var isHidden = false
    /// Whether it and its children take touches; what lies behind them gets them if not.
    public var takesTouches = true
    /// Whether it takes a further touch while it has one.
    public var takesSeveralTouches = false
    /// Whether it takes touches only while no other responder has one, and keeps them from others
    /// while it has one.
    public var isExclusive = false
    /// Its parts, from the back to the front.
    public private(set) var children: [Responder] = []
    /// What it is a part of; nil for a root.
    public private(set) weak var parent: Responder?
    /// What must know of removals: set on the root by its dispatcher.
    weak var host: InteractionDispatcher?

    /// Makes a responder that lies at `frame` in its parent.
    public init(frame: Rectangle) { self.frame = frame }

    /// Makes a root for a surface of `size`.
    public convenience init(size: Size) {
        self.init(frame: Rectangle(origin: .zero, size: size))
    }

    /// Who gets what it does not handle: the parent, unless a subclass says otherwise.
    open var next: Responder? { parent }

    // MARK: Hit testing

    /// Whether `point`, in its own coordinates, is on it.
    open func contains(_ point: Point) -> Bool {
        Rectangle(origin: .zero, size: frame.size).contains(point)
    }

    /// The responder that a touch at `point`, in its own coordinates, belongs to; nil for none.
    ///
    /// Children outside of their parent are not found there.
    open func hitTest(_ point: Point) -> Responder? {
        guard !isHidden, takesTouches, contains(point) else { return nil }
        for child in children.reversed() {
            if let hit = child.hitTest(child.convert(fromParent: point)) { return hit }
        }
        return self
    }

    // MARK: What users do

    /// Touches came down on it.
    open func touchesBegan(_ touches: [Touch], with event: InteractionEvent) {
        next?.touchesBegan(touches, with: event)
    }

    /// Its touches moved, to wherever on the surface.
    open func touchesMoved(_ touches: [Touch], with event: InteractionEvent) {
        next?.touchesMoved(touches, with: event)
    }

    /// Its touches were lifted.
    open func touchesEnded(_ touches: [Touch], with event: InteractionEvent) {
        next?.touchesEnded(touches, with: event)
    }

    /// Its touches are void: they were a palm, the surface went away, or it left the tree.
    ///
    /// Undo what they began, and do nothing that they would have done at their end.
    open func touchesCancelled(_ touches: [Touch], with event: InteractionEvent) {
        next?.touchesCancelled(touches, with: event)
    }

    /// The device begins to be moved, while it is the first responder.
    open func motionBegan(_ motion: Motion, at instant: SensorInstant) {
        next?.motionBegan(motion, at: instant)
    }

    /// The movement is over: now is the time to act on it.
    open func motionEnded(_ motion: Motion, at instant: SensorInstant) {
        next?.motionEnded(motion, at: instant)
    }

    /// The movement was none, or its end cannot be known.
    open func motionCancelled(_ motion: Motion, at instant: SensorInstant) {
        next?.motionCancelled(motion, at: instant)
    }

    /// A key of a remote control was used, while it is the first responder.
    open func remoteControlReceived(_ event: RemoteControlEvent) {
        next?.remoteControlReceived(event)
    }

    // MARK: Coordinates

    /// A point of its parent's coordinates in its own; for parts that scroll, turn or scale.
    open func convert(fromParent point: Point) -> Point {
        Point(x: point.x - frame.origin.x, y: point.y - frame.origin.y)
    }

    /// A point of its own coordinates in its parent's: the inverse of the above.
    open func convert(toParent point: Point) -> Point {
        Point(x: point.x + frame.origin.x, y: point.y + frame.origin.y)
    }

    // MARK: The tree

    /// Puts `child` in front of the other children, taking it from where it was.
    public func add(_ child: Responder) { insert(child, at: children.endIndex) }

    /// Puts `child` in front of the `index` rearmost children, taking it from where it was.
    public func insert(_ child: Responder, at index: Int) {
        precondition(!isPart(of: child), "a responder cannot be a part of itself")
        precondition(child.host == nil, "the root of a dispatcher cannot be a part of another tree")
        child.remove()
        children.insert(child, at: max(0, min(index, children.count)))
        child.parent = self
    }

    /// Takes it out of the tree: its touches, and those of its parts, are cancelled first.
    public func remove() {
        guard let parent else { return }
        root.host?.willLeave(self)
        parent.children.removeAll { $0 === self }
        self.parent = nil
    }
}

extension Responder {
    /// The top of its tree: itself, if it has no parent.
    public var root: Responder {
        var top = self
        while let parent = top.parent { top = parent }
        return top
    }

    /// Whether it is `other`, or below it in the tree.
    public func isPart(of other: Responder) -> Bool {
        var place: Responder? = self
        while let here = place {
            if here === other { return true }
            place = here.parent
        }
        return false
    }

    /// A point of the root's coordinates in its own.
    public func convert(fromRoot point: Point) -> Point {
        guard let parent else { return point }
        return convert(fromParent: parent.convert(fromRoot: point))
    }

    /// A point of its own coordinates in the root's.
    public func convert(toRoot point: Point) -> Point {
        guard let parent else { return point }
        return parent.convert(toRoot: convert(toParent: point))
    }

    /// Where on the surface its middle is: the place at which a test, or a user, taps it.
    public var touchPoint: TouchPoint {
        let middle = Point(x: frame.size.width / 2, y: frame.size.height / 2)
        return root.frame.size.share(convert(toRoot: middle))
    }
}

@available(*, unavailable)
extension Responder: Sendable {}
