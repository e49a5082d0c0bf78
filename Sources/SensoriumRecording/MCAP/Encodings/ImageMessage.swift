import Sensorium

/// Pictures as `foxglove.RawImage` and `foxglove.CompressedImage`.
///
/// Their data is the part of a frame's storage from the first plane to the end of the last one; the
/// planes stand in the event beside it.
enum ImageMessage {
    /// The largest offset of a first plane; before it there is nothing that anybody reads.
    private static let largestGap = 1 << 26

    static func isCompressed(_ frame: CameraFrame) -> Bool { frame.format == .mjpeg }

    static func write(_ frame: CameraFrame, id: SensorID, to buffer: ByteBuffer) {
        buffer.truncate(to: 0)
        let data = data(of: frame)
        buffer.field(1, time: frame.time.instant)
        if isCompressed(frame) {
            buffer.field(2, data)
            buffer.field(3, "jpeg")
            buffer.field(4, id.rawValue)
        } else {
            buffer.field(2, fixed: UInt32(clamping: frame.width))
            buffer.field(3, fixed: UInt32(clamping: frame.height))
            buffer.field(4, encoding(of: frame.format))
            buffer.field(5, fixed: UInt32(clamping: frame.planes.first?.stride ?? 0))
            buffer.field(6, data)
            buffer.field(7, id.rawValue)
        }
    }

    /// What Foxglove calls a format; its code where it has no name.
    private static func encoding(of format: PixelFormat) -> String {
        switch format {
        case .yuyv: "yuv422_yuy2"
        case .nv12: "nv12"
        case .rgb24: "rgb8"
        case .grey: "mono8"
        default: format.description
        }
    }

    private static func data(of frame: CameraFrame) -> UnsafeRawBufferPointer {
        let bytes = frame.storage.bytes
        var end = 0
        for plane in frame.planes where plane.offset >= 0 && plane.length >= 0 {
            let (sum, overflow) = plane.offset.addingReportingOverflow(plane.length)
            if !overflow { end = max(end, min(sum, bytes.count)) }
        }
        return UnsafeRawBufferPointer(rebasing: bytes[min(start(of: frame), end)..<end])
    }

    private static func start(of frame: CameraFrame) -> Int {
        min(max(0, frame.planes.map(\.offset).min() ?? 0), largestGap)
    }

    // MARK: Details

    static func write(detailsOf frame: CameraFrame, to buffer: ByteBuffer) {
        var fields = JSONFieldWriter(buffer: buffer)
        var (width, height) = (frame.width, frame.height)
        var (fourcc, sequence) = (frame.format.fourcc, frame.sequence)
        var (reference, start) = (frame.timeReference.rawValue, start(of: frame))
        fields.field("width", &width)
        fields.field("height", &height)
        fields.field("fourcc", &fourcc)
        fields.field("sequence", &sequence)
        fields.field("time_reference", &reference)
        fields.field("data_offset", &start)
        buffer.raw(",\"planes\":[")
        for (place, plane) in frame.planes.enumerated() {
            buffer.raw(place == 0 ? "{" : ",{")
            var plane = plane
            plane.visit(&fields)
            buffer.raw("}")
        }
        buffer.raw("]")
    }

    /// The frame that details describe; nil where they make no sense.
    static func frame(_ object: JSONObject, _ image: FrameStorage) -> CameraFrame? {
        var fields = JSONFieldReader(object)
        var (width, height, start) = (0, 0, 0)
        var fourcc: UInt32 = 0
        var sequence: UInt32?
        var reference: UInt8 = 0
        fields.field("width", &width)
        fields.field("height", &height)
        fields.field("fourcc", &fourcc)
        fields.field("sequence", &sequence)
        fields.field("time_reference", &reference)
        fields.field("data_offset", &start)
        guard !fields.isRefused, width > 0, height > 0, (0...largestGap).contains(start),
            let timeReference = CameraFrame.TimeReference(rawValue: reference)
        else { return nil }
        var planes: [CameraFrame.Plane] = []
        for row in object.lists["planes"] ?? [] {
            var plane = CameraFrame.Plane(offset: 0, stride: 0, length: 0)
            var fields = JSONFieldReader(row)
            plane.visit(&fields)
            // A frame whose planes lie outside of it is none.
            let (end, overflow) = plane.offset.addingReportingOverflow(plane.length)
            guard !fields.isRefused, plane.offset >= start, plane.length >= 0, !overflow,
                end <= start + image.bytes.count
            else { return nil }
            planes.append(plane)
        }
        var storage = image
        if start > 0 {
            storage = FrameStorage(
                copying: [UInt8](repeating: 0, count: start) + Array(image.bytes))
        }
        return CameraFrame(
            time: .unknown, width: width, height: height, format: PixelFormat(fourcc: fourcc),
            planes: planes, storage: storage, sequence: sequence, timeReference: timeReference)
    }
}

extension CameraFrame.Plane {
    fileprivate mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field("offset", &offset)
        visitor.field("stride", &stride)
        visitor.field("length", &length)
    }
}
