/// What one finger or pen did on a touch surface.
///
/// ## Frame
/// `x` and `y` run from 0 (left, top) to 1 (right, bottom) of the surface as a user sees it, after
/// rotation and calibration.
public struct TouchEvent: SensorReading, Hashable {
    /// `.touch`.
    public static var kind: SensorKind { .touch }

    /// When it happened.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// What happened.
    public var phase: Phase
    /// Which touch: the same from `began` to `ended`, never used again in a session.
    public var touch: Int
    /// From the left edge, 0 to 1.
    public var x: Double
    /// From the top edge, 0 to 1.
    public var y: Double
    /// From the left edge in millimetres; nil where the surface does not know its size.
    public var xMillimetres: Double?
    /// From the top edge in millimetres; nil where the surface does not know its size.
    public var yMillimetres: Double?
    /// 0 to 1; nil where the surface does not measure it.
    public var pressure: Double?
    /// What touches.
    public var tool: Tool
    /// Whether this is the last event of the device's frame: events of one frame happened at once.
    public var endsFrame: Bool

    /// Makes an event.
    public init(
        time: ReadingTime, phase: Phase, touch: Int, x: Double, y: Double,
        xMillimetres: Double? = nil, yMillimetres: Double? = nil, pressure: Double? = nil,
        tool: Tool = .finger, endsFrame: Bool = true, flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.phase = phase
        self.touch = touch
        self.x = x
        self.y = y
        self.xMillimetres = xMillimetres
        self.yMillimetres = yMillimetres
        self.pressure = pressure
        self.tool = tool
        self.endsFrame = endsFrame
    }

    /// What a touch does.
    public enum Phase: UInt8, Sendable, Hashable, CaseIterable {
        /// It came down.
        case began = 0
        /// It moved.
        case moved = 1
        /// It was lifted.
        case ended = 2
        /// It turned out to be no touch (a palm), or its end was lost.
        case cancelled = 3
    }

    /// What touches.
    public enum Tool: UInt8, Sendable, Hashable, CaseIterable {
        /// A finger.
        case finger = 0
        /// A pen.
        case pen = 1
    }
}

/// A key or button went down, up, or repeats: a remote control, a headset, a keyboard.
public struct KeyEvent: SensorReading, Hashable {
    /// `.key`.
    public static var kind: SensorKind { .key }

    /// When it happened.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// The key's code.
    ///
    /// Source: linux/input-event-codes.h (`KEY_PLAYPAUSE` is 164).
    public var code: UInt16
    /// What the key did.
    public var phase: Phase

    /// Makes an event.
    public init(time: ReadingTime, code: UInt16, phase: Phase, flags: ReadingFlags = []) {
        self.time = time
        self.flags = flags
        self.code = code
        self.phase = phase
    }

    /// What a key does.
    public enum Phase: UInt8, Sendable, Hashable, CaseIterable {
        /// It went up.
        case released = 0
        /// It went down.
        case pressed = 1
        /// It is held.
        case repeated = 2
    }
}
