import IIOPlugin
import Testing

@Suite("Scan layout", .timeLimit(.minutes(1)))
struct ScanLayoutTests {
    private func layout(_ types: [(Int, String)]) throws -> ScanLayout {
        ScanLayout(try types.map { (index: $0.0, type: try #require(ScanType($0.1))) })
    }

    @Test("goes by scan index, not by the order of listing (IIO-01)")
    func order() throws {
        let layout = try layout([
            (1, "le:s32/32>>0"), (0, "le:s32/32>>0"), (2, "le:s32/32>>0"), (3, "le:s64/64>>0"),
        ])
        #expect([0, 1, 2, 3].map { layout.offset(ofIndex: $0) } == [0, 4, 8, 16])
        #expect(layout.size == 24)
    }

    @Test("pads between elements and at the end as the kernel does (IIO-06)")
    func padding() throws {
        let half = "le:s16/16>>0"
        let word = "le:s32/32>>0"
        let stamp = "le:s64/64>>0"
        let a = try layout([(0, half), (1, half), (2, half), (3, stamp)])
        #expect(a.size == 16)
        #expect(a.offset(ofIndex: 3) == 8)
        let b = try layout([(0, word), (1, half), (2, half), (3, stamp)])
        #expect(b.size == 16)
        #expect(b.offset(ofIndex: 3) == 8)
        let c = try layout([(0, word), (1, half)])
        #expect(c.size == 8)
        let d = try layout([(0, half), (1, word), (2, stamp)])
        #expect(d.offset(ofIndex: 1) == 4)
        #expect(d.offset(ofIndex: 2) == 8)
        #expect(d.size == 16)
    }

    @Test("leaves out what is not enabled, and bears holes in the indices (IIO-08)")
    func holes() throws {
        let half = "be:s16/16>>0"
        let all = try layout((0...6).map { ($0, half) } + [(7, "le:s64/64>>0")])
        #expect(all.offset(ofIndex: 3) == 6)
        #expect(all.offset(ofIndex: 7) == 16)
        #expect(all.size == 24)
        let withoutTemperature = try layout(
            [0, 1, 2, 4, 5, 6].map { ($0, half) } + [(7, "le:s64/64>>0")])
        #expect(withoutTemperature.offset(ofIndex: 4) == 6)
        #expect(withoutTemperature.offset(ofIndex: 7) == 16)
        #expect(withoutTemperature.size == 24)
        #expect(withoutTemperature.offset(ofIndex: 3) == nil)
    }

    @Test("aligns a repeated element to its whole size")
    func repeats() throws {
        let layout = try layout([(0, "le:s16/16>>0"), (1, "le:s32/32X4>>0"), (2, "le:s64/64>>0")])
        #expect(layout.offset(ofIndex: 1) == 16)
        #expect(layout.offset(ofIndex: 2) == 32)
        #expect(layout.size == 48)
    }

    @Test("lets channels of one index share their bytes")
    func shared() throws {
        let layout = try layout([(0, "le:u8/16>>0"), (0, "le:u8/16>>8"), (1, "le:s16/16>>0")])
        #expect(layout.elements.map(\.offset) == [0, 0, 2])
        #expect(layout.size == 4)
    }

    @Test("holds every channel whole, also where two of one index differ in size")
    func contradiction() throws {
        let layout = try layout([(0, "le:u8/8>>0"), (0, "le:u64/64>>0"), (1, "le:s16/16>>0")])
        for element in layout.elements {
            #expect(element.offset + element.type.elementBytes <= layout.size)
        }
    }

    @Test("is empty without channels")
    func empty() {
        #expect(ScanLayout([]).size == 0)
    }

    @Test("finds the layout that a daemon with a second client captures")
    func union() throws {
        let half = try #require(ScanType("le:s16/16>>0"))
        let stamp = try #require(ScanType("le:s64/64>>0"))
        let all = (0..<6).map { (index: $0, type: half) } + [(index: 6, type: stamp)]
        let asked = [all[0], all[1], all[2], all[6]]
        let found = ScanLayout.seen(step: 24, offsets: [0, 2, 4, 16], of: asked, among: all)
        #expect(found?.offset(ofIndex: 6) == 16)
        #expect(found?.size == 24)
        #expect(ScanLayout.seen(step: 23, offsets: [0, 2, 4, 16], of: asked, among: all) == nil)
    }
}
