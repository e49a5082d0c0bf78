#if Images
import CPNG
#endif

/// PNG pictures.
public enum PNG {
    /// Encodes a picture.
    ///
    /// - Throws: `.malformed` for an empty picture; `.unsupported` without the trait `Images`.
    public static func encode(_ picture: Picture) throws(ImageError) -> [UInt8] {
        #if Images
        guard picture.width > 0, picture.height > 0 else {
            throw .size(picture.width, picture.height)
        }
        var image = PNGImage()
        defer { png_image_free(&image.control) }
        image.control.width = UInt32(picture.width)
        image.control.height = UInt32(picture.height)
        // What zlib may need at most, and room for the chunks.
        let raw = picture.bytes.count + picture.height
        var count = png_alloc_size_t(raw + raw / 500 + 4096)
        var data = [UInt8](repeating: 0, count: Int(count))
        let status = picture.bytes.withUnsafeBufferPointer { pixels in
            png_image_write_to_memory(
                &image.control, &data, &count, 0, pixels.baseAddress, 0, nil)
        }
        guard status != 0 else { throw ImageError(.unsupported, image.complaint) }
        data.removeLast(data.count - Int(count))
        return data
        #else
        throw .missingTrait("PNG encoder")
        #endif
    }

    /// Decodes a picture; what is transparent is laid over black.
    ///
    /// - Throws: `.malformed`, `.tooLarge`, or `.unsupported` without the trait `Images`.
    public static func decode(_ bytes: [UInt8]) throws(ImageError) -> Picture {
        #if Images
        var image = PNGImage()
        defer { png_image_free(&image.control) }
        var picture = Picture()
        let result = bytes.withUnsafeBytes { data in
            Result { () throws(ImageError) in
                guard data.count > 0,
                    png_image_begin_read_from_memory(
                        &image.control, data.baseAddress, data.count) != 0
                else {
                    throw ImageError(
                        .malformed, data.isEmpty ? "it has no bytes" : image.complaint)
                }
                image.control.format = PNGImage.rgb
                let (width, height) = (Int(image.control.width), Int(image.control.height))
                try picture.refill(width: width, height: height) { pixels throws(ImageError) in
                    var black = png_color()
                    guard
                        png_image_finish_read(
                            &image.control, &black, pixels.baseAddress, 0, nil) != 0
                    else { throw ImageError(.malformed, image.complaint) }
                }
            }
        }
        try result.get()
        return picture
        #else
        throw .missingTrait("PNG decoder")
        #endif
    }
}

#if Images
/// The control block of libpng's simplified interface, which returns errors in place of jumping.
private struct PNGImage {
    var control = png_image()

    /// `PNG_FORMAT_RGB`, a macro that Swift does not see.
    static let rgb: UInt32 = 2

    init() {
        control.version = UInt32(PNG_IMAGE_VERSION)
        control.format = Self.rgb
    }

    /// What the library says.
    var complaint: String {
        let text = withUnsafeBytes(of: control.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.isEmpty ? "libpng does not say why" : "libpng says: \(text)"
    }
}
#endif
