import SensoriumTestKit

/// Changes bytes at random, the same way in every run.
struct Mutation {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A number from 0 to below `limit`.
    mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(max(1, limit))) }

    /// A changed copy.
    mutating func change(_ model: [UInt8]) -> [UInt8] {
        var bytes = model
        for _ in 0...below(4) {
            guard !bytes.isEmpty else { return bytes }
            let place = below(bytes.count)
            let end = min(bytes.count, place + below(40))
            switch below(7) {
            case 0: bytes[place] = UInt8(below(256))
            case 1: bytes[place] ^= 1 << UInt8(below(8))
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.removeSubrange(place...)
            case 5: bytes.insert(contentsOf: [0xff, UInt8(0xc0 + below(64))], at: place)
            default: bytes.swapAt(place, below(bytes.count))
            }
        }
        return bytes
    }
}
