import JPEGMarkers
import Sensorium

/// Looks whether what is in a buffer is a frame.
package struct FrameInspection: Sendable {
    /// Where the pixels of a frame lie.
    package let layout: FrameLayout

    /// Makes an inspection of frames of that layout.
    package init(_ layout: FrameLayout) { self.layout = layout }

    /// What is in a buffer.
    package enum Finding: Hashable, Sendable {
        /// A frame, in these planes.
        case frame([CameraFrame.Plane])
        /// Nothing to show, for that reason.
        case lost(ReadingLoss.Reason)
    }

    /// Looks at a buffer that the driver has filled.
    ///
    /// A frame that the driver flags as damaged, and one without a byte, is the device's loss; one
    /// that is cut off is malformed.
    package func look(at buffer: V4L2Buffer, in bytes: UnsafeRawBufferPointer) -> Finding {
        if buffer.flags.contains(.error) { return .lost(.device) }
        if buffer.bytesUsed == 0 { return .lost(.device) }
        let (begin, end) = (buffer.dataOffset, buffer.bytesUsed)
        guard begin >= 0, begin < end, end <= bytes.count else { return .lost(.malformed) }
        guard layout.pixels.isCompressed else {
            return layout.planes(offset: begin, length: end - begin).map { .frame($0) }
                ?? .lost(.malformed)
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[begin..<end])
        guard let extent = JPEGExtent.find(in: content) else { return .lost(.malformed) }
        return .frame([
            CameraFrame.Plane(offset: begin + extent.lowerBound, stride: 0, length: extent.count)
        ])
    }
}
