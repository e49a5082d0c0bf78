import Sensorium
import SensoriumTestKit
import Testing
import V4L2Plugin
import V4L2Spy

/// What drivers may answer, and never should.
@Suite("Hostile drivers", .timeLimit(.minutes(1)))
struct FuzzTests {
    @Test("cannot make a frame point outside of its buffer, or keep a session from ending")
    func frames() async throws {
        var generator = SeededGenerator(seed: 4)
        let formats: [PixelFormat] = [.grey, .yuyv, .nv12, .rgb24, .mjpeg]
        for round in 0..<60 {
            let pixels = formats[round % formats.count]
            let bench = Bench([.fixed(pixels, 7, 5, padding: round % 3)])
            var frames: [ScriptedFrame] = []
            for _ in 0..<40 {
                var frame = ScriptedFrame()
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: frame.bytesUsed = Int(UInt32.max)
                case 1: frame.bytesUsed = Int.random(in: 0...200, using: &generator)
                case 2: frame.dataOffset = Int.random(in: 0...300, using: &generator)
                case 3: frame.dataOffset = Int(UInt32.max)
                case 4: frame.sequence = UInt32.random(in: 0...UInt32.max, using: &generator)
                case 5: frame.stamp = Int64.random(in: Int64.min...Int64.max, using: &generator)
                case 6:
                    frame.buffer = [-1, 0, 3, 8, 64, Int(UInt32.max)].randomElement(
                        using: &generator)
                default:
                    frame.bytes = (0..<50).map { _ in
                        UInt8.random(in: 0...255, using: &generator) | (round % 2 == 0 ? 0xf0 : 0)
                    }
                }
                frames.append(frame)
            }
            let played = frames
            try await bench.clock.run {
                let viewer = try await bench.open(keeping: round % 4 == 0)
                for frame in played {
                    bench.spy.push(frame)
                    await bench.clock.advance(by: .milliseconds(50))
                    if round % 4 == 0 { viewer.release(1) }
                }
                for frame in viewer.keptFrames {
                    let length = frame.storage.bytes.count
                    #expect(frame.planes.allSatisfy { $0.offset + $0.length <= length })
                }
                let instants = viewer.frames.map(\.time.instant)
                #expect(instants == instants.sorted())
                await viewer.close()
                viewer.release()
                #expect(bench.isClean)
            }
        }
    }

    @Test("cannot make a session hang, crash or leak by what they say of formats and buffers")
    func answers() async throws {
        var generator = SeededGenerator(seed: 5)
        let numbers = [
            0, 1, 2, 7, 8, 63, 64, 65, 255, 4096, 65_535, 65_536, 1 << 31, (1 << 32) - 1,
        ]
        func number() -> Int { numbers.randomElement(using: &generator) ?? 0 }
        for _ in 0..<400 {
            var camera = ScriptedCamera.fixed(.grey, 8, 4, feed: .steady)
            let formats =
                FrameLayout.readable + [PixelFormat(fourcc: 0), PixelFormat(fourcc: .max)]
            func answer() -> ScriptedCamera.Lies.Answer {
                .init(
                    formats.randomElement(using: &generator) ?? .grey, number(), number(),
                    bytesPerLine: number(), imageSize: number(),
                    memoryPlanes: Int.random(in: 0...3, using: &generator) == 0 ? number() : 1)
            }
            camera.lies.afterBuffers = answer()
            camera.lies.bufferLength = min(number(), 1 << 16)
            if Bool.random(using: &generator) { camera.lies.bufferCount = number() }
            let bench = Bench([camera])
            try await bench.clock.run {
                do {
                    let viewer = try await bench.open()
                    await bench.clock.advance(by: .milliseconds(500))
                    await viewer.close()
                } catch let error as SensorError {
                    #expect(!error.hint.isEmpty)
                }
                #expect(bench.isClean)
            }
        }
    }

    @Test("cannot list formats, sizes and rates for ever")
    func lists() async throws {
        let sizes = (1...1000).map { ($0, $0) }
        let bench = Bench([
            ScriptedCamera(
                modes: [.init(.grey, sizes, rates: (1...1000).map { Double($0) })]
                    + (0..<1000).map { .init(PixelFormat(fourcc: UInt32($0)), [(1, 1)]) })
        ])
        try await bench.clock.run {
            let viewer = try await bench.open()
            #expect(viewer.grantedRate == 30)
            await viewer.close()
            #expect(bench.isClean)
        }
    }
}
