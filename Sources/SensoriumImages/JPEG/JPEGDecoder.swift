import JPEGMarkers

#if Images
import CTurboJPEG
import Glibc

/// A JPEG decoder of libjpeg-turbo, which can be used again and again, by one thread at a time.
struct JPEGDecoder: ~Copyable, @unchecked Sendable {  // the library's decoders know no threads
    private let handle: tjhandle

    init() throws(ImageError) {
        guard let made = tjInitDecompress() else {
            throw ImageError(.unsupported, TurboJPEG.complaint(nil))
        }
        handle = made
    }

    deinit { tjDestroy(handle) }

    /// Decodes the first whole picture in `bytes`.
    ///
    /// - Returns: what the library complained of, although it made a picture; nil for nothing.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into picture: inout Picture
    ) throws(ImageError) -> String? {
        guard let extent = JPEGExtent.find(in: bytes) else {
            throw ImageError(
                .malformed,
                bytes.isEmpty ? "it has no bytes" : "\(bytes.count) bytes hold no whole JPEG")
        }
        let data = UnsafeRawBufferPointer(rebasing: bytes[extent]).baseAddress?
            .assumingMemoryBound(to: UInt8.self)
        let count = UInt(extent.count)
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard tjDecompressHeader3(handle, data, count, &width, &height, &sampling, &space) == 0
        else { throw ImageError(.malformed, TurboJPEG.complaint(handle)) }
        var warning: String?
        try picture.refill(width: Int(width), height: Int(height)) { pixels throws(ImageError) in
            // A picture may claim any number of passes over all its pixels; 500 are too many.
            let status = tjDecompress2(
                handle, data, count, pixels.baseAddress, width, 0, height, Int32(TJPF_RGB.rawValue),
                TJFLAG_LIMITSCANS)
            if status == 0 { return }
            let complaint = TurboJPEG.complaint(handle)
            guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else {
                throw ImageError(.malformed, complaint)
            }
            warning = complaint
        }
        return warning
    }
}

/// What the library says of its errors.
enum TurboJPEG {
    static func complaint(_ handle: tjhandle?) -> String {
        guard let text = tjGetErrorStr2(handle) else { return "libjpeg-turbo does not say why" }
        return "libjpeg-turbo says: \(String(cString: text))"
    }
}
#else
/// No JPEG decoder: this build has no libjpeg-turbo.
struct JPEGDecoder {
    init() throws(ImageError) { throw .missingTrait("JPEG decoder") }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into picture: inout Picture
    ) throws(ImageError) -> String? { throw .missingTrait("JPEG decoder") }
}
#endif
