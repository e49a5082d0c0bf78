/// How a device is held, judged by which of its sides points up.
///
/// ## Frame
/// The device frame: x to the right, y up, z out of the screen, as the device's maker means it.
public enum DeviceOrientation: Sendable, Hashable, CaseIterable {
    /// Upright: the top edge is up.
    case portrait
    /// On its head: the bottom edge is up.
    case portraitUpsideDown
    /// Turned a quarter to the left: the right edge is up.
    case landscapeLeft
    /// Turned a quarter to the right: the left edge is up.
    case landscapeRight
    /// Lying on its back: the screen is up.
    case faceUp
    /// Lying on its screen: the back is up.
    case faceDown
}

extension DeviceOrientation: CustomStringConvertible {
    /// The name that JSON lines use: `portrait`, `landscape-left`, `face-up`.
    public var description: String {
        switch self {
        case .portrait: "portrait"
        case .portraitUpsideDown: "portrait-upside-down"
        case .landscapeLeft: "landscape-left"
        case .landscapeRight: "landscape-right"
        case .faceUp: "face-up"
        case .faceDown: "face-down"
        }
    }
}

extension DeviceOrientation {
    /// Which way is up, as a unit vector in the device frame: what an accelerometer at rest reads,
    /// divided by gravity.
    public var up: (x: Double, y: Double, z: Double) {
        switch self {
        case .portrait: (0, 1, 0)
        case .portraitUpsideDown: (0, -1, 0)
        case .landscapeLeft: (1, 0, 0)
        case .landscapeRight: (-1, 0, 0)
        case .faceUp: (0, 0, 1)
        case .faceDown: (0, 0, -1)
        }
    }
}
