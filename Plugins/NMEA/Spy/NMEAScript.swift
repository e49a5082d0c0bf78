import NMEAPlugin
public import Sensorium

/// What a scripted receiver does, in order.
public enum NMEAStep: Sendable, Hashable {
    /// Sends a sentence, or several lines; a line end is added.
    case line(String)
    /// Sends bytes as they are: half a sentence, or none at all.
    case bytes([UInt8])
    /// Says nothing for a while.
    case pause(Duration)
    /// Breaks the line, as pulling the plug does; the script goes on when it is opened again.
    case hangUp
    /// Lets opening fail so many times.
    case refuse(Int)
    /// Says nothing any more, and keeps the line open.
    case stall
}

extension NMEAStep: ExpressibleByStringLiteral {
    /// Sends the line.
    public init(stringLiteral value: String) { self = .line(value) }
}

/// Sentences that a receiver says, for scripts.
public enum NMEALine {
    /// A sentence around `body`, with its checksum: `GPGLL,...`.
    public static func sentence(_ body: String) -> String { NMEAEncoder.sentence(body) }

    /// The sentences of a fix, a line each.
    ///
    /// Degrees, metres above mean sea level, m/s.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil leaves the time out.
    public static func position(
        latitude: Double, longitude: Double, altitude: Double? = nil, speed: Double? = nil,
        utc: Int64? = nil
    ) -> String {
        let time = ReadingTime(SensorInstant(nanoseconds: 1))
        let fix = LocationFix(
            time: time, latitude: latitude, longitude: longitude, altitudeMSL: altitude,
            speed: speed, fix: altitude == nil ? .twoDimensional : .threeDimensional)
        return NMEAEncoder().sentences(for: fix, utc: utc).joined(separator: "\r\n")
    }

    /// The sentences of the satellites in view, a line each.
    public static func sky(_ satellites: [Satellite]) -> String {
        let time = ReadingTime(SensorInstant(nanoseconds: 1))
        return NMEAEncoder().sentences(for: Satellites(time: time, inView: satellites))
            .joined(separator: "\r\n")
    }

    /// The sentence of a heading from true north, in degrees.
    public static func heading(_ degrees: Double) -> String {
        sentence("HEHDT,\(degrees),T")
    }

    /// That there is no fix.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil leaves the time out.
    public static func noFix(utc: Int64? = nil) -> String { NMEAEncoder().noFix(utc: utc) }
}
