import Sensorium

/// Reads times as ISO 8601 and its relatives write them.
enum TimeText {
    /// A moment, and whether the text says how far local time is from UTC.
    struct Moment: Equatable {
        /// Since 1970; without a zone, as if it were UTC.
        var nanoseconds: Int64
        var hasZone: Bool
    }

    /// The moment that a text means: `2018-03-19T15:49:10.5-07:00`; nil where it means none.
    ///
    /// The zone is `Z`, `+01:00`, `+0100`, `+01` or nothing. A fraction of more than nine digits is
    /// cut. A leap second counts as the next second.
    static func moment(_ text: some Sequence<UInt8>) -> Moment? {
        var rest = Digits(text)
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), let date = CivilDate(year: year, month: month, day: day),
            rest.take("T") || rest.take("t") || rest.take(" "), let hour = rest.number(2),
            rest.take(":"), let minute = rest.number(2), hour < 24, minute < 60
        else { return nil }
        var second = 0
        var fraction: Int64 = 0
        if rest.take(":") {
            guard let given = rest.number(2), given <= 60 else { return nil }
            second = given
            if rest.take(".") || rest.take(",") {
                guard let given = rest.fraction() else { return nil }
                fraction = given
            }
        }
        guard let zone = rest.zone(), rest.isEmpty else { return nil }
        let minutes = hour * 60 + minute - (zone ?? 0)
        let inDay = Int64(minutes * 60 + second) * 1_000_000_000 + fraction
        let (start, overflow) = Int64(date.daysSince1970)
            .multipliedReportingOverflow(by: CivilDate.dayLength)
        let (sum, overflows) = start.addingReportingOverflow(inDay)
        return overflow || overflows ? nil : Moment(nanoseconds: sum, hasZone: zone != nil)
    }

    private struct Digits {
        private let bytes: [UInt8]
        private var place = 0

        init(_ text: some Sequence<UInt8>) {
            // No time is longer; what is longer does not end where it should.
            var bytes = Array(text.prefix(80))
            while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
            self.bytes = Array(bytes.drop(while: Self.isBlank))
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

        var isEmpty: Bool { place == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard place < bytes.count, UInt32(bytes[place]) == character.value else { return false }
            place += 1
            return true
        }

        private mutating func digit() -> Int? {
            guard place < bytes.count, bytes[place] &- 0x30 < 10 else { return nil }
            defer { place += 1 }
            return Int(bytes[place]) - 0x30
        }

        mutating func number(_ width: Int) -> Int? {
            var value = 0
            for _ in 0..<width {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Digits after the point as nanoseconds; nil where there is none.
        mutating func fraction() -> Int64? {
            guard let first = digit() else { return nil }
            var value = Int64(first)
            var count = 1
            while let digit = digit() {
                if count < 9 {
                    value = value * 10 + Int64(digit)
                    count += 1
                }
            }
            while count < 9 {
                value *= 10
                count += 1
            }
            return value
        }

        /// Minutes ahead of UTC, `.some(nil)` where no zone is given; nil where it makes no sense.
        mutating func zone() -> Int?? {
            if isEmpty { return .some(nil) }
            if take("Z") || take("z") { return 0 }
            let isAhead = take("+")
            guard isAhead || take("-"), let hours = number(2) else { return nil }
            let hasColon = take(":")
            var minutes = 0
            if hasColon || !isEmpty {
                guard let given = number(2) else { return nil }
                minutes = given
            }
            guard hours < 24, minutes < 60 else { return nil }
            return isAhead ? hours * 60 + minutes : -(hours * 60 + minutes)
        }
    }
}
