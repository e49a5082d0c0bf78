public import Sensorium

/// Writes frames as Y4M, which video programs read.
///
/// NV12, YUYV and GREY are written as they are; RGB24 and MJPEG as 4:4:4 with full range, so that each
/// value is off by two at most.
public struct Y4MEncoder: ~Copyable {
    /// What all frames are.
    public let header: Y4MHeader

    private let format: PixelFormat
    private var converter: FrameConverter
    private var picture = Picture()

    /// Makes an encoder of frames like `first`.
    ///
    /// - Parameter rate: frames a second; nil where that is not known.
    /// - Throws: `.unsupported` for a format that cannot be written, `.tooLarge`, `.malformed`.
    public init(like first: CameraFrame, rate: Y4MHeader.FrameRate?) throws(ImageError) {
        guard Picture.isPossible(first.width, first.height) else {
            throw .size(first.width, first.height)
        }
        let (sampling, range): (Y4MHeader.Sampling, ColorEncoding.Range) =
            switch first.format {
            case .nv12: (.two420, .limited)
            case .yuyv: (.two422, .limited)
            case .grey: (.mono, .full)
            case .rgb24, .mjpeg: (.one444, .full)
            default:
                throw ImageError(
                    .unsupported, "frames in \(first.format) cannot be written as Y4M",
                    hint: "let the camera give YUYV, NV12, RGB3, GREY or MJPG")
            }
        header = Y4MHeader(
            width: first.width, height: first.height, rate: rate, sampling: sampling, range: range)
        format = first.format
        converter = FrameConverter()
    }

    /// The bytes of a frame, its line included.
    ///
    /// - Throws: `.unsupported` for a frame of another size or format: a Y4M file has one of each.
    ///   `.malformed` for a damaged one.
    public mutating func encode(_ frame: CameraFrame) throws(ImageError) -> [UInt8] {
        guard frame.width == header.width, frame.height == header.height, frame.format == format
        else {
            throw ImageError(
                .unsupported,
                "a frame is \(frame.width)x\(frame.height) \(frame.format), and the file is "
                    + "\(header.width)x\(header.height) \(format)")
        }
        var bytes = Array("FRAME\n".utf8)
        bytes.reserveCapacity(bytes.count + header.frameLength)
        let planes = try Planes(frame)
        switch format {
        case .nv12: try planes.appendPlanarNV12(to: &bytes)
        case .yuyv: try planes.appendPlanarYUYV(to: &bytes)
        case .grey: try planes.appendGrey(to: &bytes)
        default:
            try converter.convert(frame, into: &picture)
            guard picture.width == header.width, picture.height == header.height else {
                throw ImageError(
                    .malformed,
                    "the JPEG is \(picture.width)x\(picture.height), and the frame "
                        + "\(header.width)x\(header.height)")
            }
            Self.append(picture, to: &bytes)
        }
        withExtendedLifetime(frame.storage) {}
        return bytes
    }

    /// Appends a picture as planes of Y, U and V with full range.
    private static func append(_ picture: Picture, to bytes: inout [UInt8]) {
        // 16 bits after the point; the sums of each row are 65536, 0 and 0.
        func plane(_ red: Int32, _ green: Int32, _ blue: Int32, _ offset: Int32) {
            picture.bytes.withUnsafeBufferPointer { pixels in
                for place in stride(from: 0, to: pixels.count, by: 3) {
                    let sum =
                        red &* Int32(pixels[place]) &+ green &* Int32(pixels[place + 1])
                        &+ blue &* Int32(pixels[place + 2])
                    let value = (sum &+ 32768) >> 16 &+ offset
                    bytes.append(UInt8(truncatingIfNeeded: max(0, min(255, value))))
                }
            }
        }
        plane(19595, 38470, 7471, 0)
        plane(-11059, -21709, 32768, 128)
        plane(32768, -27439, -5329, 128)
    }
}
