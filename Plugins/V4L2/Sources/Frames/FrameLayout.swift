import Sensorium

/// Where the pixels of a frame lie, by what the driver says of its format.
///
/// Rows may be padded: `bytesPerLine` is the distance from one row to the next. The last row needs
/// no padding. Source: the kernel's description of each format ("Image Formats").
package struct FrameLayout: Hashable, Sendable {
    /// The driver's format.
    package let format: V4L2Format
    /// From one row to the next; 0 for compressed formats.
    package let stride: Int
    /// The bytes of a row that hold pixels; 0 for compressed formats.
    package let rowBytes: Int
    /// What a whole frame takes at least.
    package let needed: Int
    /// Another distance between rows that the size of the image suggests; nil where both agree.
    ///
    /// Some drivers tell the width of a row but pad it: 624x480 RGB24 with 1872 bytes per line
    /// and an image of 921600 bytes, which is 480 rows of 1920.
    package let otherStride: Int?

    /// The formats that can be read, the preferred ones first.
    package static let readable: [PixelFormat] = [
        .yuyv, .nv12, .rgb24, .grey, .mjpeg, .jpeg,
    ]

    /// The largest width or height that is believed.
    package static let largestSide = 65_536

    /// Works the layout out.
    ///
    /// - Parameter chosenStride: what the user says the distance between rows is.
    /// - Throws: `.malformed` where the numbers cannot be true, `.unsupported` for another format.
    package init(_ format: V4L2Format, stride chosenStride: Int? = nil) throws(V4L2Fault) {
        let (width, height) = (format.width, format.height)
        guard Self.readable.contains(format.pixels) else {
            throw V4L2Fault(
                .unsupported, "the camera gives \(format.pixels), which this plugin cannot read",
                hint: "choose another by v4l2.format: YUYV, NV12, RGB3, GREY or MJPG")
        }
        guard format.memoryPlanes == 1 else {
            throw V4L2Fault(
                .unsupported,
                "the camera puts its pictures into \(format.memoryPlanes) separate memories",
                hint: "choose another format by v4l2.format")
        }
        guard (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height),
            (0...(1 << 31)).contains(format.bytesPerLine)
        else {
            throw V4L2Fault(
                .malformed,
                "the driver says that frames are \(width)x\(height) with \(format.bytesPerLine) "
                    + "bytes per line")
        }
        self.format = format
        if format.pixels.isCompressed {
            (stride, rowBytes, otherStride) = (0, 0, nil)
            needed = 1
            return
        }
        // Two pixels share their colour, so that an odd width takes the room of the next even one.
        let evenWidth = (width + 1) & ~1
        rowBytes =
            switch format.pixels {
            case .yuyv: evenWidth * 2
            case .rgb24: width * 3
            case .nv12: evenWidth
            default: width
            }
        let told = chosenStride ?? format.bytesPerLine
        stride = told == 0 ? rowBytes : told
        guard stride >= rowBytes else {
            throw V4L2Fault(
                .malformed,
                "\(stride) bytes per line are too few for \(width) pixels of \(format.pixels)",
                hint: chosenStride == nil
                    ? "set v4l2.stride to the distance between rows" : "set v4l2.stride higher")
        }
        let rows = format.pixels == .nv12 ? height + (height + 1) / 2 : height
        needed = stride * (rows - 1) + rowBytes
        let (quotient, rest) = format.imageSize.quotientAndRemainder(dividingBy: rows)
        otherStride =
            chosenStride == nil && rest == 0 && quotient > stride && format.imageSize > 0
            ? quotient : nil
    }

    /// The planes of a frame of `length` bytes that begins at `offset`; nil where it is too short.
    package func planes(offset: Int, length: Int) -> [CameraFrame.Plane]? {
        guard length >= needed else { return nil }
        guard format.pixels == .nv12 else {
            return [CameraFrame.Plane(offset: offset, stride: stride, length: length)]
        }
        let first = stride * format.height
        return [
            CameraFrame.Plane(offset: offset, stride: stride, length: first),
            CameraFrame.Plane(offset: offset + first, stride: stride, length: length - first),
        ]
    }

    /// What frames are called: JPEG by any other name is still JPEG.
    package var pixels: PixelFormat { format.pixels == .jpeg ? .mjpeg : format.pixels }
}

extension PixelFormat {
    /// What some drivers call a JPEG picture.
    static let jpeg = PixelFormat(fourcc: 0x4745_504a)

    /// Whether a frame is a JPEG picture, without rows.
    var isCompressed: Bool { self == .mjpeg || self == .jpeg }
}
