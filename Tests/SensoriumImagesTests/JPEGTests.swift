#if Images
import JPEGMarkers
import Sensorium
import SensoriumImages
import Testing

@Suite("JPEG pictures", .timeLimit(.minutes(1)))
struct JPEGTests {
    private func decode(_ bytes: [UInt8]) throws -> Picture {
        try Picture(.made(.mjpeg, 16, 8, bytes))
    }

    private func whole(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBytes { JPEG.whole($0) } }

    @Test("decodes a frame without Huffman tables (CAM-01)")
    func tableless() throws {
        let picture = try decode(tablelessJPEG)
        #expect((picture.width, picture.height) == (16, 8))
        for row in 0..<8 {
            #expect(picture[0, row] == Pixel(red: 64, green: 64, blue: 64))
            #expect(picture[15, row] == Pixel(red: 192, green: 192, blue: 192))
        }
    }

    @Test("puts the standard's tables into such a frame before it is handed out, once (CAM-01)")
    func tables() throws {
        let whole = try #require(self.whole(tablelessJPEG))
        #expect(whole.count == tablelessJPEG.count + 420)
        #expect(try decode(whole) == decode(tablelessJPEG))
        // Before the scan, and never a second time.
        let outline = try #require(whole.withUnsafeBytes { JPEGOutline($0) })
        #expect(!outline.lacksHuffmanTables)
        #expect(
            Array(whole[(outline.firstScan - 420)..<(outline.firstScan - 416)]) == [
                0xff, 0xc4, 0x01, 0xa2,
            ])
        #expect(self.whole(whole) == whole)
    }

    @Test("has the same tables as the encoder, which writes those of the standard (CAM-01)")
    func encodersTables() throws {
        let coded = try JPEG.encode(.gradient(16, 16))
        var tables: [[UInt8]] = []
        var place = 2
        while coded[place + 1] != 0xda {
            let length = Int(coded[place + 2]) << 8 | Int(coded[place + 3])
            if coded[place + 1] == 0xc4 {
                tables.append(Array(coded[(place + 4)..<(place + 2 + length)]))
            }
            place += 2 + length
        }
        let added = try #require(whole(tablelessJPEG))
        let outline = try #require(added.withUnsafeBytes { JPEGOutline($0) })
        let ours = Array(added[(outline.firstScan - 416)..<outline.firstScan])
        #expect(tables.count == 4)
        for table in tables { #expect(ours.firstRange(of: table) != nil) }
        #expect(tables.map(\.count).reduce(0, +) == 416)
    }

    @Test("gives no picture for one that is cut, wherever that is (CAM-02)")
    func cut() throws {
        for length in 0..<tablelessJPEG.count {
            let bytes = Array(tablelessJPEG.prefix(length))
            let error = #expect(throws: ImageError.self, "\(length) bytes") { try decode(bytes) }
            #expect(error?.condition == .malformed)
            #expect(whole(bytes) == nil)
        }
    }

    @Test("takes fill bytes before the last marker, and what a camera leaves after it (CAM-02)")
    func fill() throws {
        var filled = Array(tablelessJPEG.dropLast(2))
        filled += [0xff, 0xff, 0xff, 0xd9]
        filled += [UInt8](repeating: 0, count: 64)
        #expect(try decode(filled) == decode(tablelessJPEG))
    }

    @Test("decodes the whole picture that follows a cut one (CAM-02)")
    func second() throws {
        let both = Array(tablelessJPEG.dropLast(3)) + tablelessJPEG
        #expect(try decode(both) == decode(tablelessJPEG))
    }

    @Test("keeps a picture nearly as it was, in either quality")
    func roundTrip() throws {
        let picture = Picture.gradient(33, 17)
        let coded = try JPEG.encode(picture, quality: 95)
        #expect(try JPEG.decode(coded).distance(to: picture) <= 8)
        let small = try JPEG.encode(picture, quality: 20)
        #expect(small.count < coded.count)
        #expect(try JPEG.decode(small).distance(to: picture) <= 60)
        // What makes no sense is taken for the nearest.
        #expect(try JPEG.encode(picture, quality: 1000) == JPEG.encode(picture, quality: 100))
        #expect(try JPEG.encode(picture, quality: -1) == JPEG.encode(picture, quality: 1))
        #expect(throws: ImageError.self) { try JPEG.encode(Picture()) }
    }

    @Test("refuses a size that would take too much memory, before it is taken")
    func bomb() throws {
        var bytes = tablelessJPEG
        let size = try #require(bytes.firstRange(of: [0, 8, 0, 16, 3] as [UInt8]))
        bytes.replaceSubrange(size, with: [0xea, 0x60, 0xea, 0x60, 3])
        let error = #expect(throws: ImageError.self) { try decode(bytes) }
        #expect(error?.condition == .tooLarge)
    }

    @Test("tells of damage inside a picture that it decoded all the same")
    func warning() throws {
        var bytes = try JPEG.encode(.gradient(64, 64))
        var converter = FrameConverter()
        _ = try converter.picture(of: .made(.mjpeg, 64, 64, bytes))
        #expect(converter.warning == nil)
        bytes.removeSubrange((bytes.count - 60)..<(bytes.count - 2))
        let picture = try converter.picture(of: .made(.mjpeg, 64, 64, bytes))
        #expect(picture.width == 64)
        #expect(converter.warning?.hasPrefix("libjpeg-turbo says: ") == true)
    }

    @Test("bears any bytes")
    func fuzz() throws {
        let models = [
            tablelessJPEG, try JPEG.encode(.gradient(24, 24)),
            try JPEG.encode(.gradient(9, 9), quality: 30),
        ]
        var mutation = Mutation(seed: 3)
        var converter = FrameConverter()
        var picture = Picture()
        var count = 0
        for round in 0..<3000 {
            let bytes = mutation.change(models[round % models.count])
            if (try? converter.convert(.made(.mjpeg, 16, 8, bytes), into: &picture)) != nil {
                count += 1
                #expect(picture.bytes.count == picture.width * picture.height * 3)
            }
            if let whole = whole(bytes) { #expect(self.whole(whole)?.count == whole.count) }
        }
        #expect(count > 100)
        // What came before does not spoil what comes after.
        try converter.convert(.made(.mjpeg, 16, 8, tablelessJPEG), into: &picture)
        #expect(picture[0, 0] == Pixel(red: 64, green: 64, blue: 64))
    }
}

@Suite("PNG pictures", .timeLimit(.minutes(1)))
struct PNGTests {
    @Test("keeps every pixel", arguments: [(1, 1), (33, 17), (640, 3)])
    func roundTrip(width: Int, height: Int) throws {
        let picture = Picture.gradient(width, height)
        let coded = try PNG.encode(picture)
        #expect(coded.starts(with: [0x89] + Array("PNG".utf8)))
        #expect(try PNG.decode(coded) == picture)
    }

    @Test("keeps noise, which cannot be compressed")
    func noise() throws {
        var mutation = Mutation(seed: 5)
        let bytes = (0..<(50 * 40 * 3)).map { _ in UInt8(mutation.below(256)) }
        let picture = try #require(Picture(width: 50, height: 40, bytes: bytes))
        #expect(try PNG.decode(PNG.encode(picture)) == picture)
    }

    @Test("refuses an empty picture, and a size that would take too much memory")
    func sizes() throws {
        #expect(throws: ImageError.self) { try PNG.encode(Picture()) }
        // The header alone, its checksum right: 60000 by 60000.
        let header: [UInt8] =
            [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]
            + Array("IHDR".utf8) + [0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 8, 2, 0, 0, 0]
        let coded =
            header + checksum(Array(header[12...])) + [0, 0, 0, 0] + Array("IDAT".utf8)
            + checksum(Array("IDAT".utf8))
        let error = #expect(throws: ImageError.self) { try PNG.decode(coded) }
        #expect(error?.condition == .tooLarge)
    }

    private func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = 0xffff_ffff
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        sum = ~sum
        return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }

    @Test("refuses every cut of a picture, and bears any bytes")
    func fuzz() throws {
        let coded = try PNG.encode(.gradient(20, 20))
        for length in 0..<(coded.count - 12) {
            #expect(throws: ImageError.self) { try PNG.decode(Array(coded.prefix(length))) }
        }
        var mutation = Mutation(seed: 4)
        for _ in 0..<2000 {
            if let picture = try? PNG.decode(mutation.change(coded)) {
                #expect(picture.bytes.count == picture.width * picture.height * 3)
            }
        }
        #expect(try PNG.decode(coded) == .gradient(20, 20))
    }
}
#else
import SensoriumImages
import Testing

@Suite("JPEG and PNG without the trait Images", .timeLimit(.minutes(1)))
struct MissingLibraryTests {
    @Test("says which trait a build needs for them")
    func missing() throws {
        let picture = Picture.gradient(2, 2)
        for work in [
            { _ = try JPEG.encode(picture) }, { _ = try JPEG.decode(tablelessJPEG) },
            { _ = try PNG.encode(picture) }, { _ = try PNG.decode([1]) },
            { _ = try Picture(.made(.mjpeg, 16, 8, tablelessJPEG)) },
        ] as [() throws -> Void] {
            let error = #expect(throws: ImageError.self) { try work() }
            #expect(error?.condition == .unsupported)
            #expect(error?.hint == "build sensorium with its trait Images")
        }
    }
}
#endif
