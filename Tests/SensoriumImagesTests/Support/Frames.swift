import Sensorium
import SensoriumImages

extension CameraFrame {
    /// A frame of bytes, in one plane or in those given.
    static func made(
        _ format: PixelFormat, _ width: Int, _ height: Int, stride: Int = 0, _ bytes: [UInt8],
        planes: [Plane]? = nil
    ) -> CameraFrame {
        CameraFrame(
            time: ReadingTime(SensorInstant(nanoseconds: 1)), width: width, height: height,
            format: format,
            planes: planes ?? [Plane(offset: 0, stride: stride, length: bytes.count)],
            storage: FrameStorage(copying: bytes))
    }
}

extension Picture {
    /// A picture with a colour of its own in each place.
    static func gradient(_ width: Int, _ height: Int) -> Picture {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                bytes.append(UInt8(column * 255 / max(1, width - 1)))
                bytes.append(UInt8(row * 255 / max(1, height - 1)))
                bytes.append(128)
            }
        }
        return Picture(width: width, height: height, bytes: bytes) ?? Picture()
    }

    /// How far the bytes of two pictures are apart at most.
    func distance(to other: Picture) -> Int {
        guard width == other.width, height == other.height else { return 256 }
        return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}

/// A 16x8 picture as cameras give it, without Huffman tables: its left half has the brightness 64,
/// its right half 192.
let tablelessJPEG: [UInt8] = {
    var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x21]
    bytes += Array("AVI1".utf8) + [UInt8](repeating: 0, count: 27)
    bytes += [0xff, 0xdb, 0x00, 0x84, 0x00] + [UInt8](repeating: 8, count: 64)
    bytes += [0x01] + [UInt8](repeating: 8, count: 64)
    bytes += [0xff, 0xc0, 0x00, 0x11, 8, 0, 8, 0, 16, 3, 1, 0x21, 0, 2, 0x11, 1, 3, 0x11, 1]
    bytes += [0xff, 0xda, 0x00, 0x0c, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 0x3f, 0]
    return bytes + [0xf3, 0xfa, 0xfa, 0x02, 0x80, 0x3f, 0xff, 0xd9]
}()
