/// How the numbers of YUYV and NV12 stand for colours.
///
/// A frame does not tell. Webcams and Linux's drivers use BT.601 with limited range unless they say
/// something else, and so does this module. Pictures in JPEG are always BT.601 with full range, and
/// GREY is always full range. Source: the kernel's "Colorspaces" (default quantization and encoding).
public struct ColorEncoding: Sendable, Hashable {
    /// The weights of red, green and blue.
    public var matrix: Matrix
    /// Which numbers are black and white.
    public var range: Range

    /// Makes an encoding.
    public init(_ matrix: Matrix, _ range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// BT.601 with limited range.
    public static let `default` = ColorEncoding(.bt601, .limited)
    /// BT.601 with full range, as in JPEG.
    public static let jpeg = ColorEncoding(.bt601, .full)

    /// The weights of red, green and blue in the brightness.
    public enum Matrix: Sendable, Hashable, CaseIterable {
        /// Of standard television and of JPEG.
        case bt601
        /// Of high-definition television.
        case bt709
    }

    /// Which numbers are black and white.
    public enum Range: Sendable, Hashable, CaseIterable {
        /// Black is 16, white 235; colour goes from 16 to 240.
        case limited
        /// Black is 0, white 255.
        case full
    }

    /// The weights of red and blue; green has the rest.
    var weights: (red: Double, blue: Double) {
        switch matrix {
        case .bt601: (0.299, 0.114)
        case .bt709: (0.2126, 0.0722)
        }
    }
}

/// The factors that turn Y, U and V into red, green and blue: 16 bits after the point.
struct ColorFactors {
    let black: Int32
    let luma: Int32
    let redOfV: Int32
    let greenOfU: Int32
    let greenOfV: Int32
    let blueOfU: Int32

    init(_ encoding: ColorEncoding) {
        let (red, blue) = encoding.weights
        let green = 1 - red - blue
        let isFull = encoding.range == .full
        let (lumaScale, chromaScale) = isFull ? (1.0, 1.0) : (255.0 / 219, 255.0 / 224)
        func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
        black = isFull ? 0 : 16
        luma = fixed(lumaScale)
        redOfV = fixed(2 * (1 - red) * chromaScale)
        greenOfU = fixed(-2 * (1 - blue) * blue / green * chromaScale)
        greenOfV = fixed(-2 * (1 - red) * red / green * chromaScale)
        blueOfU = fixed(2 * (1 - blue) * chromaScale)
    }

    /// What U and V add to red, green and blue, rounding included.
    @inline(__always)
    func chroma(_ u: UInt8, _ v: UInt8) -> (red: Int32, green: Int32, blue: Int32) {
        let (cb, cr) = (Int32(u) &- 128, Int32(v) &- 128)
        return (
            redOfV &* cr &+ 32768, greenOfU &* cb &+ greenOfV &* cr &+ 32768,
            blueOfU &* cb &+ 32768
        )
    }

    /// Writes one pixel.
    @inline(__always)
    func write(
        _ y: UInt8, _ chroma: (red: Int32, green: Int32, blue: Int32),
        to pixel: UnsafeMutablePointer<UInt8>
    ) {
        let light = luma &* (Int32(y) &- black)
        pixel[0] = Self.clamp((light &+ chroma.red) >> 16)
        pixel[1] = Self.clamp((light &+ chroma.green) >> 16)
        pixel[2] = Self.clamp((light &+ chroma.blue) >> 16)
    }

    @inline(__always)
    private static func clamp(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value)))
    }
}
