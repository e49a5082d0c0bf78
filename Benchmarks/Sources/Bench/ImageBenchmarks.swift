import CRivalTurboJPEG
import Sensorium
import SensoriumImages
import SensoriumTestKit

/// A camera's JPEG frames of 1280x720 as pictures.
///
/// The rival is libjpeg-turbo, called directly.
enum ImageBenchmarks {
    private static let (width, height) = (1280, 720)

    /// The highest price of looking at the frame first: a tenth.
    private static let allowance = 1.1

    static func rows() throws -> [Row] {
        let jpeg = try JPEG.encode(scene, quality: 85)
        let frame = CameraFrame(
            time: ReadingTime(SensorInstant(nanoseconds: 1)), width: width, height: height,
            format: .mjpeg, planes: [.init(offset: 0, stride: 0, length: jpeg.count)],
            storage: FrameStorage(copying: jpeg))
        var converter = FrameConverter()
        var picture = Picture()
        guard let rival = tjInitDecompress() else { preconditionFailure("libjpeg-turbo is there") }
        defer { tjDestroy(rival) }
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        func decodeDirectly() {
            let status = frame.storage.bytes.withMemoryRebound(to: UInt8.self) { data in
                tjDecompress2(
                    rival, data.baseAddress, UInt(data.count), &pixels, Int32(width), 0,
                    Int32(height), Int32(TJPF_RGB.rawValue), 0)
            }
            precondition(status == 0, "libjpeg-turbo decodes it")
        }
        try converter.convert(frame, into: &picture)
        decodeDirectly()
        precondition(picture.bytes == pixels, "both make the same picture")
        var (ours, theirs) = (Samples(), Samples())
        for pair in 0..<30 {
            // Whoever is first in a pair may find the machine in another mood.
            for turn in 0...1 {
                if (pair + turn) % 2 == 0 {
                    ours.add(
                        try nanoseconds { try converter.convert(frame, into: &picture) }, items: 1)
                } else {
                    theirs.add(nanoseconds { decodeDirectly() }, items: 1)
                }
            }
        }
        return [
            Row(
                name: "images.mjpeg.720p", value: ours.median / 1e6, unit: "ms",
                rival: ("libturbojpeg", theirs.median / 1e6),
                goal: theirs.median / 1e6 * allowance, goalRatio: 1 / allowance)
        ]
    }

    /// A picture with soft shades and hard edges, as rooms have them.
    private static var scene: Picture {
        var generator = SeededGenerator(seed: 1)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let edge = (row / 90 + column / 160) % 2 == 0 ? 60 : 0
                let noise = Int(generator.next() % 9)
                bytes.append(UInt8(column * 180 / width + edge + noise))
                bytes.append(UInt8(row * 180 / height + edge + noise))
                bytes.append(UInt8(120 + edge + noise))
            }
        }
        guard let picture = Picture(width: width, height: height, bytes: bytes) else {
            preconditionFailure("it has as many bytes as it needs")
        }
        return picture
    }
}
