import Sensorium

/// What became of the touches and keys that a dispatcher was given.
public struct InteractionStatistics: Sendable, Hashable {
    /// Touches that a responder was told to have begun.
    public var began = 0
    /// Touches that ended.
    public var ended = 0
    /// Touches that ended as a tap.
    public var taps = 0
    /// Touches that were cancelled, by cause.
    public var cancelled: [Cause: Int] = [:]
    /// Touches that came down where no responder is.
    public var missed = 0
    /// Touches that came down on a responder that took none: it had one, or another had the surface
    /// for itself.
    public var withheld = 0
    /// Events that fit no touch, or whose place is not a number.
    public var ignored = 0
    /// Commands that a remote control gave.
    public var commands = 0
    /// Events of keys that are none of a remote control, or that were let go without being pressed.
    public var otherKeys = 0

    /// Makes statistics of nothing.
    public init() {}

    /// Why a touch was cancelled.
    public enum Cause: Sendable, Hashable, CaseIterable {
        /// The sensor says that it was none: a palm, or a touch whose end was lost.
        case sensor
        /// The sensor went away, ended, or lost its source.
        case disconnected
        /// Events were lost on the way, and its end may be among them.
        case eventsLost
        /// Its responder left the tree.
        case responderRemoved
        /// The app asked for it.
        case app
        /// The app stopped listening.
        case stopped
    }

    /// How many touches were cancelled.
    public var cancelledCount: Int { cancelled.values.reduce(0, +) }
}
