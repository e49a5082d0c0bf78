import JPEGMarkers
import Sensorium

/// A picture of another program, not yet checked.
struct ForeignImage {
    private var stamp: Int64?
    private var width: UInt32 = 0
    private var height: UInt32 = 0
    private var encoding = ""
    private var step: UInt32 = 0
    private var data = UnsafeRawBufferPointer(start: nil, count: 0)
    private let isCompressed: Bool

    /// `foxglove.RawImage` or `foxglove.CompressedImage`; nil where the bytes make no sense.
    init?(foxglove bytes: UnsafeRawBufferPointer, isCompressed: Bool) {
        self.isCompressed = isCompressed
        var fields = ProtobufFields(bytes)
        while let (number, value) = fields.next() {
            switch (number, isCompressed) {
            case (1, _): stamp = value.timestamp
            case (2, true): data = value.bytes ?? data
            case (3, true): encoding = value.text ?? ""
            case (2, false): width = value.fixed32 ?? 0
            case (3, false): height = value.fixed32 ?? 0
            case (4, false): encoding = value.text ?? ""
            case (5, false): step = value.fixed32 ?? 0
            case (6, false): data = value.bytes ?? data
            default: break
            }
        }
        if fields.isMalformed { return nil }
    }

    /// `sensor_msgs/msg/Image` or `CompressedImage` behind its header.
    init?(ros message: inout CDRCursor, stamp: Int64, isCompressed: Bool) {
        self.isCompressed = isCompressed
        self.stamp = stamp
        if isCompressed {
            guard let format = message.text(), let block = message.block() else { return nil }
            // `rgb8; jpeg compressed bgr8` is one, too.
            encoding = format.contains("jpeg") || format.contains("jpg") ? "jpeg" : format
            data = block
        } else {
            guard let height = message.integer(UInt32.self),
                let width = message.integer(UInt32.self),
                let encoding = message.text(), message.integer(UInt8.self) != nil,
                let step = message.integer(UInt32.self), let block = message.block()
            else { return nil }
            (self.height, self.width, self.encoding) = (height, width, encoding)
            (self.step, data) = (step, block)
        }
    }

    /// The frame; nil where its format is none of ours, or its data is too short for its size.
    ///
    /// - Parameter time: turns the stamp into the time of the frame.
    func frame(_ time: (Int64?) -> ReadingTime) -> CameraFrame? {
        if isCompressed {
            guard encoding == "jpeg" || encoding == "jpg", let size = JPEGOutline(data) else {
                return nil
            }
            return CameraFrame(
                time: time(stamp), width: size.width, height: size.height, format: .mjpeg,
                planes: [.init(offset: 0, stride: 0, length: data.count)],
                storage: FrameStorage(copying: data))
        }
        guard let (format, bytesPerPixel) = Self.format(encoding), width > 0, height > 0 else {
            return nil
        }
        let (width, height) = (Int(width), Int(height))
        let stride = step == 0 ? width * bytesPerPixel : Int(step)
        guard stride >= width * bytesPerPixel else { return nil }
        var planes = [CameraFrame.Plane(offset: 0, stride: stride, length: stride * height)]
        if format == .nv12 {
            planes.append(
                .init(
                    offset: stride * height, stride: stride, length: stride * ((height + 1) / 2)))
        }
        let end = planes[planes.count - 1].offset + planes[planes.count - 1].length
        // The last row may lack its padding.
        let needed = end - (stride - width * bytesPerPixel)
        guard data.count >= needed else { return nil }
        planes[planes.count - 1].length -= max(0, end - data.count)
        return CameraFrame(
            time: time(stamp), width: width, height: height, format: format, planes: planes,
            storage: FrameStorage(copying: data))
    }

    /// The format that Foxglove or ROS calls so, and the bytes of a pixel in its first plane.
    private static func format(_ encoding: String) -> (PixelFormat, Int)? {
        switch encoding {
        case "yuv422_yuy2", "yuyv": (.yuyv, 2)
        case "nv12": (.nv12, 1)
        case "rgb8": (.rgb24, 3)
        case "mono8", "8UC1": (.grey, 1)
        default: nil
        }
    }
}
