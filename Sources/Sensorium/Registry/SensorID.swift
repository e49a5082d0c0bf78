/// Names one sensor of this machine: `gpsd/location`, `iio/accel-display/acceleration`.
///
/// The part before the first `/` is the plugin's id. An id is stable over restarts and replugging
/// where the device allows it.
public struct SensorID: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    /// The whole id.
    public var rawValue: String

    /// Makes an id.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes an id of a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The order of the text.
    public static func < (a: SensorID, b: SensorID) -> Bool { a.rawValue < b.rawValue }
}

extension SensorID: CustomStringConvertible {
    /// The whole id.
    public var description: String { rawValue }
}
