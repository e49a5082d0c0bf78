import JPEGMarkers
public import Sensorium

/// Makes pictures of a camera's frames: YUYV, NV12, RGB24, GREY, and MJPEG with the trait `Images`.
///
/// It keeps the JPEG decoder between frames; `Picture.init(_:color:)` is enough for one. Padding
/// at the ends of rows is left out, the last row may lack it, and an odd width takes its last pixel
/// from half a pair.
public struct FrameConverter: ~Copyable {
    /// How the numbers of YUYV and NV12 stand for colours.
    public var color: ColorEncoding
    /// What the decoder complained of in the last picture, although it made one; nil for nothing.
    ///
    /// Many cameras write a few bytes too many, which do no harm; but a picture with damage inside is
    /// told of here, too.
    public private(set) var warning: String?
    private var decoder: JPEGDecoder?

    /// Makes a converter.
    public init(color: ColorEncoding = .default) { self.color = color }

    /// Makes a picture of a frame.
    ///
    /// - Throws: `.malformed` where planes are too short or JPEG data is damaged, `.unsupported` for
    ///   another format, `.tooLarge`.
    public mutating func picture(of frame: CameraFrame) throws(ImageError) -> Picture {
        var picture = Picture()
        try convert(frame, into: &picture)
        return picture
    }

    /// Makes a picture of a frame in the memory of another picture, which is used again where the size
    /// is the same.
    ///
    /// After an error, the picture's pixels are undefined.
    ///
    /// - Throws: as `picture(of:)`.
    public mutating func convert(
        _ frame: CameraFrame, into picture: inout Picture
    ) throws(ImageError) {
        warning = nil
        if frame.format == .mjpeg {
            let jpeg = try Planes(frame).bytes(0)
            if decoder == nil { decoder = try JPEGDecoder() }
            do throws(ImageError) {
                warning = try decoder?.decode(jpeg, into: &picture)
            } catch {
                // A decoder that has failed refuses good pictures, too.
                decoder = nil
                throw error
            }
            withExtendedLifetime(frame.storage) {}
            return
        }
        let (width, height) = (frame.width, frame.height)
        guard Picture.isPossible(width, height) else { throw .size(width, height) }
        let planes = try Planes(frame)
        let factors = ColorFactors(color)
        try picture.refill(width: width, height: height) { pixels throws(ImageError) in
            guard let target = pixels.baseAddress else { return }
            switch frame.format {
            case .yuyv: try planes.readYUYV(factors, target)
            case .nv12: try planes.readNV12(factors, target)
            case .rgb24: try planes.readRGB24(target)
            case .grey: try planes.readGrey(target)
            default:
                throw ImageError(
                    .unsupported, "frames in \(frame.format) cannot be converted",
                    hint: "let the camera give YUYV, NV12, RGB3, GREY or MJPG")
            }
        }
        withExtendedLifetime(frame.storage) {}
    }
}

extension Picture {
    /// Makes a picture of a camera's frame.
    ///
    /// - Parameter color: how the numbers of YUYV and NV12 stand for colours.
    /// - Throws: as `FrameConverter.picture(of:)`.
    public init(_ frame: CameraFrame, color: ColorEncoding = .default) throws(ImageError) {
        var converter = FrameConverter(color: color)
        self = try converter.picture(of: frame)
    }
}
