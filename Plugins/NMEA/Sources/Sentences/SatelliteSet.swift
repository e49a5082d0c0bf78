import Sensorium

/// What tells two satellites apart.
struct SatelliteName: Hashable {
    var system: Satellite.System?
    var number: Int

    init(_ system: Satellite.System?, _ number: Int) {
        self.system = system
        self.number = number
    }

    init(_ satellite: Satellite) { self.init(satellite.system, satellite.number) }
}

/// Satellites by constellation and number, a bit for each.
struct SatelliteSet {
    /// A row of 1024 numbers for each constellation, and one for none.
    ///
    /// On the heap: an inline array would be copied for every satellite that is looked up.
    private var bits = [UInt64](repeating: 0, count: 144)

    /// Adds a satellite whose number is below 1024; false where it was there.
    @inline(__always)
    mutating func insert(_ satellite: SatelliteName) -> Bool {
        let (word, bit) = Self.place(satellite)
        if bits[word] & bit != 0 { return false }
        bits[word] |= bit
        return true
    }

    @inline(__always)
    func contains(_ satellite: SatelliteName) -> Bool {
        let (word, bit) = Self.place(satellite)
        return bits[word] & bit != 0
    }

    mutating func removeAll() {
        for place in bits.indices { bits[place] = 0 }
    }

    @inline(__always)
    private static func place(_ satellite: SatelliteName) -> (word: Int, bit: UInt64) {
        let row = satellite.system.map { Int($0.rawValue) } ?? 8
        let number = satellite.number & 1023
        return (row * 16 + number / 64, 1 << UInt64(number % 64))
    }
}
