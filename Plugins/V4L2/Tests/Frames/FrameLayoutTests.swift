import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin

@Suite("Frame layout (CAM-03)", .timeLimit(.minutes(1)))
struct FrameLayoutTests {
    private func layout(
        _ pixels: PixelFormat, _ width: Int, _ height: Int, line: Int, image: Int = 0,
        planes: Int = 1, stride: Int? = nil
    ) throws(V4L2Fault) -> FrameLayout {
        try FrameLayout(
            V4L2Format(
                width: width, height: height, pixels: pixels, bytesPerLine: line, imageSize: image,
                memoryPlanes: planes), stride: stride)
    }

    @Test("takes a last row without padding, and nothing shorter")
    func lastRow() throws {
        let layout = try layout(.rgb24, 4, 2, line: 16, image: 32)
        #expect(layout.needed == 28)
        #expect(
            layout.planes(offset: 0, length: 28)
                == [CameraFrame.Plane(offset: 0, stride: 16, length: 28)])
        #expect(layout.planes(offset: 0, length: 32)?.first?.stride == 16)
        #expect(layout.planes(offset: 0, length: 27) == nil)
        #expect(layout.otherStride == nil)
    }

    @Test("does not take two bytes for each pixel for padding")
    func packed() throws {
        let small = try layout(.yuyv, 512, 384, line: 1024, image: 393_216)
        #expect(small.stride == 1024)
        #expect(small.rowBytes == 1024)
        #expect(small.otherStride == nil)
        let large = try layout(.yuyv, 3280, 2464, line: 6592, image: 16_242_688)
        #expect(large.stride == 6592)
        #expect(large.rowBytes == 6560)
        #expect(large.needed == 16_242_688 - 32)
        #expect(large.otherStride == nil)
    }

    @Test("names the other stride that the size of the image suggests")
    func wrongStride() throws {
        let told = try layout(.rgb24, 624, 480, line: 1872, image: 921_600)
        #expect(told.stride == 1872)
        #expect(told.otherStride == 1920)
        let chosen = try layout(.rgb24, 624, 480, line: 1872, image: 921_600, stride: 1920)
        #expect(chosen.stride == 1920)
        #expect(chosen.otherStride == nil)
        // Room at the end is no row.
        #expect(try layout(.grey, 100, 3, line: 100, image: 4096).otherStride == nil)
    }

    @Test(
        "rounds up where two pixels share their colour",
        arguments: [
            (PixelFormat.yuyv, 12, 12 * 3), (.nv12, 6, 6 * 5), (.grey, 5, 5 * 3),
            (.rgb24, 15, 15 * 3),
        ])
    func oddSizes(pixels: PixelFormat, row: Int, total: Int) throws {
        let layout = try layout(pixels, 5, 3, line: 0)
        #expect(layout.stride == row)
        #expect(layout.needed == total)
    }

    @Test("has the colours of NV12 after all rows of the first plane")
    func nv12() throws {
        let layout = try layout(.nv12, 6, 4, line: 8, image: 48)
        #expect(
            layout.planes(offset: 3, length: 48) == [
                CameraFrame.Plane(offset: 3, stride: 8, length: 32),
                CameraFrame.Plane(offset: 35, stride: 8, length: 16),
            ])
    }

    @Test("refuses what cannot be true, or read")
    func refuses() {
        #expect(throws: V4L2Fault.self) { try layout(.rgb24, 100, 10, line: 299) }
        #expect(throws: V4L2Fault.self) { try layout(.grey, 0, 10, line: 10) }
        #expect(throws: V4L2Fault.self) { try layout(.grey, 10, 0, line: 10) }
        #expect(throws: V4L2Fault.self) { try layout(.grey, 65_537, 1, line: 0) }
        #expect(throws: V4L2Fault.self) { try layout(.grey, 10, 10, line: 1 << 32) }
        #expect(throws: V4L2Fault.self) { try layout(.nv12, 10, 10, line: 10, planes: 2) }
        #expect(throws: V4L2Fault.self) {
            try layout(PixelFormat(fourcc: 0x3436_3248), 640, 480, line: 0)
        }
    }

    @Test("calls JPEG by its one name")
    func jpeg() throws {
        let layout = try layout(PixelFormat(fourcc: 0x4745_504a), 640, 480, line: 0)
        #expect(layout.pixels == .mjpeg)
        #expect(layout.stride == 0)
    }

    @Test("never points outside of a frame, whatever the driver says")
    func hostile() {
        var generator = SeededGenerator(seed: 3)
        let formats = FrameLayout.readable
        for _ in 0..<20_000 {
            func number() -> Int {
                let bits = Int.random(in: 0...32, using: &generator)
                return Int(
                    UInt32(
                        truncatingIfNeeded: UInt64.random(in: 0...UInt64.max, using: &generator)
                            >> UInt64(64 - bits)))
            }
            let (height, length) = (number(), number())
            guard
                let layout = try? layout(
                    formats.randomElement(using: &generator) ?? .grey, number(), height,
                    line: number(), image: number()),
                let planes = layout.planes(offset: 7, length: length)
            else { continue }
            #expect(planes.allSatisfy { $0.offset >= 7 && $0.length >= 0 })
            #expect(planes.allSatisfy { $0.offset + $0.length <= 7 + length })
        }
    }
}
