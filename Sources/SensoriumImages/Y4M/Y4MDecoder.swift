import Sensorium

/// Reads a Y4M file that comes piece by piece.
///
/// Frames come as a camera would give them: 4:2:0 as NV12, 4:2:2 as YUYV, mono as GREY, and as RGB24
/// what a camera's frame cannot say: 4:4:4, and colours with full range.
public struct Y4MDecoder: Sendable {
    /// The header; nil until it has come.
    public private(set) var header: Y4MHeader?

    private var queue = ByteQueue()
    /// Why nothing can be read.
    private var failure: ImageError?
    private var converter: Y4MFrameReader?
    private var isSearching = false

    private static let mark = Array("FRAME".utf8)

    /// Makes a decoder.
    public init() {}

    /// Takes the bytes that come next.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if failure == nil { queue.append(bytes) }
    }

    /// Takes the bytes that come next.
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// The next frame, or what is wrong; nil where more bytes are needed.
    ///
    /// - Throws: as `Y4MHeader` for a first line that cannot be read, again at each call.
    public mutating func next() throws(ImageError) -> FrameEvent? {
        if let failure { throw failure }
        guard let header = try readHeader() else { return nil }
        if isSearching, !findMark() { return nil }
        let (line, isMarked) = queue.look { bytes in
            (
                bytes.prefix(Y4MHeader.lengthLimit).firstIndex(of: 0x0a),
                bytes.prefix(Self.mark.count).elementsEqual(Self.mark)
            )
        }
        guard let line else {
            if queue.count < Y4MHeader.lengthLimit { return nil }
            return loseTrack()
        }
        guard isMarked else { return loseTrack() }
        let length = line + 1 + header.frameLength
        guard queue.count >= length else { return nil }
        let frame = queue.look { bytes in
            converter?.frame(UnsafeRawBufferPointer(rebasing: bytes[(line + 1)..<length]))
        }
        queue.take(length)
        return frame.map { .frame($0) }
    }

    /// What was left when the file ended: call it until it is nil.
    public mutating func finish() -> FrameEvent? {
        if failure != nil { return nil }
        let left = queue.count
        queue.take(left)
        if header == nil {
            let error = ImageError(.malformed, "its first line has no end")
            failure = error
            return .damage(error)
        }
        guard left > 0, !isSearching else { return nil }
        return .damage(ImageError(.malformed, "the last frame is cut"))
    }

    private mutating func readHeader() throws(ImageError) -> Y4MHeader? {
        if let header { return header }
        let line = queue.look { bytes in
            bytes.prefix(Y4MHeader.lengthLimit).firstIndex(of: 0x0a).map { Array(bytes[..<$0]) }
        }
        do throws(ImageError) {
            guard let line else {
                let start = queue.look { Array($0.prefix(Y4MHeader.magic.count)) }
                guard Y4MHeader.magic.starts(with: start), queue.count < Y4MHeader.lengthLimit
                else { throw ImageError(.malformed, "it does not begin with YUV4MPEG2") }
                return nil
            }
            let header = try Y4MHeader(line: String(decoding: line, as: UTF8.self))
            queue.take(line.count + 1)
            self.header = header
            converter = Y4MFrameReader(header)
            return header
        } catch {
            failure = error
            queue = ByteQueue()
            throw error
        }
    }

    /// Where no frame begins, the next one is looked for.
    private mutating func loseTrack() -> FrameEvent {
        isSearching = true
        queue.take(1)
        return .damage(ImageError(.malformed, "where a frame should begin is something else"))
    }

    private mutating func findMark() -> Bool {
        let found = queue.look { bytes -> Int? in
            var place = 0
            while place + Self.mark.count <= bytes.count {
                guard let start = bytes[place...].firstIndex(of: Self.mark[0]),
                    start + Self.mark.count <= bytes.count
                else { return nil }
                if bytes[start..<(start + Self.mark.count)].elementsEqual(Self.mark) {
                    return start
                }
                place = start + 1
            }
            return nil
        }
        queue.take(found ?? max(0, queue.count - Self.mark.count + 1))
        isSearching = found == nil
        return found != nil
    }
}
