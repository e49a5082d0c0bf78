/// A moment of UTC as ISO 8601 writes it: `2026-07-01T12:00:00.25Z`.
package struct Timestamp: CustomStringConvertible {
    /// Since 1970, leap seconds left out.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The date, the time, as many digits of the fraction as it has, and `Z`.
    package var description: String {
        let (date, inDay) = CivilDate.split(nanoseconds)
        let (second, fraction) = (inDay / 1_000_000_000, inDay % 1_000_000_000)
        let time =
            "\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2))"
            + ":\(Self.padded(second % 60, 2))"
        if fraction == 0 { return "\(date)T\(time)Z" }
        var digits = Self.padded(fraction, 9)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(date)T\(time).\(digits)Z"
    }

    /// A number with zeros before it.
    package static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
