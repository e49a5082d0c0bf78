public import Sensorium

/// The bytes of one frame from a file, as a camera would give them, without a time.
public struct RawFrame: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int
    /// How the bytes are to be read.
    public var format: PixelFormat
    /// Where each plane lies.
    public var planes: [CameraFrame.Plane]
    /// The bytes of all planes.
    public var bytes: [UInt8]

    /// Makes a frame.
    public init(
        width: Int, height: Int, format: PixelFormat, planes: [CameraFrame.Plane], bytes: [UInt8]
    ) {
        self.width = width
        self.height = height
        self.format = format
        self.planes = planes
        self.bytes = bytes
    }

    /// A JPEG picture as a frame.
    ///
    /// - Throws: `.malformed` for what is no whole picture.
    public init(jpeg: [UInt8]) throws(ImageError) {
        guard let whole = jpeg.withUnsafeBytes({ JPEG.whole($0) }),
            let size = whole.withUnsafeBytes({ JPEG.size(of: $0) })
        else { throw ImageError(.malformed, "\(jpeg.count) bytes hold no whole JPEG") }
        guard Picture.isPossible(size.width, size.height) else {
            throw .size(size.width, size.height)
        }
        self.init(
            width: size.width, height: size.height, format: .mjpeg,
            planes: [CameraFrame.Plane(offset: 0, stride: 0, length: whole.count)], bytes: whole)
    }

    /// A picture as a frame in RGB24.
    public init(_ picture: Picture) {
        self.init(
            width: picture.width, height: picture.height, format: .rgb24,
            planes: [
                CameraFrame.Plane(
                    offset: 0, stride: picture.width * 3, length: picture.bytes.count)
            ], bytes: picture.bytes)
    }

    /// This frame with a time: a camera's.
    ///
    /// The bytes are copied once, into storage that consumers share.
    public func frame(at time: ReadingTime, sequence: UInt32? = nil) -> CameraFrame {
        CameraFrame(
            time: time, width: width, height: height, format: format, planes: planes,
            storage: FrameStorage(copying: bytes), sequence: sequence)
    }
}

/// What a decoder of many frames finds next.
public enum FrameEvent: Sendable, Hashable {
    /// A frame.
    case frame(RawFrame)
    /// A frame that could not be read; others may follow.
    case damage(ImageError)
}

/// Bytes that come piece by piece and are taken from the front.
struct ByteQueue: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where what is left begins.
    private(set) var start = 0

    /// How many bytes are left.
    var count: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        // Moved at most once for every byte that was taken.
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    mutating func take(_ count: Int) { start = min(bytes.count, start + count) }

    /// What is left.
    func look<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }
}
