import IIOPlugin
import SensoriumTestKit
import Testing

@Suite("Hostile texts", .timeLimit(.minutes(1)))
struct HostileTextTests {
    @Test("trap nowhere: what is no attribute is nil")
    func fuzz() {
        var random = SeededGenerator(seed: 20)
        let alphabet = Array("0123456789+-.eE,;[]> /:lesubXS\n\0é∞".unicodeScalars)
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "0")
            }
            if let number = AttributeText.number(text) { #expect(number.isFinite) }
            if let values = AvailableValues(text) {
                let offer = values.lowest(atLeast: Double.random(in: -10...1e9, using: &random))
                if let offer { #expect(offer.value > 0) }
            }
            if let type = ScanType(text) { #expect(type.elementBytes > 0) }
            if let matrix = try? MountMatrix(text) {
                #expect(matrix.rows.allSatisfy { $0.isFinite })
            }
        }
    }

    @Test("and no scan type or bytes make a decoder trap")
    func decoders() throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2000 {
            let storage = Int.random(in: 1...8, using: &random) * 8
            let bits = Int.random(in: 1...storage, using: &random)
            let type = try #require(
                ScanType(
                    Bool.random(using: &random) ? .big : .little,
                    signed: Bool.random(using: &random),
                    bits: bits, storageBits: storage,
                    repeats: Int.random(in: 1...3, using: &random),
                    shift: storage == bits
                        ? 0 : Int.random(in: 0...(storage - bits), using: &random)))
            let layout = ScanLayout((0..<3).map { (index: $0 * 2, type: type) })
            let bytes = (0..<layout.size).map { _ in UInt8.random(in: 0...255, using: &random) }
            let reader = ElementReader(type, at: layout.elements[2].offset)
            bytes.withUnsafeBytes { raw in
                guard let base = raw.baseAddress else { return }
                let number = reader.number(in: base)
                let least = Double(type.minimum)
                let most =
                    type.isSigned ? Double(type.maximum) : Double(UInt64(bitPattern: type.maximum))
                #expect(number >= least && number <= most)
                _ = reader.isSaturated(reader.pattern(in: base))
            }
        }
    }
}
