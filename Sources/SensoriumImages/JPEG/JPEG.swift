import JPEGMarkers

/// JPEG pictures.
public enum JPEG {
    /// The first whole picture in `bytes`, with the standard's Huffman tables in it, so that any program
    /// can read it; nil where there is no whole picture at the start or after a cut one.
    ///
    /// Cameras leave the tables out, put fill bytes after the picture, and cut pictures off. Nothing is
    /// decoded, and a picture that has tables stays as it is.
    public static func whole(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let extent = JPEGExtent.find(in: bytes) else { return nil }
        let picture = UnsafeRawBufferPointer(rebasing: bytes[extent])
        guard let outline = JPEGOutline(picture) else { return nil }
        guard outline.lacksHuffmanTables else { return Array(picture) }
        var whole: [UInt8] = []
        whole.reserveCapacity(picture.count + StandardHuffmanTables.segment.count)
        whole += picture[..<outline.firstScan]
        whole += StandardHuffmanTables.segment
        whole += picture[outline.firstScan...]
        return whole
    }

    /// The size that the first whole picture in `bytes` has by its header; nil where there is none.
    public static func size(of bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        guard let extent = JPEGExtent.find(in: bytes),
            let outline = JPEGOutline(UnsafeRawBufferPointer(rebasing: bytes[extent]))
        else { return nil }
        return (outline.width, outline.height)
    }

    /// Decodes the first whole picture in `bytes`.
    ///
    /// - Throws: `.malformed`, `.tooLarge`, or `.unsupported` for what is no picture of three colours
    ///   or grey, and without the trait `Images`.
    public static func decode(_ bytes: [UInt8]) throws(ImageError) -> Picture {
        var decoder = try JPEGDecoder()
        var picture = Picture()
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ImageError) in _ = try decoder.decode(buffer, into: &picture) }
        }
        try result.get()
        return picture
    }
}
