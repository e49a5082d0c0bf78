/// Finds the whole JPEG picture in what a camera put into a buffer.
///
/// Cameras cut pictures off, put fill bytes after them, and sometimes a whole picture after one that
/// was cut. Only the markers are looked at; nothing is decoded. Source: ITU-T T.81, annex B.
package enum JPEGExtent {
    /// After so many beginnings without an end, the buffer is given up.
    private static let attempts = 8

    /// Where the first whole picture lies, from its SOI to its EOI marker; nil where there is none.
    package static func find(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        var start = 0
        for _ in 0..<attempts {
            guard let begin = bytes.firstPicture(from: start) else { return nil }
            // The first picture begins where the buffer does.
            if start == 0, begin != 0 { return nil }
            var walk = JPEGWalk(from: begin)
            switch walk.advance(in: bytes) {
            case .ended(let end): return begin..<end
            case .unfinished: start = walk.nextBeginning
            case .broken(let place): start = place
            }
        }
        return nil
    }
}
