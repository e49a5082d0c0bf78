import JPEGMarkers

/// Finds the pictures in a stream of JPEG pictures, one after another, whatever is between them.
///
/// A picture that is cut off is told of as damage, and the next one is found. Bytes between pictures
/// are skipped. Memory is bounded by the largest picture.
public struct MJPEGDecoder: Sendable {
    /// The largest picture in bytes; a longer one counts as damage.
    public let limit: Int
    /// How many bytes between pictures were skipped.
    public private(set) var skippedBytes = 0

    private var queue = ByteQueue()
    /// The walk through the picture at the queue's front; nil before one has begun.
    private var walk: JPEGWalk?

    /// Makes a decoder.
    public init(limit: Int = 64 << 20) { self.limit = limit }

    /// Takes the bytes that come next.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) { queue.append(bytes) }

    /// Takes the bytes that come next.
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { queue.append($0) }
    }

    /// The next picture, or what is wrong; nil where more bytes are needed.
    public mutating func next() -> FrameEvent? {
        while true {
            if walk == nil, !begin() { return nil }
            guard var current = walk else { return nil }
            let outcome = queue.look { current.advance(in: $0) }
            walk = current
            switch outcome {
            case .ended(let end) where end > limit:
                queue.take(end)
                walk = nil
                return .damage(tooLong)
            case .ended(let end):
                let picture = queue.look { Array($0[..<end]) }
                queue.take(end)
                walk = nil
                do throws(ImageError) {
                    return .frame(try RawFrame(jpeg: picture))
                } catch {
                    return .damage(error)
                }
            case .unfinished:
                if queue.count <= limit { return nil }
                queue.take(min(queue.count, max(2, current.nextBeginning)))
                walk = nil
                return .damage(tooLong)
            case .broken(let place):
                queue.take(max(2, place))
                walk = nil
                return .damage(ImageError(.malformed, "a JPEG picture is cut off"))
            }
        }
    }

    private var tooLong: ImageError {
        ImageError(.tooLarge, "a JPEG picture is longer than \(limit) bytes")
    }

    /// What was left when the stream ended: call it until it is nil.
    public mutating func finish() -> FrameEvent? {
        if let event = next() { return event }
        guard let current = walk else {
            skippedBytes += queue.count
            queue.take(queue.count)
            return nil
        }
        queue.take(min(queue.count, max(2, current.nextBeginning)))
        walk = nil
        return .damage(ImageError(.malformed, "the last JPEG picture is cut off"))
    }

    /// Begins a walk where the next picture does; false where none has begun yet.
    private mutating func begin() -> Bool {
        let found = queue.look { $0.firstPicture(from: 0) }
        guard let found else {
            // The last two bytes may be the beginning of one.
            let waste = max(0, queue.count - 2)
            skippedBytes += waste
            queue.take(waste)
            return false
        }
        skippedBytes += found
        queue.take(found)
        walk = JPEGWalk(from: 0)
        return true
    }
}
