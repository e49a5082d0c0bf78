import Sensorium

/// Brings what users do to the responders that it is meant for.
///
/// A touch goes to the responder that is hit where it comes down, and stays with it until its end,
/// wherever the finger goes. Movements of the device and the keys of a remote control go to the
/// first responder. What one does not handle goes on to the next.
///
/// ```swift
/// let window = Responder(size: Size(width: 320, height: 568))
/// window.add(button)
/// let dispatcher = InteractionDispatcher(root: window)
/// try await dispatcher.run(touches: screen, keys: remote)
/// ```
///
/// ## Isolation
/// It is not sendable: `run` works in the isolation of its caller, and calls the responders there.
/// In an app that is the main actor, or an actor of the app's own; in a test too, or the test's task.
///
/// ## What it takes care of
/// - Events of one frame of the device come in one call, with all the touches of a responder.
/// - In a frame, moves come first, then ends, then cancellations, then beginnings.
/// - Every touch that began at a responder ends there or is cancelled, whatever becomes of the
///   sensor, the responder, or the app's wish to listen.
/// - A touch that is not told of is counted: see `statistics`.
public final class InteractionDispatcher {
    /// The top of the tree; its size is that of the surface, in the app's unit.
    public let root: Responder
    /// Who gets movements and remote control; the root while it is nil.
    public weak var firstResponder: Responder?
    /// What a tap is.
    public var tapLimits: TapLimits {
        get { taps.limits }
        set { taps.limits = newValue }
    }
    /// What became of the touches and keys so far.
    public internal(set) var statistics = InteractionStatistics()

    /// A finger on one of the surfaces.
    struct Finger {
        var source: Int
        var id: Int
        /// Nil where no responder took it.
        var touch: Touch?
    }

    /// Who was told of a movement that has not ended.
    struct MotionUnderWay {
        var motion: Motion
        var source: Int
        var start: SensorInstant
        weak var receiver: Responder?
    }

    var fingers: [Finger] = []
    var taps = TapCounter()
    var assemblers: [Int: FrameAssembler] = [:]
    var heldKeys: [(source: Int, key: RemoteKey, time: ReadingTime)] = []
    var motions: [MotionUnderWay] = []
    private var sourceCount = 0

    /// Makes a dispatcher for the tree of `root`; a tree has one at most.
    public init(root: Responder) {
        precondition(root.parent == nil, "the root of a dispatcher has no parent")
        precondition(root.host == nil, "a tree has one dispatcher")
        self.root = root
        root.host = self
    }

    /// The touches that responders have at the moment, oldest first.
    public var touches: [Touch] { fingers.compactMap(\.touch) }

    // MARK: Giving it events

    /// The source of the events that a caller gives it by hand.
    static var byHand: Int { 0 }

    func makeSource() -> Int {
        sourceCount += 1
        return sourceCount
    }

    /// Dispatches touches that the caller read itself, in their order.
    ///
    /// An incomplete frame waits for its end.
    public func dispatch(_ events: [TouchEvent]) {
        for event in events { dispatch(event, from: Self.byHand) }
    }

    /// Dispatches a key that the caller read itself.
    public func dispatch(_ key: KeyEvent) { dispatch(key, from: Self.byHand) }

    /// Cancels every touch: the app shows something else, or takes the surface for itself.
    ///
    /// Fingers that are down do nothing more until they are lifted.
    public func cancelTouches() { cancel(.app) { _ in true } }

    /// Tells the first responder that a movement begins.
    public func motionBegan(_ motion: Motion, at instant: SensorInstant) {
        motionBegan(motion, at: instant, from: Self.byHand)
    }

    /// Tells whoever was told of its beginning that a movement is over.
    public func motionEnded(_ motion: Motion, at instant: SensorInstant) {
        motionEnded(motion, at: instant, from: Self.byHand)
    }

    /// Tells whoever was told of its beginning that a movement was none.
    public func motionCancelled(_ motion: Motion, at instant: SensorInstant) {
        motionCancelled(motion, at: instant, from: Self.byHand)
    }

    // MARK: Removal

    /// `part` is about to leave the tree.
    func willLeave(_ part: Responder) {
        cancel(.responderRemoved) { $0.touch?.responder.isPart(of: part) ?? false }
        cancelMotions { $0.receiver?.isPart(of: part) ?? false }
        if let first = firstResponder, first.isPart(of: part) { firstResponder = nil }
    }
}

@available(*, unavailable)
extension InteractionDispatcher: Sendable {}
