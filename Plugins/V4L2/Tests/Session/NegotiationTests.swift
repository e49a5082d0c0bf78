import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

@Suite("Negotiation (CAM-08)", .timeLimit(.minutes(1)))
struct NegotiationTests {
    /// Opens a camera, and says what was asked of it, in order.
    private func asked(
        _ cameras: ScriptedCamera..., rate: Double? = nil, configuration: [String: String] = [:]
    ) async throws -> (commands: [String], rate: Double?) {
        let bench = Bench(cameras, configuration: configuration)
        return try await bench.clock.run {
            let sensor = try await bench.camera()
            let before = bench.spy.commands.count
            let viewer = try await Viewer(sensor, rate: rate)
            await viewer.close()
            #expect(bench.isClean)
            try bench.spy.journal.verify()
            return (Array(bench.spy.commands.dropFirst(before)), viewer.grantedRate)
        }
    }

    @Test("goes through the whole sequence, in the kernel's order")
    func sequence() async throws {
        let commands = try await asked(.fixed(.grey, 8, 4)).commands
        #expect(
            commands == [
                "open /dev/video0", "S_FMT GREY 8x4", "S_PARM 1000/30000", "REQBUFS 8", "STREAMON",
                "STREAMOFF", "close /dev/video0",
            ])
    }

    @Test("takes the largest size up to 1280x720, and the first format that is fast enough there")
    func usual() async throws {
        let (commands, rate) = try await asked(ScriptedCamera())
        #expect(commands.contains("S_FMT MJPG 1280x720"))
        #expect(rate == 30)
        let slow = try await asked(ScriptedCamera(), rate: 8)
        #expect(slow.commands.contains("S_FMT YUYV 1280x720"))
        #expect(slow.rate == 10)
    }

    @Test(
        "asks for what is configured",
        arguments: [
            (["v4l2.size": "640x480"], "S_FMT YUYV 640x480", 30.0),
            (["v4l2.format": "YUYV"], "S_FMT YUYV 1280x720", 10),
            (["v4l2.format": "mjpeg", "v4l2.size": "640x480"], "S_FMT MJPG 640x480", 30),
            (["v4l2.rate": "12", "v4l2.size": "320x240"], "S_FMT YUYV 320x240", 15),
            (["v4l2.rate": "100"], "S_FMT MJPG 1280x720", 30),
            (["v4l2.size.HD_Webcam@usb-0000:00:14.0-2": "640x480"], "S_FMT YUYV 640x480", 30),
            (["v4l2.size.Other@x": "640x480"], "S_FMT MJPG 1280x720", 30),
        ] as [([String: String], String, Double)])
    func configured(configuration: [String: String], command: String, rate: Double) async throws {
        let outcome = try await asked(ScriptedCamera(), configuration: configuration)
        #expect(outcome.commands.contains(command), "\(outcome.commands)")
        #expect(outcome.rate == rate)
    }

    @Test("lets the app's rate go before the configured one")
    func rates() async throws {
        let configuration = ["v4l2.rate": "15", "v4l2.size": "640x480"]
        #expect(try await asked(ScriptedCamera(), configuration: configuration).rate == 15)
        #expect(
            try await asked(ScriptedCamera(), rate: 30, configuration: configuration).rate == 30)
    }

    @Test("sets nothing that the driver does not offer, and can do without S_PARM")
    func silent() async throws {
        let mute = ScriptedCamera.fixed(.grey, 8, 4, rates: [])
        let outcome = try await asked(mute)
        #expect(outcome.commands.allSatisfy { !$0.hasPrefix("S_PARM") })
        #expect(outcome.rate == nil)
        let bench = Bench([.fixed(.grey, 8, 4, feed: .pushed)])
        try await bench.clock.run {
            bench.spy.fail(.setInterval, with: 25)
            let viewer = try await bench.open()
            #expect(viewer.grantedRate == nil)
            await viewer.close()
        }
    }

    @Test("describes frames by what the driver says once it has its buffers")
    func truth() async throws {
        var camera = ScriptedCamera(feed: .steady)
        camera.lies.settled = .init(.yuyv, 640, 480, bytesPerLine: 1280, imageSize: 614_400)
        let bench = Bench(
            [camera], configuration: ["v4l2.size": "1280x720", "v4l2.format": "MJPG"])
        try await bench.clock.run {
            let viewer = try await bench.open()
            await bench.clock.advance(by: .seconds(1))
            let frame = try #require(viewer.frames.first)
            #expect(frame.format == .yuyv)
            #expect((frame.width, frame.height) == (640, 480))
            #expect(frame.planes == [.init(offset: 0, stride: 1280, length: 614_400)])
            #expect(
                bench.diagnostics.all.contains {
                    $0.contains(
                        "MJPG of 1280x720 was asked for, and the camera gives YUYV of 640x480")
                })
            await viewer.close()
            #expect(bench.isClean)
        }
    }

    @Test("notices a format that another program changes before the buffers are there")
    func changed() async throws {
        var camera = ScriptedCamera.fixed(.yuyv, 640, 480, feed: .steady)
        camera.lies.afterBuffers = .init(.rgb24, 640, 480, bytesPerLine: 1920, imageSize: 921_600)
        let bench = Bench([camera])
        try await bench.clock.run {
            let error = try await bench.refusal()
            guard case .malformed = error else { throw error }
            #expect(error.reason.contains("614400 bytes"))
            #expect(error.reason.contains("921600"))
            #expect(bench.isClean)
        }
        camera.lies.bufferLength = 921_600
        let second = Bench([camera])
        try await second.clock.run {
            let viewer = try await second.open()
            second.spy.push(.bytes([UInt8](repeating: 7, count: 921_600)))
            await second.clock.advance(by: .milliseconds(100))
            #expect(viewer.frames.first?.format == .rgb24)
            #expect(viewer.frames.first?.planes.first?.stride == 1920)
            await viewer.close()
        }
    }

    @Test("fails where the configuration says so, and only for what is configured")
    func strict() async throws {
        var camera = ScriptedCamera()
        camera.lies.settled = .init(.yuyv, 640, 480, bytesPerLine: 1280, imageSize: 614_400)
        for (key, value) in [("v4l2.size", "1280x720"), ("v4l2.format", "MJPG")] {
            let bench = Bench([camera], configuration: [key: value, "v4l2.mismatch": "fail"])
            let error = try await bench.clock.run { try await bench.refusal() }
            guard case .unsupported = error else { throw error }
            #expect(error.hint.contains("v4l2.mismatch=deliver"))
        }
        let configuration = ["v4l2.size": "640x480", "v4l2.mismatch": "fail"]
        #expect(try await asked(camera, configuration: configuration).rate != nil)
    }

    @Test("says what it can read where a camera has nothing of it")
    func unreadable() async throws {
        let h264 = PixelFormat(fourcc: 0x3436_3248)
        let bench = Bench([.fixed(h264, 640, 480)])
        let error = try await bench.clock.run { try await bench.refusal() }
        guard case .unsupported = error else { throw error }
        #expect(error.reason.contains("only H264"))
    }

    @Test(
        "refuses settings that it cannot understand, by name",
        arguments: [
            ("size", "720p"), ("size", "0x0"), ("size", "1x2x3"), ("format", "MPEG4"),
            ("rate", "fast"), ("rate", "-1"), ("rate", "inf"), ("buffers", "2"), ("buffers", "99"),
            ("mismatch", "maybe"), ("stride", "0"),
        ])
    func settings(key: String, value: String) async throws {
        // A mismatch is asked about only where there is one.
        var camera = ScriptedCamera.fixed(.grey, 8, 4)
        camera.lies.settled = .init(.grey, 4, 4, bytesPerLine: 4, imageSize: 16)
        let bench = Bench(
            [camera], configuration: ["v4l2.size": "8x4"].merging(["v4l2.\(key)": value]) { $1 })
        let error = try await bench.clock.run { try await bench.refusal() }
        #expect(error.reason == "the setting v4l2.\(key) is '\(value)'")
        #expect(bench.isClean)
    }

    @Test(
        "refuses what no driver should say",
        arguments: [
            .init(.grey, 0, 0, bytesPerLine: 0, imageSize: 0),
            .init(.rgb24, 100, 10, bytesPerLine: 299, imageSize: 3000),
            .init(.grey, 100, 10, bytesPerLine: 1 << 33, imageSize: 100),
            .init(.grey, 8, 4, bytesPerLine: 8, imageSize: 1 << 32),
            .init(.nv12, 8, 4, bytesPerLine: 8, imageSize: 48, memoryPlanes: 2),
        ] as [ScriptedCamera.Lies.Answer])
    func nonsense(answer: ScriptedCamera.Lies.Answer) async throws {
        var camera = ScriptedCamera.fixed(.grey, 8, 4)
        camera.lies.afterBuffers = answer
        let bench = Bench([camera])
        try await bench.clock.run {
            switch try await bench.refusal() {
            case .malformed, .unsupported: break
            case let error: throw error
            }
            #expect(bench.isClean)
        }
    }

    @Test(
        "refuses too few buffers, and more than there can be", arguments: [-1, 0, 1, 65, 1 << 30])
    func buffers(count: Int) async throws {
        var camera = ScriptedCamera.fixed(.grey, 8, 4)
        camera.lies.bufferCount = count
        let bench = Bench([camera])
        try await bench.clock.run {
            let error = try await bench.refusal()
            #expect(error.reason.contains("\(count) buffers"))
            #expect(bench.isClean)
        }
    }

    @Test("starts anew for another rate only where that changes anything")
    func reconfigures() async throws {
        let bench = Bench(
            [ScriptedCamera(feed: .steady)], configuration: ["v4l2.size": "640x480"])
        try await bench.clock.run {
            let viewer = try await bench.open(rate: 15)
            await bench.clock.advance(by: .seconds(1))
            let count = viewer.frames.count
            #expect((14...15).contains(count))
            try await viewer.ask(for: 12)
            #expect(bench.spy.commands.filter { $0 == "STREAMON" }.count == 1)
            try await viewer.ask(for: 30)
            #expect(viewer.grantedRate == 30)
            await bench.clock.advance(by: .seconds(1))
            #expect((29...30).contains(viewer.frames.count - count))
            #expect(viewer.states == [.running])
            await viewer.close()
            #expect(bench.isClean)
        }
    }
}
