import Sensorium

/// Satellites by constellation and number, a bit for each.
struct SatelliteSet {
    /// A row of 1024 numbers for each constellation, and one for none.
    private var bits = InlineArray<144, UInt64>(repeating: 0)

    /// Adds a satellite whose number is below 1024; false where it was there.
    @inline(__always)
    mutating func insert(_ satellite: Satellite) -> Bool {
        let (word, bit) = Self.place(satellite)
        if bits[word] & bit != 0 { return false }
        bits[word] |= bit
        return true
    }

    @inline(__always)
    func contains(_ satellite: Satellite) -> Bool {
        let (word, bit) = Self.place(satellite)
        return bits[word] & bit != 0
    }

    mutating func removeAll() { bits = InlineArray(repeating: 0) }

    @inline(__always)
    private static func place(_ satellite: Satellite) -> (word: Int, bit: UInt64) {
        let row = satellite.system.map { Int($0.rawValue) } ?? 8
        let number = satellite.number & 1023
        return (row * 16 + number / 64, 1 << UInt64(number % 64))
    }
}
