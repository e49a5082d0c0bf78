import ImageFilesPlugin
import ImageFilesSpy
import Sensorium
import SensoriumTestKit

/// A grey JPEG picture of 16x8 pixels with its Huffman tables left out, as cameras give it; `mark` is in
/// it, to know it again.
func jpeg(_ mark: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xfe, 0x00, 0x03, mark]
    bytes += [0xff, 0xdb, 0x00, 0x43, 0x00] + [UInt8](repeating: 8, count: 64)
    bytes += [0xff, 0xc0, 0x00, 0x0b, 8, 0, 8, 0, 16, 1, 1, 0x11, 0]
    bytes += [0xff, 0xda, 0x00, 0x08, 1, 1, 0, 0, 0x3f, 0]
    return bytes + [0xf3, 0xfa, 0x80, 0x3f, 0xff, 0xd9]
}

/// The marks of frames that were made by `jpeg`.
func marks(_ frames: [CameraFrame]) -> [UInt8] { frames.map { $0.storage.bytes[6] } }

/// A Y4M file of grey frames of 4x2 pixels, each filled with a number.
func y4m(_ numbers: [UInt8], rate: String = "25:1") -> [UInt8] {
    numbers.reduce(Array("YUV4MPEG2 W4 H2 F\(rate) Cmono\n".utf8)) { file, number in
        file + Array("FRAME\n".utf8) + [UInt8](repeating: number, count: 8)
    }
}

/// An app that looks at the camera of files.
struct Viewer {
    let files: ImageFilesSpy
    let frames = Collected<CameraFrame>()
    let losses = Collected<ReadingLoss>()
    let states = Collected<SensorStatus.State>()
    let end = Answer<SensorError?>()

    /// How many were lost for each reason.
    var lost: [ReadingLoss.Reason: Int] {
        losses.all.reduce(into: [:]) { $0[$1.reason, default: 0] += $1.count }
    }

    /// Looks for a time at what lies at a path, then closes all.
    func look(
        at path: String, _ configuration: [String: String] = [:], for time: Duration,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let host = files.host(showing: path, configuration)
        let clock = files.clock
        try await clock.run {
            let plugin = files.plugin(for: host)
            guard let camera = try await plugin.discover().first as? ImageCamera else {
                throw SpyError("there is no camera")
            }
            let sink = ReadingSink<CameraFrame>(
                deliver: { span in for index in span.indices { frames.append(span[index]) } },
                report: { states.append($0.state) }, lose: { losses.append($0) },
                finish: { end.give($0) })
            let session = try await camera.open(.default, delivering: sink)
            try await meanwhile()
            await clock.advance(by: time)
            await session.close()
            await plugin.stop()
        }
    }
}
