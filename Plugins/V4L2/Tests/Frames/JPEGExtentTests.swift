import JPEGMarkers
import SensoriumTestKit
import Testing

@Suite("JPEG extent (CAM-02)", .timeLimit(.minutes(1)))
struct JPEGExtentTests {
    private func find(_ bytes: [UInt8]) -> Range<Int>? {
        bytes.withUnsafeBytes { JPEGExtent.find(in: $0) }
    }

    @Test("finds a whole picture, and leaves fill bytes after it out")
    func whole() {
        let picture = JPEG.whole
        #expect(find(picture) == 0..<picture.count)
        #expect(find(picture + [UInt8](repeating: 0, count: 64)) == 0..<picture.count)
        #expect(find(picture + [0xff, 0xff, 0xff]) == 0..<picture.count)
    }

    @Test("takes fill bytes before the last marker")
    func fill() {
        let picture = JPEG.whole.dropLast(2) + [0xff, 0xff, 0xff, 0xd9]
        #expect(find(picture + [0, 0]) == 0..<picture.count)
    }

    @Test("finds nothing in any picture whose end is missing")
    func cut() {
        for length in 0..<JPEG.whole.count {
            #expect(find(Array(JPEG.whole.prefix(length))) == nil, "\(length) bytes")
        }
    }

    @Test("finds the whole picture after one that was cut, wherever that was")
    func second() {
        let picture = JPEG.whole
        for length in 2..<picture.count {
            let range = find(Array(picture.prefix(length) + picture))
            #expect(range?.upperBound == length + picture.count, "\(length) bytes")
            // Two bytes before the end of a segment, the second beginning completes the first one.
            let isAmbiguous = [8, 15].contains(length)
            if !isAmbiguous { #expect(range?.lowerBound == length, "\(length) bytes") }
        }
    }

    @Test("is not misled by a picture inside of a segment")
    func thumbnail() {
        let inner = JPEG.whole
        let segment: [UInt8] = [0xff, 0xe1, 0, UInt8(inner.count + 2)] + inner
        let picture = [0xff, 0xd8] + segment + JPEG.whole.dropFirst(2)
        #expect(find(picture) == 0..<picture.count)
        // The small picture is not taken for the large one, either.
        #expect(find(Array(picture.dropLast(2))) == nil)
    }

    @Test(
        "finds nothing where no picture begins, and where markers make no sense",
        arguments: [
            [0, 0xff, 0xd8, 0xff, 0xd9], [0xff, 0xd8, 0xff, 0xd9], [0xff, 0xd8, 0xff, 0x00],
            [0xff, 0xd8, 0xff, 0xe0, 0, 1, 0xff, 0xd9], [0xff, 0xd8, 0x12, 0x34],
        ] as [[UInt8]])
    func nonsense(bytes: [UInt8]) {
        #expect(find(bytes) == nil)
        #expect(find([1] + JPEG.whole) == nil)
    }

    @Test("ends soon on whatever is in the buffer")
    func hostile() {
        var generator = SeededGenerator(seed: 2)
        // Mostly markers, so that every branch is taken.
        let alphabet: [UInt8] = [0xff, 0xff, 0xd8, 0xda, 0xd9, 0x00, 0xe0, 0x02, 0xd0, 0x7f]
        for length in 0..<400 {
            let bytes = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if let range = find([0xff, 0xd8, 0xff] + bytes) {
                #expect(range.upperBound <= length + 3)
            }
        }
        let beginnings = (0..<100_000).flatMap { _ in [0xff, 0xd8, 0xff, 0xda, 0, 2] as [UInt8] }
        #expect(find(beginnings) == nil)
    }

    @Test(
        "judges the collected pictures rightly",
        .enabled(if: JPEG.file("cam02_truncated.mjpeg") != nil, "there are no cases at ../shared"),
        arguments: [
            ("cam01_no_dht.mjpeg", 0..<212), ("cam02_truncated.mjpeg", nil),
            ("cam02_empty.mjpeg", nil), ("cam02_headeronly.mjpeg", nil),
            ("cam02_multi_ff.mjpeg", 0..<214), ("cam02_two_frames_one_truncated.mjpeg", 209..<421),
        ] as [(String, Range<Int>?)])
    func collected(name: String, range: Range<Int>?) throws {
        let bytes = try #require(JPEG.file(name))
        #expect(find(bytes) == range)
    }
}
