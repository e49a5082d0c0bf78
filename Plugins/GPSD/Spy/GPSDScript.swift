public import Sensorium

/// What a scripted gpsd does, in order.
public enum GPSDStep: Sendable, Hashable {
    /// Sends a line; a line end is added.
    case line(String)
    /// Sends bytes as they are: half a line, or no line at all.
    case bytes([UInt8])
    /// Says nothing for a while.
    case pause(Duration)
    /// Closes the connection; the script goes on at the next one.
    case hangUp
    /// Refuses the next connections.
    case refuse(Int)
    /// Says nothing any more, and keeps the connection open.
    case stall
}

extension GPSDStep: ExpressibleByStringLiteral {
    /// Sends the line.
    public init(stringLiteral value: String) { self = .line(value) }
}

/// Lines that a gpsd says, for scripts.
public enum GPSDLine {
    /// What gpsd greets with.
    ///
    /// Source: gpsd 3.22.
    public static let version =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    /// The answer to `?WATCH`.
    public static let watch =
        #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#

    /// The receivers that gpsd has open.
    public static func devices(_ paths: String...) -> String {
        let list = paths.map {
            #"{"class":"DEVICE","path":"\#($0)","activated":"2026-01-01T00:00:00.000Z"}"#
        }
        return #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
    }

    /// A fix.
    ///
    /// Degrees, metres above mean sea level, m/s.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil leaves the time out.
    public static func position(
        latitude: Double, longitude: Double, altitude: Double? = nil, speed: Double? = nil,
        utc: Int64? = nil, device: String? = nil, mode: Int = 3
    ) -> String {
        var members = [#""class":"TPV""#]
        if let device { members.append(#""device":"\#(device)""#) }
        members.append(#""mode":\#(mode)"#)
        if let utc { members.append(#""time":"\#(stamp(utc))""#) }
        members.append(#""lat":\#(latitude),"lon":\#(longitude)"#)
        if let altitude { members.append(#""altMSL":\#(altitude)"#) }
        if let speed { members.append(#""speed":\#(speed)"#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The satellites in view.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil leaves the time out.
    public static func sky(
        _ satellites: [Satellite], utc: Int64? = nil, device: String? = nil
    ) -> String {
        let list = satellites.map { one in
            var members = [#""PRN":\#(one.number)"#]
            if let system = one.system {
                members.append(#""gnssid":\#(system.rawValue),"svid":\#(one.number)"#)
            }
            if let elevation = one.elevation { members.append(#""el":\#(elevation)"#) }
            if let azimuth = one.azimuth { members.append(#""az":\#(azimuth)"#) }
            if let signal = one.signal { members.append(#""ss":\#(signal)"#) }
            members.append(#""used":\#(one.isUsed)"#)
            return "{" + members.joined(separator: ",") + "}"
        }
        return #"{"class":"SKY"\#(common(utc, device)),"#
            + #""satellites":[\#(list.joined(separator: ","))]}"#
    }

    /// How a vehicle lies, in degrees: clockwise from true north, bow up, starboard side down.
    ///
    /// - Parameter utc: nanoseconds since 1970; nil leaves the time out.
    public static func attitude(
        heading: Double, pitch: Double? = nil, roll: Double? = nil, utc: Int64? = nil,
        device: String? = nil
    ) -> String {
        let pitch = pitch.map { #","pitch":\#($0)"# } ?? ""
        let roll = roll.map { #","roll":\#($0)"# } ?? ""
        return #"{"class":"ATT"\#(common(utc, device)),"heading":\#(heading)\#(pitch)\#(roll)}"#
    }

    private static func common(_ utc: Int64?, _ device: String?) -> String {
        let device = device.map { #","device":"\#($0)""# } ?? ""
        return device + (utc.map { #","time":"\#(stamp($0))""# } ?? "")
    }

    /// A receiver without a fix.
    public static let noFix = #"{"class":"TPV","mode":1}"#

    /// UTC as gpsd writes it, to the millisecond.
    static func stamp(_ utc: Int64) -> String {
        let seconds = utc / 1_000_000_000
        let (days, inDay) = (seconds / 86_400, seconds % 86_400)
        // Days since 0000-03-01, so that the leap day ends its year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let milliseconds = String(1000 + utc % 1_000_000_000 / 1_000_000).dropFirst()
        return "\(year)-\(two(civilMonth))-\(two(day))T\(two(inDay / 3600)):"
            + "\(two(inDay / 60 % 60)):\(two(inDay % 60)).\(milliseconds)Z"
    }
}
