import IIOPlugin
import Testing

@Suite("Element reader", .timeLimit(.minutes(1)))
struct ElementReaderTests {
    /// Reads the first number of `bytes` at an even and at an odd address.
    private func read(_ text: String, _ bytes: [UInt8]) throws -> (pattern: Int64, number: Double) {
        let type = try #require(ScanType(text))
        var results: [(Int64, Double)] = []
        for shift in 0...1 {
            let moved = [UInt8](repeating: 0x5a, count: shift) + bytes + [0x5a]
            moved.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                let reader = ElementReader(type, at: shift)
                results.append((reader.pattern(in: base), reader.number(in: base)))
            }
        }
        #expect(results[0].0 == results[1].0)
        return results[0]
    }

    @Test("keeps every bit of 32-bit samples (IIO-02)")
    func fullWidth() throws {
        #expect(try read("le:s32/32>>0", [0xff, 0xff, 0xff, 0xff]).pattern == -1)
        #expect(try read("le:s32/32>>0", [0xff, 0xff, 0xff, 0x7f]).pattern == 2_147_483_647)
        #expect(try read("le:s32/32>>0", [0, 0, 0, 0x80]).pattern == -2_147_483_648)
    }

    @Test("reads 64 bits, signed and unsigned, beyond Int64.max (IIO-02)")
    func wide() throws {
        let ones = [UInt8](repeating: 0xff, count: 8)
        #expect(try read("le:s64/64>>0", ones).number == -1)
        #expect(try read("le:u64/64>>0", ones).number == 18_446_744_073_709_551_616)
        #expect(try read("be:s64/64>>0", [0x80, 0, 0, 0, 0, 0, 0, 0]).pattern == .min)
    }

    @Test("extends the sign from the significant bits and ignores junk above (IIO-03)")
    func padding() throws {
        for junk: [UInt8] in [[0, 0], [0xa5, 0xa5], [0xff, 0xff]] {
            #expect(try read("le:s16/32>>0", [0x38, 0xfc] + junk).pattern == -968)
            #expect(try read("le:s16/32>>0", [0x1b, 0x00] + junk).pattern == 27)
            #expect(try read("le:s16/32>>0", [0x26, 0xff] + junk).pattern == -218)
        }
    }

    @Test(
        "reads the types of real drivers",
        arguments: [
            ("be:s16/16>>0", [0xff, 0x38], -200), ("le:s12/16>>4", [0x0f, 0x80], -2048),
            ("be:s12/16>>4", [0x7f, 0xff], 2047), ("le:s6/8>>2", [0x83], -32),
            ("be:s20/32>>12", [0xff, 0xff, 0xf7, 0x77], -1), ("le:u8/8>>0", [0xff], 255),
            ("le:s24/32>>0", [0x00, 0x50, 0x3f, 0xee], 4_149_248),
            ("le:u16/16>>0", [0xff, 0xff], 65_535), ("le:s24/24>>0", [0xfe, 0xff, 0xff], -2),
            ("be:u24/24>>0", [0x01, 0x02, 0x03], 0x010203),
        ] as [(String, [UInt8], Int64)])
    func real(text: String, bytes: [UInt8], expected: Int64) throws {
        #expect(try read(text, bytes).pattern == expected)
        #expect(try read(text, bytes).number == Double(expected))
    }

    @Test("knows a number at the end of its range")
    func saturation() throws {
        let signed = ElementReader(try #require(ScanType("le:s12/16>>4")), at: 0)
        #expect(signed.isSaturated(2047))
        #expect(signed.isSaturated(-2048))
        #expect(!signed.isSaturated(2046))
        let unsigned = ElementReader(try #require(ScanType("le:u16/16>>0")), at: 0)
        #expect(unsigned.isSaturated(65_535))
        #expect(!unsigned.isSaturated(0))
    }
}
