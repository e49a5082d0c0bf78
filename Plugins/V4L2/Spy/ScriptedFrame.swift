/// What a scripted camera puts into a buffer.
public struct ScriptedFrame: Sendable {
    /// The bytes; nil for a picture of the camera's own, which begins with its number.
    public var bytes: [UInt8]?
    /// How many bytes the driver says there are; nil for as many as there are.
    public var bytesUsed: Int?
    /// Where the driver says that the frame begins.
    public var dataOffset = 0
    /// Whether the driver flags it as damaged.
    public var isDamaged = false
    /// The number that the driver gives it; nil for the next one.
    public var sequence: UInt32?
    /// The stamp that the driver gives it, in nanoseconds of CLOCK_MONOTONIC; nil for the right one.
    public var stamp: Int64?
    /// The buffer that the driver says it is in; nil for the right one.
    public var buffer: Int?

    /// A picture of the camera's own.
    public static let picture = ScriptedFrame()
    /// A frame without a byte.
    public static let empty = ScriptedFrame(bytes: [])
    /// A picture that the driver flags as damaged.
    public static var damaged: ScriptedFrame {
        var frame = ScriptedFrame()
        frame.isDamaged = true
        return frame
    }

    /// Makes a frame.
    public init(bytes: [UInt8]? = nil) { self.bytes = bytes }

    /// Those bytes.
    public static func bytes(_ bytes: [UInt8]) -> ScriptedFrame { ScriptedFrame(bytes: bytes) }

    /// A picture of the camera's own, of which the end is missing.
    public static func cut(to length: Int) -> ScriptedFrame {
        var frame = ScriptedFrame()
        frame.bytesUsed = length
        return frame
    }

    /// A picture with that number.
    public static func numbered(_ sequence: UInt32) -> ScriptedFrame {
        var frame = ScriptedFrame()
        frame.sequence = sequence
        return frame
    }
}
