import Sensorium
import SensoriumImages
import Testing

@Suite("MJPEG streams", .timeLimit(.minutes(1)))
struct MJPEGDecoderTests {
    /// All that a stream gives, when its bytes come in pieces of a size.
    private func read(_ bytes: [UInt8], pieces: Int, limit: Int = 1 << 20) -> (
        frames: [RawFrame], damage: Int, skipped: Int
    ) {
        var decoder = MJPEGDecoder(limit: limit)
        var (frames, damage): ([RawFrame], Int) = ([], 0)
        func count(_ event: FrameEvent) {
            if case .frame(let frame) = event { frames.append(frame) } else { damage += 1 }
        }
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            decoder.append(Array(bytes[start..<min(bytes.count, start + pieces)]))
            while let event = decoder.next() { count(event) }
        }
        while let event = decoder.finish() { count(event) }
        return (frames, damage, decoder.skippedBytes)
    }

    @Test(
        "finds pictures one after another, however their bytes come", arguments: [1, 7, 211, 4096])
    func pieces(size: Int) throws {
        let found = read(tablelessJPEG + tablelessJPEG + tablelessJPEG, pieces: size)
        let frame = try RawFrame(jpeg: tablelessJPEG)
        #expect((frame.width, frame.height, frame.format) == (16, 8, .mjpeg))
        #expect(found == ([frame, frame, frame], 0, 0))
        #expect(read([], pieces: size) == ([], 0, 0))
    }

    @Test("skips what is between pictures", arguments: [1, 7, 4096])
    func garbage(size: Int) {
        let garbage =
            Array("\r\n--boundary\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + [0xff, 0xd8, 0x0a]
        let bytes = garbage + tablelessJPEG + garbage + tablelessJPEG + [0, 0, 0xff]
        let found = read(bytes, pieces: size)
        #expect((found.frames.count, found.damage) == (2, 0))
        #expect(found.skipped == 2 * garbage.count + 3)
    }

    @Test("tells of a cut picture, and gives all others (CAM-02)", arguments: [1, 64, 4096])
    func cut(size: Int) throws {
        let frame = try RawFrame(jpeg: tablelessJPEG)
        for length in 3..<tablelessJPEG.count {
            let bytes = tablelessJPEG + tablelessJPEG.prefix(length) + tablelessJPEG + tablelessJPEG
            let found = read(bytes, pieces: size)
            #expect(found.frames.count == 3, "\(length) bytes")
            // Two bytes before the end of a segment, the next beginning completes the cut one.
            let isAmbiguous = [35, 169].contains(length)
            #expect(found.damage == (isAmbiguous ? 0 : 1), "\(length) bytes")
            if !isAmbiguous { #expect(found.frames == [frame, frame, frame], "\(length) bytes") }
        }
        let last = read(tablelessJPEG + Array(tablelessJPEG.dropLast(3)), pieces: size)
        #expect((last.frames, last.damage) == ([frame], 1))
    }

    @Test("gives a picture up that is too long or has no end, and takes the next")
    func endless() {
        let endless = Array(tablelessJPEG.dropLast(2)) + [UInt8](repeating: 1, count: 5000)
        for size in [1, 100, 100_000] {
            let found = read(endless + tablelessJPEG + tablelessJPEG, pieces: size, limit: 1000)
            #expect((found.frames.count, found.damage) == (2, 1))
            let long = endless + [0xff, 0xd9] + tablelessJPEG
            let rest = read(long, pieces: size, limit: 1000)
            #expect((rest.frames.count, rest.damage) == (1, 1))
        }
    }

    @Test("ends soon on whatever comes, and misses no picture after it")
    func fuzz() throws {
        let frame = try RawFrame(jpeg: tablelessJPEG)
        var mutation = Mutation(seed: 6)
        for _ in 0..<300 {
            let bytes = mutation.change(tablelessJPEG + tablelessJPEG)
            let found = read(
                bytes + [UInt8](repeating: 0, count: 70_000) + tablelessJPEG,
                pieces: 1 + mutation.below(999))
            #expect(found.frames.last == frame)
        }
        let beginnings = (0..<100_000).flatMap { _ in [0xff, 0xd8, 0xff, 0xda, 0, 2] as [UInt8] }
        #expect(read(beginnings, pieces: 65_536).frames.isEmpty)
        let segments = (0..<20_000).flatMap { _ in [0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff] as [UInt8] }
        #expect(read(segments, pieces: 65_536).frames.isEmpty)
    }
}

@Suite("Y4M files", .timeLimit(.minutes(1)))
struct Y4MTests {
    private func read(_ bytes: [UInt8], pieces: Int = 4096) throws -> (
        frames: [RawFrame], damage: Int
    ) {
        var decoder = Y4MDecoder()
        var (frames, damage): ([RawFrame], Int) = ([], 0)
        func take(_ event: FrameEvent) {
            if case .frame(let frame) = event { frames.append(frame) } else { damage += 1 }
        }
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            decoder.append(Array(bytes[start..<min(bytes.count, start + pieces)]))
            while let event = try decoder.next() { take(event) }
        }
        while let event = decoder.finish() { take(event) }
        return (frames, damage)
    }

    private func write(_ frames: [CameraFrame]) throws -> [UInt8] {
        var encoder = try Y4MEncoder(like: frames[0], rate: .init(hertz: 29.97))
        var bytes = encoder.header.line
        for frame in frames { bytes += try encoder.encode(frame) }
        return bytes
    }

    @Test(
        "keeps every byte of YUYV, NV12 and GREY, odd sides and padding included",
        arguments: [PixelFormat.yuyv, .nv12, .grey], [1, 13, 4096])
    func lossless(format: PixelFormat, pieces: Int) throws {
        var mutation = Mutation(seed: 8)
        let bytes = (0..<200).map { _ in UInt8(mutation.below(256)) }
        let frame = CameraFrame.made(format, 5, 3, stride: 16, bytes)
        let file = try write([frame, frame])
        let read = try read(file, pieces: pieces)
        #expect(read.damage == 0)
        #expect(read.frames.count == 2)
        for raw in read.frames {
            #expect(raw.format == format)
            #expect(try Picture(raw.frame(at: frame.time)) == Picture(frame))
        }
    }

    @Test("keeps RGB24 but for its rounding, with full range")
    func rgb() throws {
        let picture = Picture.gradient(9, 7)
        let frame = RawFrame(picture).frame(at: ReadingTime(SensorInstant(nanoseconds: 1)))
        let file = try write([frame])
        let line = String(decoding: file.prefix { $0 != 10 }, as: UTF8.self)
        #expect(line == "YUV4MPEG2 W9 H7 F29970:1000 Ip A1:1 C444 XCOLORRANGE=FULL")
        let raw = try #require(try read(file).frames.first)
        #expect(raw.format == .rgb24)
        #expect(
            try #require(Picture(width: 9, height: 7, bytes: raw.bytes)).distance(to: picture) <= 2)
    }

    @Test("reads what other programs write: parameters of frames, interlacing, no colour space")
    func foreign() throws {
        let text = "YUV4MPEG2 W2 H2 F30000:1001 It A0:0 XYSCSS=420JPEG\nFRAME Ib\n"
        let file =
            Array(text.utf8) + [16, 235, 16, 235, 128, 128] + Array("FRAME\n".utf8) + [
                1, 2, 3, 4, 5, 6,
            ]
        var decoder = Y4MDecoder()
        decoder.append(file)
        let event = try decoder.next()
        #expect(abs((decoder.header?.rate?.hertz ?? 0) - 29.97) < 0.01)
        guard case .frame(let frame)? = event else {
            throw TestFault("\(String(describing: event))")
        }
        #expect(
            try Picture(frame.frame(at: ReadingTime(SensorInstant(nanoseconds: 1)))).bytes == [
                0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255,
            ])
    }

    @Test("gives colours of full range as RGB24, since a frame cannot say which range it has")
    func fullRange() throws {
        let head = "YUV4MPEG2 W2 H1 C422 XCOLORRANGE=FULL\nFRAME\n"
        let frame = try #require(try read(Array(head.utf8) + [0, 255, 128, 128]).frames.first)
        #expect(frame.format == .rgb24)
        #expect(frame.bytes == [0, 0, 0, 255, 255, 255])
    }

    @Test(
        "refuses a first line that it cannot read, and says why",
        arguments: [
            ("RIFF....", "does not begin"), ("YUV4MPEG2 W2\n", "2x0"),
            ("YUV4MPEG2 W-2 H2\n", "-2x2"),
            ("YUV4MPEG2 W65535 H65535\n", "at most"), ("YUV4MPEG2 W2 H2 C420p10\n", "420p10"),
            ("YUV4MPEG2 W9999999999999999999 H2\n", "0x2"),
            ("YUV4MPEG2 " + String(repeating: "X", count: 2000), "does not begin"),
        ])
    func headers(text: String, reason: String) throws {
        let error = #expect(throws: ImageError.self) { try read(Array(text.utf8)) }
        #expect("\(try #require(error))".contains(reason))
    }

    @Test("finds the next frame after bytes that are none, and tells of a cut one")
    func damage() throws {
        let frame = Array("FRAME\n".utf8) + [1, 2, 3, 4]
        let head = Array("YUV4MPEG2 W2 H2 Cmono\n".utf8)
        let middle = try read(head + frame + Array("garbage FRAM".utf8) + frame + frame)
        #expect(middle.frames.count == 3)
        #expect(middle.damage == 1)
        let cut = try read(head + frame + Array(frame.dropLast()))
        #expect((cut.frames.count, cut.damage) == (1, 1))
        #expect(try read(Array(head.dropLast())).damage == 1)
    }

    @Test("does not write frames of two sizes or formats into one file")
    func mixed() throws {
        var encoder = try Y4MEncoder(like: .made(.grey, 2, 1, [1, 2]), rate: nil)
        #expect(throws: ImageError.self) { try encoder.encode(.made(.grey, 1, 1, [1])) }
        #expect(throws: ImageError.self) { try encoder.encode(.made(.yuyv, 2, 1, [1, 2, 3, 4])) }
        #expect(throws: ImageError.self) { try encoder.encode(.made(.grey, 2, 1, [1])) }
        #expect(try encoder.encode(.made(.grey, 2, 1, [7, 8])) == Array("FRAME\n".utf8) + [7, 8])
    }

    @Test("bears any bytes, whatever pieces they come in, with the same result")
    func fuzz() throws {
        let frame = CameraFrame.made(.nv12, 5, 3, stride: 6, [UInt8](0..<30))
        let model = try write([frame, frame, frame])
        var mutation = Mutation(seed: 9)
        var count = 0
        for _ in 0..<1000 {
            let bytes = mutation.change(model)
            let whole = try? read(bytes)
            let pieces = try? read(bytes, pieces: 1 + mutation.below(50))
            #expect(whole?.frames == pieces?.frames)
            count += whole?.frames.count ?? 0
        }
        #expect(count > 500)
    }
}

/// Why a test could not go on.
struct TestFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
