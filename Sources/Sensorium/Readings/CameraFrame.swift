/// One picture of a camera.
///
/// The pixels are lent, not copied: they belong to `storage`, and the device cannot use their buffer
/// again until the last reference to it is gone. Copy what you want to keep for long.
///
/// ## Frame
/// The optical frame: z forward, x to the right, y down.
public struct CameraFrame: SensorReading {
    /// `.camera`.
    public static var kind: SensorKind { .camera }

    /// When the frame was taken; `timeReference` says which moment of it.
    public var time: ReadingTime
    /// What a consumer must know before it trusts the values.
    public var flags: ReadingFlags
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int
    /// How the bytes of the planes are to be read.
    public var format: PixelFormat
    /// Where each plane lies within `storage`; one for packed and compressed formats.
    public var planes: [Plane]
    /// The device's count of frames; a gap is a lost frame.
    ///
    /// Nil where the device does not count.
    public var sequence: UInt32?
    /// Which moment `time` is.
    public var timeReference: TimeReference
    /// The bytes.
    public var storage: FrameStorage

    /// Makes a frame.
    public init(
        time: ReadingTime, width: Int, height: Int, format: PixelFormat, planes: [Plane],
        storage: FrameStorage, sequence: UInt32? = nil,
        timeReference: TimeReference = .endOfFrame, flags: ReadingFlags = []
    ) {
        self.time = time
        self.flags = flags
        self.width = width
        self.height = height
        self.format = format
        self.planes = planes
        self.storage = storage
        self.sequence = sequence
        self.timeReference = timeReference
    }

    /// One plane of a frame.
    public struct Plane: Sendable, Hashable {
        /// Bytes from the start of the storage.
        public var offset: Int
        /// Bytes from one row to the next; 0 for compressed formats.
        public var stride: Int
        /// Bytes of the plane.
        ///
        /// The last row may lack its padding.
        public var length: Int

        /// Makes a plane.
        public init(offset: Int, stride: Int, length: Int) {
            self.offset = offset
            self.stride = stride
            self.length = length
        }
    }

    /// Which moment a frame's time is.
    public enum TimeReference: UInt8, Sendable, Hashable {
        /// The last byte arrived.
        case endOfFrame = 0
        /// The exposure began.
        case startOfExposure = 1
    }
}

/// A pixel format, named by its four-character code.
///
/// Source: linux/videodev2.h.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
    /// The code, first character in the lowest byte.
    public var fourcc: UInt32

    /// Makes a format of a code.
    public init(fourcc: UInt32) { self.fourcc = fourcc }

    /// Makes a format of four characters; nil where `name` is not four ASCII characters.
    public init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        fourcc = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Packed 4:2:2, Y0 U Y1 V.
    public static let yuyv = PixelFormat(fourcc: 0x5659_5559)
    /// 4:2:0 with a plane of Y and one of interleaved U and V.
    public static let nv12 = PixelFormat(fourcc: 0x3231_564e)
    /// Packed red, green, blue.
    public static let rgb24 = PixelFormat(fourcc: 0x3342_4752)
    /// Eight bits of grey.
    public static let grey = PixelFormat(fourcc: 0x5945_5247)
    /// One JPEG picture.
    public static let mjpeg = PixelFormat(fourcc: 0x4750_4a4d)

    /// The four characters.
    public var description: String {
        String(
            decoding: (0..<4).map { UInt8(truncatingIfNeeded: fourcc >> (8 * $0)) }, as: UTF8.self)
    }
}

/// The bytes of a frame, which somebody else owns; given back when the last reference is gone.
public final class FrameStorage: @unchecked Sendable {  // no lock: nobody writes the bytes any more
    /// The bytes, valid as long as this object lives.
    public let bytes: UnsafeRawBufferPointer
    private let giveBack: @Sendable () -> Void

    /// Lends `bytes`, which must not change until `giveBack` is called, once, from any thread.
    public init(bytes: UnsafeRawBufferPointer, giveBack: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.giveBack = giveBack
    }

    /// Copies `bytes` into storage of its own.
    public convenience init(copying bytes: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyBytes(from: bytes)
        nonisolated(unsafe) let owned = copy
        self.init(bytes: UnsafeRawBufferPointer(copy)) { owned.deallocate() }
    }

    deinit { giveBack() }
}
