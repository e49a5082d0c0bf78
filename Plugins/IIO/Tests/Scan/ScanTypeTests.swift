import IIOPlugin
import Testing

@Suite("Scan type", .timeLimit(.minutes(1)))
struct ScanTypeTests {
    @Test("reads the kernel's spellings")
    func reads() throws {
        let type = try #require(ScanType("be:s20/32>>12"))
        #expect(type.byteOrder == .big)
        #expect(type.isSigned)
        #expect(type.bits == 20)
        #expect(type.storageBits == 32)
        #expect(type.shift == 12)
        #expect(type.repeats == 1)
        #expect(type.elementBytes == 4)
        #expect(type.description == "be:s20/32>>12")
    }

    @Test("reads repeated and fully defined elements")
    func repeats() throws {
        let quaternion = try #require(ScanType("le:s32/32X4>>0\n"))
        #expect(quaternion.repeats == 4)
        #expect(quaternion.elementBytes == 16)
        #expect(ScanType("le:S64/64>>0") == ScanType("le:s64/64>>0"))
        #expect(ScanType("le:U16/16>>0")?.isSigned == false)
    }

    @Test(
        "refuses what is no type, or does not fit into itself",
        arguments: [
            "", "s16/16>>0", "le:s16/16", "le:x16/16>>0", "le:s16>>0", "le:s0/16>>0",
            "le:s17/16>>0",
            "le:s12/16>>5", "le:s12/12>>0", "le:s8/128>>0", "le:s16/16X0>>0", "le:s16/16>>0 junk",
            "le:s16/16>>-1", "le:s99999999999999999999/16>>0",
        ])
    func refuses(text: String) {
        #expect(ScanType(text) == nil)
    }

    @Test("knows the ends of its range, up to 64 bits")
    func range() throws {
        let expected: [(String, Int64, Int64)] = [
            ("le:s12/16>>4", -2048, 2047), ("le:u12/16>>0", 0, 4095), ("le:s6/8>>2", -32, 31),
            ("le:s64/64>>0", .min, .max), ("le:u64/64>>0", 0, -1),
            ("le:s32/32>>0", -1 << 31, (1 << 31) - 1),
        ]
        for (text, minimum, maximum) in expected {
            let type = try #require(ScanType(text))
            #expect(type.minimum == minimum, "\(text)")
            #expect(type.maximum == maximum, "\(text)")
        }
    }
}
