public import Sensorium

#if Images
import CTurboJPEG
#endif

extension JPEG {
    /// A camera's frame as a JPEG picture that any program can read.
    ///
    /// One in MJPEG is taken as it is, with the standard's Huffman tables put in where it has none.
    ///
    /// - Parameter quality: as for a picture; it does not matter for MJPEG.
    /// - Throws: as `FrameConverter.picture(of:)`; `.unsupported` without the trait `Images`, but for
    ///   MJPEG.
    public static func encode(
        _ frame: CameraFrame, quality: Int = 90
    ) throws(ImageError) -> [UInt8] {
        guard frame.format == .mjpeg else { return try encode(Picture(frame), quality: quality) }
        let bytes = try Planes(frame).bytes(0)
        defer { withExtendedLifetime(frame.storage) {} }
        guard let whole = whole(bytes) else {
            throw ImageError(.malformed, "\(bytes.count) bytes hold no whole JPEG")
        }
        return whole
    }

    /// Encodes a picture.
    ///
    /// - Parameter quality: from 1, the smallest, to 100; what is outside is taken for the nearest.
    ///   Colours are kept in full from 90 on, and for every other pixel below.
    /// - Throws: `.malformed` for an empty picture; `.unsupported` without the trait `Images`.
    public static func encode(_ picture: Picture, quality: Int = 90) throws(ImageError) -> [UInt8] {
        #if Images
        guard picture.width > 0, picture.height > 0 else {
            throw .size(picture.width, picture.height)
        }
        guard let handle = tjInitCompress() else {
            throw ImageError(.unsupported, TurboJPEG.complaint(nil))
        }
        defer { tjDestroy(handle) }
        let sampling = quality >= 90 ? TJSAMP_444 : TJSAMP_420
        var data: UnsafeMutablePointer<UInt8>?
        defer { tjFree(data) }
        var count: UInt = 0
        let status = picture.bytes.withUnsafeBufferPointer { pixels in
            tjCompress2(
                handle, pixels.baseAddress, Int32(picture.width), 0, Int32(picture.height),
                Int32(TJPF_RGB.rawValue), &data, &count, Int32(sampling.rawValue),
                Int32(max(1, min(100, quality))), 0)
        }
        guard status == 0, let data else {
            throw ImageError(.unsupported, TurboJPEG.complaint(handle))
        }
        return Array(UnsafeBufferPointer(start: data, count: Int(count)))
        #else
        throw .missingTrait("JPEG encoder")
        #endif
    }
}
