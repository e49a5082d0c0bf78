/// A key with which one controls the playing of music and films from afar.
///
/// Source of the raw values: linux/input-event-codes.h.
public enum RemoteKey: UInt16, Sendable, Hashable, CaseIterable {
    /// `KEY_MUTE`.
    case mute = 113
    /// `KEY_VOLUMEDOWN`.
    case volumeDown = 114
    /// `KEY_VOLUMEUP`.
    case volumeUp = 115
    /// `KEY_NEXTSONG`.
    case nextTrack = 163
    /// `KEY_PLAYPAUSE`.
    case playPause = 164
    /// `KEY_PREVIOUSSONG`.
    case previousTrack = 165
    /// `KEY_STOPCD`.
    case stop = 166
    /// `KEY_REWIND`.
    case rewind = 168
    /// `KEY_PLAYCD`.
    case playDisc = 200
    /// `KEY_PAUSECD`.
    case pauseDisc = 201
    /// `KEY_PLAY`.
    case play = 207
    /// `KEY_FASTFORWARD`.
    case fastForward = 208
    /// `KEY_MEDIA`: the button of a headset.
    case headsetButton = 226
}

extension KeyEvent {
    /// The key, where it is one of a remote control; else nil.
    public var remoteKey: RemoteKey? { RemoteKey(rawValue: code) }

    /// Makes an event of a remote control's key.
    public init(time: ReadingTime, key: RemoteKey, phase: Phase, flags: ReadingFlags = []) {
        self.init(time: time, code: key.rawValue, phase: phase, flags: flags)
    }
}
