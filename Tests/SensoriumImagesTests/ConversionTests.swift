import Sensorium
import SensoriumImages
import Testing

@Suite("frames as pictures", .timeLimit(.minutes(1)))
struct ConversionTests {
    /// Red, green and blue by the formula of the recommendation, in floating point.
    private func formula(_ y: Int, _ u: Int, _ v: Int, _ color: ColorEncoding) -> Pixel {
        let (kr, kb) = color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let isFull = color.range == .full
        let light = isFull ? Double(y) / 255 : Double(y - 16) / 219
        let (cb, cr) = (
            Double(u - 128) / (isFull ? 255 : 224), Double(v - 128) / (isFull ? 255 : 224)
        )
        let red = light + 2 * (1 - kr) * cr
        let blue = light + 2 * (1 - kb) * cb
        let green = (light - kr * red - kb * blue) / (1 - kr - kb)
        func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, (value * 255).rounded()))) }
        return Pixel(red: byte(red), green: byte(green), blue: byte(blue))
    }

    private func isNear(_ a: Pixel, _ b: Pixel) -> Bool {
        abs(Int(a.red) - Int(b.red)) <= 1 && abs(Int(a.green) - Int(b.green)) <= 1
            && abs(Int(a.blue) - Int(b.blue)) <= 1
    }

    @Test(
        "turns YUYV into the colours that the recommendation says",
        arguments: ColorEncoding.Matrix.allCases, ColorEncoding.Range.allCases)
    func yuyv(matrix: ColorEncoding.Matrix, range: ColorEncoding.Range) throws {
        let color = ColorEncoding(matrix, range)
        for y in stride(from: 0, through: 255, by: 15) {
            for u in stride(from: 0, through: 255, by: 51) {
                for v in stride(from: 0, through: 255, by: 51) {
                    let bytes = [UInt8(y), UInt8(u), UInt8(255 - y), UInt8(v)]
                    let picture = try Picture(.made(.yuyv, 2, 1, bytes), color: color)
                    try #require(isNear(picture[0, 0], formula(y, u, v, color)))
                    try #require(isNear(picture[1, 0], formula(255 - y, u, v, color)))
                }
            }
        }
    }

    @Test("takes BT.601 with limited range where nothing else is said")
    func standard() throws {
        let picture = try Picture(.made(.yuyv, 2, 1, [16, 128, 235, 128]))
        #expect(picture.bytes == [0, 0, 0, 255, 255, 255])
        #expect(ColorEncoding.default == ColorEncoding(.bt601, .limited))
    }

    @Test("leaves the padding of YUYV out, and takes an odd width's last pixel from half a pair")
    func oddYUYV() throws {
        // Brightness 126 is 128 in full range; the padding would be bright green.
        let row: [UInt8] = [16, 128, 126, 128, 235, 128, 0xee, 128, 0xee, 0xee]
        let picture = try Picture(.made(.yuyv, 3, 2, stride: 10, row + row.dropLast(2)))
        let expected: [UInt8] = [0, 0, 0, 128, 128, 128, 255, 255, 255]
        #expect(picture.bytes == expected + expected)
    }

    @Test("reads NV12 of odd sides, its colours in a plane of their own or behind the brightness")
    func nv12() throws {
        // Three by three pixels, rows eight bytes apart; blue in the right column, red below.
        let light: [UInt8] = (0..<3).flatMap { _ in [81, 81, 41, 0xee, 0xee, 0xee, 0xee, 0xee] }
        let colors: [UInt8] =
            [90, 240, 240, 110, 0xee, 0xee, 0xee, 0xee] + [128, 128, 128, 128]
        let one = try Picture(.made(.nv12, 3, 3, stride: 8, light + colors))
        let two = try Picture(
            .made(
                .nv12, 3, 3, light + [1, 2, 3] + colors,
                planes: [
                    .init(offset: 0, stride: 8, length: 24),
                    .init(offset: 27, stride: 8, length: 12),
                ]))
        #expect(one == two)
        #expect(isNear(one[0, 0], Pixel(red: 254)))
        #expect(isNear(one[2, 1], Pixel(blue: 255)))
        #expect(isNear(one[1, 2], Pixel(red: 76, green: 76, blue: 76)))
    }

    @Test("spreads grey over all three colours, as it is")
    func grey() throws {
        let picture = try Picture(.made(.grey, 3, 2, stride: 4, [0, 7, 255, 9, 1, 2, 3]))
        #expect(picture.bytes == [0, 0, 0, 7, 7, 7, 255, 255, 255, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    }

    @Test("reads rows of RGB24 that are padded (CAM-03)")
    func paddedRGB() throws {
        let padding = [UInt8](repeating: 0xee, count: 4)
        let rows = [10, 20].map { first in
            (0..<4).flatMap { column in [UInt8](repeating: UInt8(first + column), count: 3) }
        }
        let picture = try Picture(
            .made(.rgb24, 4, 2, stride: 16, rows[0] + padding + rows[1] + padding))
        #expect(picture.bytes == rows[0] + rows[1])
    }

    @Test("accepts a last row without its padding (CAM-03b)")
    func unpaddedLastRow() throws {
        let row = [UInt8](0..<12)
        let bytes = row + [0xee, 0xee, 0xee, 0xee] + row
        #expect(bytes.count == 28)
        let picture = try Picture(.made(.rgb24, 4, 2, stride: 16, bytes))
        #expect(picture.bytes == row + row)
        #expect(throws: ImageError.self) {
            try Picture(.made(.rgb24, 4, 2, stride: 16, Array(bytes.dropLast())))
        }
    }

    @Test("does not take the bytes of two per pixel for padding (CAM-03)")
    func noPadding() throws {
        let bytes = (0..<384).flatMap { row in
            (0..<256).flatMap { _ in [UInt8(row % 200 + 16), 128, 235, 128] as [UInt8] }
        }
        let picture = try Picture(.made(.yuyv, 512, 384, stride: 1024, bytes))
        #expect(picture[511, 383] == Pixel(red: 255, green: 255, blue: 255))
        #expect(picture[0, 0] == Pixel())
        let wide = try Picture(
            .made(.rgb24, 624, 480, stride: 1920, [UInt8](repeating: 5, count: 921_600)))
        #expect(wide.bytes.allSatisfy { $0 == 5 })
    }

    @Test(
        "refuses planes that are too short or lie outside, and sizes that none may have",
        arguments: [
            CameraFrame.made(.yuyv, 2, 1, [1, 2, 3]), .made(.yuyv, 3, 1, [1, 2, 3, 4, 5, 6]),
            .made(.nv12, 2, 2, [1, 2, 3, 4]), .made(.nv12, 2, 2, [1, 2, 3, 4, 5]),
            .made(.rgb24, 2, 1, stride: 3, [1, 2, 3, 4, 5, 6]),
            .made(.grey, 2, 2, stride: -2, [1, 2, 3, 4]),
            .made(.grey, 2, 2, stride: .max, [1, 2, 3, 4]), .made(.grey, 0, 2, []),
            .made(.grey, -1, -1, [1]), .made(.grey, .max, .max, [1]),
            .made(.grey, 1, 1, [1], planes: []),
            .made(.grey, 1, 1, [1], planes: [.init(offset: 1, stride: 1, length: 1)]),
            .made(.grey, 1, 1, [1], planes: [.init(offset: -1, stride: 1, length: 1)]),
            .made(.grey, 1, 1, [1], planes: [.init(offset: 0, stride: 1, length: .max)]),
            .made(.grey, 1, 1, [1], planes: [.init(offset: .max, stride: 1, length: -5)]),
            .made(.mjpeg, 1, 1, [1], planes: []),
        ])
    func damaged(frame: CameraFrame) {
        #expect(throws: ImageError.self) { try Picture(frame) }
    }

    @Test("says which formats it can read when it meets another")
    func unknownFormat() throws {
        let format = try #require(PixelFormat("BA81"))
        let error = #expect(throws: ImageError.self) { try Picture(.made(format, 1, 1, [1])) }
        #expect(error?.condition == .unsupported)
        #expect(
            "\(try #require(error))".contains(
                "frames in BA81 cannot be converted; let the camera give YUYV"))
    }

    @Test("uses a picture's memory again for the next frame, and changes its size where it must")
    func memory() throws {
        var converter = FrameConverter()
        var picture = Picture()
        try converter.convert(.made(.grey, 2, 1, [1, 2]), into: &picture)
        let place = picture.bytes.withUnsafeBytes { $0.baseAddress }
        try converter.convert(.made(.grey, 2, 1, [3, 4]), into: &picture)
        #expect(picture.bytes == [3, 3, 3, 4, 4, 4])
        #expect(picture.bytes.withUnsafeBytes { $0.baseAddress } == place)
        try converter.convert(.made(.grey, 1, 1, [9]), into: &picture)
        #expect(picture == Picture(width: 1, height: 1, bytes: [9, 9, 9]))
    }
}
