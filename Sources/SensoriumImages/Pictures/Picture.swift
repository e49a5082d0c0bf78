/// A picture in memory: red, green and blue of each pixel, a byte each.
///
/// Rows lie one after another, the top one first, without padding. Values are sRGB, as screens and
/// picture files take them.
public struct Picture: Sendable, Hashable {
    /// Pixels in a row.
    public private(set) var width: Int
    /// Rows.
    public private(set) var height: Int
    /// The pixels, three bytes each.
    public private(set) var bytes: [UInt8]

    /// The most pixels in a row, and the most rows.
    public static let largestSide = 65_535
    /// The most pixels: a picture takes three bytes of memory for each.
    ///
    /// A file may claim any size in a few bytes, and one that claims more is refused.
    public static let largestArea = 1 << 26

    /// Makes a black picture; nil where it would be empty or larger than `largestArea`.
    public init?(width: Int, height: Int) {
        guard Self.isPossible(width, height) else { return nil }
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 0, count: width * height * 3)
    }

    /// Makes a picture of its bytes; nil where they are not as many as its size needs.
    public init?(width: Int, height: Int, bytes: [UInt8]) {
        guard Self.isPossible(width, height), bytes.count == width * height * 3 else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// A picture without pixels, to be filled by a `FrameConverter`.
    public init() {
        (width, height) = (0, 0)
        bytes = []
    }

    /// One pixel; black outside of the picture.
    public subscript(column: Int, row: Int) -> Pixel {
        guard (0..<width).contains(column), (0..<height).contains(row) else { return Pixel() }
        let place = (row * width + column) * 3
        return Pixel(red: bytes[place], green: bytes[place + 1], blue: bytes[place + 2])
    }

    static func isPossible(_ width: Int, _ height: Int) -> Bool {
        (1...largestSide).contains(width) && (1...largestSide).contains(height)
            && width * height <= largestArea
    }

    /// Changes the size, keeps the memory where that is the same, and lets `fill` write the pixels.
    ///
    /// - Throws: `.tooLarge` for a size that no picture may have, or what `fill` throws.
    mutating func refill(
        width: Int, height: Int,
        _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard Self.isPossible(width, height) else { throw .size(width, height) }
        if self.width != width || self.height != height {
            bytes = [UInt8](repeating: 0, count: width * height * 3)
            (self.width, self.height) = (width, height)
        }
        let result = bytes.withUnsafeMutableBufferPointer { buffer in
            Result { () throws(ImageError) in try fill(buffer) }
        }
        try result.get()
    }
}

/// One pixel.
public struct Pixel: Sendable, Hashable {
    /// From 0 to 255.
    public var red: UInt8
    /// From 0 to 255.
    public var green: UInt8
    /// From 0 to 255.
    public var blue: UInt8

    /// Makes a pixel; a black one by default.
    public init(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
