import Sensorium

/// What a user wants who uses a remote control, a headset or a media key.
public struct RemoteControlEvent: Sendable, Hashable {
    /// When the key was used.
    public var time: ReadingTime
    /// What is wanted.
    public var command: Command
    /// Whether the key is held and asks again: only `volumeUp` and `volumeDown` do.
    public var isRepeat: Bool

    /// Makes an event.
    public init(time: ReadingTime, command: Command, isRepeat: Bool = false) {
        self.time = time
        self.command = command
        self.isRepeat = isRepeat
    }

    /// What can be wanted.
    public enum Command: Sendable, Hashable, CaseIterable {
        /// Begin to play.
        case play
        /// Pause.
        case pause
        /// Stop.
        case stop
        /// Play where it pauses, pause where it plays.
        case togglePlayPause
        /// Go on to the next.
        case nextTrack
        /// Go back to the one before.
        case previousTrack
        /// Go forward fast, until `endSeekingForward`.
        case beginSeekingForward
        /// The key of `beginSeekingForward` was let go, or was lost.
        case endSeekingForward
        /// Go back fast, until `endSeekingBackward`.
        case beginSeekingBackward
        /// The key of `beginSeekingBackward` was let go, or was lost.
        case endSeekingBackward
        /// Louder.
        case volumeUp
        /// Quieter.
        case volumeDown
        /// Silent, or no longer.
        case toggleMute
    }
}

extension RemoteKey {
    /// What pressing it means.
    var pressed: RemoteControlEvent.Command {
        switch self {
        case .play, .playDisc: .play
        case .pauseDisc: .pause
        case .stop: .stop
        case .playPause, .headsetButton: .togglePlayPause
        case .nextTrack: .nextTrack
        case .previousTrack: .previousTrack
        case .fastForward: .beginSeekingForward
        case .rewind: .beginSeekingBackward
        case .volumeUp: .volumeUp
        case .volumeDown: .volumeDown
        case .mute: .toggleMute
        }
    }

    /// What letting it go means; nil for nothing.
    var released: RemoteControlEvent.Command? {
        switch self {
        case .fastForward: .endSeekingForward
        case .rewind: .endSeekingBackward
        default: nil
        }
    }

    /// Whether holding it asks again and again.
    var repeats: Bool { self == .volumeUp || self == .volumeDown }
}
