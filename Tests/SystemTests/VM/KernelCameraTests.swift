import Glibc
import Sensorium
import SensoriumImages
import SensoriumTestKit
import Testing

/// The kernel's virtual camera, vivid, which paints eight bars of colour, through the V4L2 plugin
/// as an app loads it.
///
/// It has no JPEG.
@Suite(
    "a camera on a real kernel", .serialized, .timeLimit(.minutes(4)),
    .enabled(if: Guest.isHere, Guest.absence))
struct KernelCameraTests {
    private static let (width, height) = (640, 360)
    private static let driver = "/sys/bus/platform/drivers/vivid"

    private func app(_ format: String) async throws -> GuestApp {
        try await GuestApp(
            loading: "V4L2",
            [
                "v4l2.format": format, "v4l2.size": "\(Self.width)x\(Self.height)",
                "v4l2.mismatch": "fail",
            ])
    }

    /// The middle of a bar, below the text that the driver writes.
    private func bar(_ number: Int, of picture: Picture) -> Pixel {
        picture[(2 * number + 1) * Self.width / 16, Self.height - 8]
    }

    @Test(
        "gives what the driver paints, in each format that the plugin knows",
        arguments: ["YUYV", "NV12", "RGB3", "GREY"])
    func formats(format: String) async throws {
        let app = try await app(format)
        let camera = try await app.sensor(CameraFrame.self, "vivid")
        var reader = UpdateReader(camera, SamplingRequest(rate: 10))
        while reader.readings.count < 5 { _ = try await reader.reading() }
        #expect(camera.grantedRate.map { abs($0 - 10) < 0.1 } == true)
        let frames = reader.readings
        for frame in frames {
            #expect((frame.width, frame.height) == (Self.width, Self.height))
            #expect(frame.format.description == format)
            #expect(frame.time.source == .device)
        }
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.instant < $1.instant })
        let numbers = frames.compactMap(\.sequence)
        #expect(numbers.count == 5 && zip(numbers, numbers.dropFirst()).allSatisfy(<))

        let picture = try Picture(frames[4])
        let bars = (0..<8).map { bar($0, of: picture) }
        if format == "GREY" {
            let lights = bars.map(\.red)
            #expect(zip(lights, lights.dropFirst()).allSatisfy(>), "\(lights)")
        } else {
            // White, yellow, cyan, green, magenta, red, blue, black.
            let wanted = [
                [1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1],
                [0, 0, 0],
            ]
            let seen = bars.map { bar in
                [bar.red, bar.green, bar.blue].map { $0 > 120 ? 1 : $0 < 60 ? 0 : -1 }
            }
            #expect(seen == wanted, "\(bars)")
        }
        await app.registry.removeAll()
    }

    @Test("writes a film of it that can be read again")
    func film() async throws {
        let app = try await app("NV12")
        let camera = try await app.sensor(CameraFrame.self, "vivid")
        var reader = UpdateReader(camera, SamplingRequest(rate: 10))
        var film: [UInt8] = []
        var encoder = try Y4MEncoder(
            like: try await reader.reading(), rate: Y4MHeader.FrameRate(hertz: 10))
        film += encoder.header.line
        for _ in 0..<3 { film += try encoder.encode(try await reader.reading()) }
        await app.registry.removeAll()

        var decoder = Y4MDecoder()
        decoder.append(film)
        var count = 0
        while case .frame(let frame)? = try decoder.next() {
            count += 1
            #expect((frame.width, frame.height, frame.format) == (Self.width, Self.height, .nv12))
        }
        #expect(count == 3)
        #expect(decoder.finish() == nil)
    }

    @Test("tells that it is pulled out while it streams, and goes on when it is back")
    func replug() async throws {
        let app = try await app("YUYV")
        let camera = try await app.sensor(CameraFrame.self, "vivid")
        var reader = UpdateReader(camera, SamplingRequest(rate: 10))
        while reader.readings.count < 3 { _ = try await reader.reading() }
        try Guest.write("vivid.0", to: "\(Self.driver)/unbind")
        let told = try await reader.status(.reconnecting)
        #expect(!told.reason.isEmpty && !told.hint.isEmpty)
        let start = SystemClock().now
        try Guest.write("vivid.0", to: "\(Self.driver)/bind")
        let frame = try await reader.reading { $0.instant > start }
        #expect(frame.width == Self.width)
        #expect(reader.statuses.last?.state == .running)
        #expect(app.has(camera.descriptor.id.rawValue))
        await app.registry.removeAll()
    }
}
