import CSensorium
import Sensorium

extension CameraFrame: BoundaryReading {
    static var boundarySize: Int { MemoryLayout<sensorium_frame>.size }

    @inline(__always)
    init?(boundaryForm form: UnsafeRawPointer) {
        self.init(form.loadUnaligned(as: sensorium_frame.self))
    }

    static func accept(
        _ batch: UnsafePointer<sensorium_batch>?, into sink: ReadingSink<CameraFrame>
    ) throws(LentBatch.Fault) {
        try acceptEach(batch, into: sink)
    }

    /// Lends one frame at a time.
    ///
    /// The host retains the storage of those that it keeps.
    static func lend(_ readings: Span<CameraFrame>, to receiver: HostReceiver) {
        for index in readings.indices {
            let frame = readings[index]
            guard var form = frame.boundaryForm else {
                receiver.lose(ReadingLoss(count: 1, reason: .malformed))
                continue
            }
            receiver.deliver(
                kind: kind, count: 1, stride: MemoryLayout<sensorium_frame>.size, readings: &form)
        }
    }

    /// Borrows a frame and keeps it; nil where its planes do not lie within its bytes.
    private init?(_ frame: sensorium_frame) {
        guard let retain = frame.retain, let release = frame.release, let bytes = frame.bytes,
            let length = Int(exactly: frame.length), length > 0, frame.plane_count > 0,
            frame.plane_count <= SENSORIUM_PLANES, frame.width > 0, frame.height > 0
        else { return nil }
        var planes: [Plane] = []
        for plane in withUnsafeBytes(
            of: frame.planes,
            {
                Array($0.bindMemory(to: sensorium_plane.self)).prefix(Int(frame.plane_count))
            })
        {
            let (end, overflow) = plane.offset.addingReportingOverflow(plane.length)
            guard !overflow, end <= frame.length, let stride = Int(exactly: plane.stride) else {
                return nil
            }
            planes.append(
                Plane(offset: Int(plane.offset), stride: stride, length: Int(plane.length)))
        }
        retain(frame.owner)
        nonisolated(unsafe) let owner = frame.owner
        self.init(
            time: ReadingTime(frame.time), width: Int(frame.width), height: Int(frame.height),
            format: PixelFormat(fourcc: frame.fourcc), planes: planes,
            storage: FrameStorage(bytes: UnsafeRawBufferPointer(start: bytes, count: length)) {
                release(owner)
            },
            sequence: frame.valid.has(SENSORIUM_FRAME_SEQUENCE) ? frame.sequence : nil,
            timeReference: TimeReference(rawValue: frame.time_reference) ?? .endOfFrame,
            flags: ReadingFlags(rawValue: frame.flags))
    }

    /// The frame as it is lent; nil where it has no bytes, or more planes than can cross.
    private var boundaryForm: sensorium_frame? {
        guard planes.count <= Int(SENSORIUM_PLANES), let bytes = storage.bytes.baseAddress,
            let width = UInt32(exactly: width), let height = UInt32(exactly: height)
        else { return nil }
        var form = sensorium_frame()
        form.time = time.boundaryForm
        form.flags = flags.rawValue
        form.time_reference = timeReference.rawValue
        form.plane_count = UInt8(planes.count)
        form.width = width
        form.height = height
        form.fourcc = format.fourcc
        if let sequence {
            form.valid = UInt32(SENSORIUM_FRAME_SEQUENCE)
            form.sequence = sequence
        }
        form.bytes = bytes.assumingMemoryBound(to: UInt8.self)
        form.length = UInt64(storage.bytes.count)
        withUnsafeMutableBytes(of: &form.planes) { raw in
            let forms = raw.bindMemory(to: sensorium_plane.self)
            for (index, plane) in planes.enumerated() {
                // A negative number is no offset; it becomes one that the host refuses.
                forms[index] = sensorium_plane(
                    offset: UInt64(bitPattern: Int64(plane.offset)),
                    length: UInt64(bitPattern: Int64(plane.length)),
                    stride: UInt64(bitPattern: Int64(plane.stride)))
            }
        }
        form.owner = Unmanaged.passUnretained(storage).toOpaque()
        form.retain = { owner in
            if let owner { _ = Unmanaged<FrameStorage>.fromOpaque(owner).retain() }
        }
        form.release = { owner in
            if let owner { Unmanaged<FrameStorage>.fromOpaque(owner).release() }
        }
        return form
    }
}
