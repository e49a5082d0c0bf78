/// What the markers before the first scan say of a JPEG picture.
package struct JPEGOutline: Hashable, Sendable {
    /// Pixels in a row.
    package let width: Int
    /// Rows.
    package let height: Int
    /// Whether its coded data needs Huffman tables that are not in it.
    ///
    /// Many cameras leave the tables of the standard out, as AVI files do.
    package let lacksHuffmanTables: Bool
    /// Where the marker of the first scan is.
    package let firstScan: Int

    /// Reads the markers of a picture; nil where it does not begin with SOI, or has no frame of a known
    /// size before its first scan.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2, bytes[0] == 0xff, bytes[1] == 0xd8 else { return nil }
        var frame: (width: Int, height: Int, isHuffman: Bool)?
        var hasTables = false
        var place = 2
        while place + 3 < bytes.count, bytes[place] == 0xff {
            let code = bytes[place + 1]
            if code == 0xff {
                place += 1
                continue
            }
            if code == 0x01 || (0xd0...0xd7).contains(code) {
                place += 2
                continue
            }
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            guard length >= 2 else { return nil }
            switch code {
            case 0xda:
                guard let frame, frame.width > 0, frame.height > 0 else { return nil }
                (width, height, firstScan) = (frame.width, frame.height, place)
                lacksHuffmanTables = frame.isHuffman && !hasTables
                return
            case 0xc4:
                hasTables = true
            case 0xc8, 0xcc:  // an extension, and tables of the arithmetic coding
                break
            case 0xc0...0xcf:
                guard length >= 8, place + 8 < bytes.count else { return nil }
                frame = (
                    Int(bytes[place + 7]) << 8 | Int(bytes[place + 8]),
                    Int(bytes[place + 5]) << 8 | Int(bytes[place + 6]), code == 0xc0 || code == 0xc1
                )
            default:
                break
            }
            place += 2 + length
        }
        return nil
    }
}
